"""All lanes in 64 bits: the constant, and the type of the name that holds it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_narrow import CAST, DECLARED, NARROW, WIDENED, edit, offset_of
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.repair import Fixer, Repair

if TYPE_CHECKING:
    from rocm_ci.model.edit import Edit
    from rocm_ci.scan.language import Match, Parsed

_ONES = re.compile(
    r"0[xX](?P<digits>[fF]{8})(?P<u>[uU]?)(?![\w.])|~\s*0[uU]?(?![\w.])|UINT(?:32)?_MAX\b|4294967295[uU]?(?![\w.])"
)
_ARGUMENT = re.compile(rf"_sync\s*\(\s*(?P<cast>{CAST})?\Z|__syncwarp\s*\(\s*(?P<cast2>{CAST})?\Z")
_MACRO = re.compile(r"#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]+\(?\s*\Z")
_CAST = re.compile(CAST)
_FARTHEST = 200


class LaneMask:
    """A constant in a call is safe to widen: CUDA's parameter of 32 bits takes its lower half, all lanes.

    A name is, when nothing but such calls uses it in its file.
    """

    name = "lane-mask"

    def repair(self, parsed: Parsed, match: Match) -> Repair | None:
        """See `Fixer`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return None
        at = offset_of(file, match)
        cast = _CAST.match(file.code, at)
        at = cast.end() if cast is not None else at
        ones = _ONES.match(file.code, at)
        if ones is None:
            return None
        before = file.code[max(0, at - _FARTHEST) : at]
        edits = [edit(file, at, ones.end(), _wide(ones))]
        unsafe = False
        argument = _ARGUMENT.search(before)
        if argument is not None:
            narrowing = argument["cast"] or argument["cast2"]
            if narrowing:
                edits.append(edit(file, at - len(narrowing), at, ""))
        else:
            name = _name(file, before, at, edits)
            if name is None:
                return None
            unsafe = not _is_only_a_mask(file.code, name, at) or _is_header(parsed.source.path)
        known = tuple(one for one in edits if one is not None)
        return Repair(known, unsafe=unsafe) if len(known) == len(edits) else None


def _name(file: CFile, before: str, at: int, edits: list[Edit | None]) -> str | None:
    """The name that gets the constant; its type is widened too."""
    macro = _MACRO.search(before)
    if macro is not None:
        return macro["name"]
    declared = DECLARED.search(before)
    if declared is None or declared["cast"]:
        return None
    if re.fullmatch(NARROW, declared["type"]):
        start = at - len(before) + declared.start("type")
        edits.append(edit(file, start, start + len(declared["type"]), WIDENED))
    return declared["name"]


def _is_header(path: str) -> bool:
    """Whether other files may use what is declared here."""
    return path.endswith((".h", ".hpp", ".hh", ".hxx", ".cuh", ".inl", ".inc"))


def _is_only_a_mask(code: str, name: str, at: int) -> bool:
    uses = list(re.finditer(rf"\b{re.escape(name)}\b", code))
    later = [found for found in uses if found.start() > at]
    masks = [f for f in later if _ARGUMENT.search(code, max(0, f.start() - 80), f.start())]
    return bool(later) and len(masks) == len(later) and len(uses) == len(later) + 1


def _wide(ones: re.Match[str]) -> str:
    digits = ones["digits"]
    if digits:
        return f"{ones[0][:2]}{digits * 2}{'ULL' if ones['u'] == 'U' else 'ull'}"
    return "~0ull" if ones[0].startswith("~") else "0xffffffffffffffffull"


FIXER: Fixer = LaneMask()
