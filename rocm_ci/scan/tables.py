"""Lists of names under `rules/tables`, and what a line of them says about a name.

One name a line, then its replacement (`-` for none) and facts as `key=value`; `#` starts a comment. The
comment `# needles: …` holds the beginnings of all names: a scan reads no further unless one of them occurs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rocm_ci import registry
from rocm_ci.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

_NEEDLES = "# needles: "
_HEAD = 5  # lines at most before the names
_MANY = 500  # names, above which only their first letters serve as needles
_PREFIX = 6
_HINTS = "hints"
_UNRELEASED = ">"
_NOBODY = "-"


class Tables(Mapping[str, Mapping[str, str]]):
    """Lists of names by file name, read when first asked for."""

    def __init__(self, folder: Path | None = None) -> None:
        self.are_shipped = folder is None
        self._folder = folder or registry.data_folder("rules") / "tables"
        self._read: dict[str, Mapping[str, str]] = {}

    def __getitem__(self, name: str) -> Mapping[str, str]:
        """Name → the rest of its line (empty when there is none)."""
        if name not in self._read:
            lines = (line.partition(" ") for line in self._text(name).splitlines() if line and line[0] != "#")
            self._read[name] = {word: rest for word, _, rest in lines}
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return (path.stem for path in sorted(self._folder.glob("*.txt")))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def needles(self, name: str) -> Collection[str]:
        """Strings of which every name of a list has one."""
        if name not in self._read:
            try:
                with (self._folder / f"{name}.txt").open(encoding="utf-8") as file:
                    for _, line in zip(range(_HEAD), file, strict=False):
                        if line.startswith(_NEEDLES):
                            return line[len(_NEEDLES) :].split()
            except OSError:
                pass  # the same question to the whole list says what is wrong
        names = self[name]
        return names if len(names) < _MANY else {one[:_PREFIX] for one in names}

    def advice(self, facts: Mapping[str, str]) -> str | None:
        """What the facts of a line mean for whoever repairs the place: half sentences, or nothing."""
        parts = []
        if roc := facts.get("roc"):
            parts.append(f"ROCm has `{roc}` for it")
        if hint := self[_HINTS].get(facts["hint"]) if "hint" in facts else None:
            parts.append(hint)
        since = facts.get("since", "")
        if since.startswith(_UNRELEASED):
            parts.append(f"only releases of HIP after {since[1:]} have it")
        elif since:
            parts.append(f"HIP has it from release {since} on")
        if removed := facts.get("removed"):
            parts.append(f"NVIDIA has removed it in release {removed}")
        elif deprecated := facts.get("deprecated"):
            parts.append(f"NVIDIA calls it deprecated since release {deprecated}")
        return "; ".join(parts) or None

    def _text(self, name: str) -> str:
        try:
            return (self._folder / f"{name}.txt").read_text(encoding="utf-8")
        except OSError as error:
            message = f"there is no table {name!r} in rules/tables"
            raise ConfigError(message, hint="check `table` in the rule files") from error


def parts(rest: str) -> tuple[str, Mapping[str, str]]:
    """The replacement (empty for none) and the facts in the rest of a line."""
    if not rest:
        return "", {}
    replacement, *facts = rest.split()
    pairs = (fact.partition("=") for fact in facts)
    return "" if replacement == "-" else replacement, {key: value for key, _, value in pairs}


def renamers(facts: Mapping[str, str], otherwise: tuple[str, ...]) -> tuple[str, ...]:
    """Which translators make the HIP name of a name: what its line says (`by=hipify`, `by=-` for none)."""
    said = facts.get("by")
    return otherwise if said is None else tuple(said.split(",")) if said != _NOBODY else ()
