"""What a rule is about, in the words of its own file, for readers outside of our pages."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci import registry
from rocm_ci.errors import ConfigError

if TYPE_CHECKING:
    from rocm_ci.model.finding import Finding
    from rocm_ci.scan.rule import Rule

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
# Rules of ours that have no file: they are about suppressions and baselines.
OWN = {
    "suppression-without-reason": "A suppression says why the finding is right here, or is not honoured.",
    "unknown-suppression": "A suppression or an option names a rule that does not exist.",
    "unused-suppression": "A suppression that silences nothing would hide what comes later.",
    "stale-baseline": "The baseline knows findings that are gone; they could come back unseen.",
}


@lru_cache(maxsize=512)
def _file(topic: str, rule: str) -> Rule | None:
    from rocm_ci.scan.rule import decode  # noqa: PLC0415 - YAML, which other formats do not need

    path = registry.data_folder("rules") / "scan" / topic / f"{rule}.yaml"
    try:
        return decode(path.read_text(encoding="utf-8"), path.name)
    except (OSError, ConfigError):
        return None


def why(finding: Finding) -> str:
    """Why its rule exists, as Markdown; empty for a rule that is not ours."""
    if finding.rule in OWN:
        return OWN[finding.rule]
    # The name may come from a report, and must not lead to another file.
    found = _file(finding.topic.value, finding.rule) if _ID.match(finding.rule) else None
    return " ".join(found.why.split()) if found is not None else ""
