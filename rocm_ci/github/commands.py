"""Workflow commands and step files, escaped. Pure but for the two functions that append to a file."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_COMMAND = re.compile(r"^(\s*)::", re.MULTILINE)
MESSAGE_LIMIT = 4000  # actions/runner cuts at 4,096 characters; see ExecutionContext.cs


def escape_data(text: str) -> str:
    """The message part of a command: one line, nothing that could begin another command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """A property value of a command."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def command(name: str, message: str, **properties: str | int | None) -> str:
    """`::name key=value,…::message`, escaped and cut to what the runner keeps."""
    shown = ",".join(
        f"{key.replace('_', '')}={escape_property(str(value))}"
        for key, value in properties.items()
        if value is not None
    )
    return f"::{name}{' ' + shown if shown else ''}::{escape_data(message[:MESSAGE_LIMIT])}"


def harmless(text: str) -> str:
    """Without what a workflow would take for a command: `::…` at the start of a line, `##[` anywhere.

    The runner passes over blanks before `::`. On standard output this stands in for `stop-commands`, which
    goes to the other stream, and nothing keeps the two in order.
    """
    return _COMMAND.sub(r"\1: :", text).replace("##[", "# #[")


def stop_token() -> str:
    """A fresh token for `::stop-commands::`, which nobody can guess."""
    return os.urandom(16).hex()


def append_output(path: Path, name: str, value: str) -> None:
    """Append one step output to `$GITHUB_OUTPUT`; the delimiter is random, so it cannot be forged."""
    delimiter = f"rocm_ci_{os.urandom(16).hex()}"
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
