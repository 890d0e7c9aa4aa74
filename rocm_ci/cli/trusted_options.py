"""The options of every command that holds the token: which event, which token, how fast, what to print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., int]")

_OPTIONS = (
    click.option("--event-path", type=click.Path(path_type=Path), help="Default: $GITHUB_EVENT_PATH."),
    click.option("--event-name", metavar="NAME", help="Default: $GITHUB_EVENT_NAME."),
    click.option("--token-env", metavar="NAME", default="GITHUB_TOKEN", show_default=True),
    click.option(
        "--pause",
        type=click.FloatRange(min=0.0),
        default=1.0,
        show_default=True,
        metavar="SECONDS",
        help="Between two writes, and before a failed request is sent again.",
    ),
    click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True),
)


def trusted_options(command: Command) -> Command:
    """Give `command` the parameters event_path, event_name, token_env, pause and form."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
