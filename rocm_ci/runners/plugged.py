"""How our pytest plug-in gets into a suite's pytest, and what it is told."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.runners import listing
from rocm_ci.runners.events import Events
from rocm_ci.runners.shell import joined, simple_commands
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.runners.base import Listed, Slot
    from rocm_ci.runners.listing import Listing

FOLDER = Path(__file__).parent / "plugins"
NAME = "rocm_ci_pytest"
VARIABLE = "ROCM_CI_PYTEST"
_NO_AUTOLOAD = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
_PATH = "PYTHONPATH="
# `python -I`, `-E`: it reads no PYTHONPATH, but pytest reads its options.
_ISOLATED = re.compile(r"\bpython[\d.]*(?:\s+-\w+)*?\s+-[A-Za-z]*[IE]")


def reached(command: str) -> str:
    """The command with our folder in every PYTHONPATH that it sets itself."""
    words = [w for simple in simple_commands(command) for w in (*simple.assignments, *simple.words)]
    for word in sorted(words, key=lambda w: -w.end):
        if word.text.startswith(_PATH):
            colon = ":" if word.text != _PATH else ""
            command = f"{command[: word.end]}{colon}{joined([str(FOLDER)])}{command[word.end :]}"
    return command


def environment(
    command: str,
    slot: Slot,
    options: Sequence[str],
    only: Sequence[Listed] = (),
    *,
    xml: Path | None = None,
) -> dict[str, str]:
    """The variables of a run with `options` added, which may name an `xml` for one pytest to write.

    A second one writes beside it. `only` tests are written down; raises OSError.
    """
    is_chosen = bool(only) and not slot.is_deaf
    is_off = slot.environment.get(_NO_AUTOLOAD) or _NO_AUTOLOAD in command
    added = list(options)
    # Named, it is an error where it cannot be found: better than to run other tests than the wanted ones.
    if is_chosen or (is_off and not _ISOLATED.search(command)):
        added += ["-p", NAME]
    if is_chosen:
        file.write(slot.wanted, json.dumps([test.native for test in only]).encode())
    limit = slot.test_timeout_s
    settings = {
        "events": str(slot.events),
        "only": str(slot.wanted) if is_chosen else None,
        "dump_s": max(limit * 0.8, limit - 5.0) if limit else None,
        "xml": str(xml) if xml else None,
        "folder": str(slot.folder),
        "options": joined(added),
    }
    before = slot.environment
    return {
        "PYTEST_ADDOPTS": f"{before.get('PYTEST_ADDOPTS', '')} {joined(added)}".strip(),
        "PYTHONPATH": os.pathsep.join(part for part in (before.get("PYTHONPATH", ""), str(FOLDER)) if part),
        VARIABLE: json.dumps(settings),
    }


def collected(found: Listing, slot: Slot) -> tuple[Listed, ...] | None:
    """The tests that every pytest of a listing collects; None when one of them does not say so."""
    events = Events(slot.events)
    try:
        variables = environment(found.command, slot, ["--collect-only"])
        said = listing.output(
            listing.Listing(command=reached(found.command), is_whole=found.is_whole), slot, variables
        )
        events.follow()
    finally:
        events.close()
        file.remove(slot.events)
    return tuple(events.listed.values()) if said is not None and events.listed else None
