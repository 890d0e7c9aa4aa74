"""The generated script `hipify-perl` as rows: poorer than the tables, but a package to install.

It has no libraries, no kinds and no first releases; of names without HIP it has only the list.
"""

from __future__ import annotations

import re

from tools.api_table.row import Row

_SUB = re.compile(r"^sub (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_SUBST = re.compile(r'^\s*subst\("([^"]+)",\s*"([^"]*)"', re.MULTILINE)
_LIST = re.compile(r"^@(\w+) = \(\n(.*?)^\);", re.MULTILINE | re.DOTALL)
_HASH = re.compile(r"^my %(\w+) = \(\n(.*?)^\);", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r'"([^"]+)"')
_PAIR = re.compile(r'"([^"]+)" => "([^"]*)"')
# What the script writes for HIP is one function, what it writes with -roc and -miopen are others.
_HIP = ("simpleSubstitutions", "experimentalSubstitutions")
_ROC = ("rocSubstitutions", "MIOpenSubstitutions")
_NO_HIP = ("HipOnlyUnsupportedFunctions", "HipDNNOnlyUnsupportedFunctions", "UnsupportedDeviceFunctions",
           "UnsupportedDeviceDataTypes")  # fmt: skip
COLUMNS = ("hip", "cuda_deprecated", "cuda_removed")


def is_script(text: str) -> bool:
    """Whether a text is the script."""
    return text.startswith("#!/usr/bin/") and "sub simpleSubstitutions" in text


def rows(text: str) -> dict[str, Row]:
    """Every name of the script, with the `COLUMNS` that it knows.

    Of device names that it calls supported it has no translation; here they translate to themselves.
    """
    subs = dict(_SUB.findall(text))
    hip = _pairs(subs, _HIP)
    roc = _pairs(subs, _ROC)
    lists = {name: _WORD.findall(body) for name, body in _LIST.findall(text)}
    hashes = {name: dict(_PAIR.findall(body)) for name, body in _HASH.findall(text)}
    names = set(hip).union(*(lists.get(name, ()) for name in _NO_HIP))
    same = {*lists.get("SupportedDeviceFunctions", ()), *lists.get("SupportedDeviceDataTypes", ())}
    deprecated, removed = hashes.get("deprecated_funcs", {}), hashes.get("removed_funcs", {})
    return {
        name: Row(
            name=name,
            hip=hip.get(name, name if name in same else ""),
            roc=roc.get(name, ""),
            cuda_deprecated=deprecated.get(name, ""),
            cuda_removed=removed.get(name, ""),
            source="hipify",
        )
        for name in names | same
    }


def _pairs(subs: dict[str, str], wanted: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in wanted:
        for cuda, other in _SUBST.findall(subs.get(name, "")):
            found.setdefault(_plain(cuda), _plain(other))
    return found


def _plain(name: str) -> str:
    return name.replace("\\", "")
