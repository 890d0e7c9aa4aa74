"""The ROCm installation: version files of both streams, hipconfig, hipcc.

Until 7.2 a release lives in `/opt/rocm-7.2.1` behind the link `/opt/rocm`; the new stream lives in
`/opt/rocm/core-10.0`. Leftovers of one beside the other are common, so the prefix in use is the
one that hipconfig (or ROCM_PATH, or the link) names, never the largest number.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rocm_ci.gpu.observation import Collector, Observation, Value
from rocm_ci.gpu.quantity import word
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

HIPCONFIG = Tool(
    name="hipconfig",
    commands=(("hipconfig",),),
    recognise=lambda t: bool(re.search(r"(?m)^==hipconfig|^== hipconfig|^HIP_PLATFORM\s*:", t)),
)
HIPCC = Tool(
    name="hipcc",
    # An arch keeps hipcc from asking the agent enumerator, which costs 0.1 s and may print a traceback.
    commands=(("hipcc", "--offload-arch=gfx90a", "--version"),),
    recognise=lambda t: bool(
        re.search(r"(?m)^HIP version\s*:", t) and re.search(r"(?m)clang version", t) and "hipconfig" not in t
    ),
)
_BARE = re.compile(r"\s*(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:-\d{1,8})?)\s*")
_HIP_ALONE = re.compile(r"\s*(\d{1,2}\.\d{1,2}\.\d{4,6}(?:-[\w.-]{1,40})?)\s*")
# `hipconfig --version` prints a bare number whose third part tells it from a release.
HIP_VERSION = Tool(
    name="hipconfig --version", commands=(), recognise=lambda t: bool(_HIP_ALONE.fullmatch(t[:100]))
)
# `dpkg -l`, `apt list`, `rpm -qa`: the package's version begins with the release, and ends with it packed.
_CORE = re.compile(
    r"\b(?:amd)?rocm-core(?:[-\t ,/:\w]{0,60}?[-\t ])(\d{1,3}\.\d{1,3}\.\d{1,3})(?:\.\d{5,8})?-\d"
)
CORE = Tool(name="packages of ROCm", commands=(), recognise=lambda t: bool(_CORE.search(t)))
VERSION_FILE = Tool(name="version file", commands=(), recognise=lambda t: bool(_BARE.fullmatch(t[:100])))


def collect(reader: Reader) -> Observation:
    """The prefix in use, its release, the HIP runtime's own version, the compilers."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        config, compiler = pool.map(reader.ask, (HIPCONFIG, HIPCC))
    values: dict[str, Value] = {}
    root: str | None = None
    for text in (o.text for o in config.outputs):
        root = root or _pair(text, "ROCM_PATH") or _pair(text, "HIP_PATH")
        _merge(
            values, {"hip": _hip(text), "hip_platform": _pair(text, "HIP_PLATFORM"), "clang": _clang(text)}
        )
    for text in (o.text for o in compiler.outputs):
        _merge(values, {"hipcc": _hip(text), "hip": _hip(text), "clang": _clang(text)})
        root = root or _installed_dir(text)
        if "Cuda compiler driver" in text:
            values["hip_platform"] = "nvidia"
    for text in (o.text for o in reader.ask(HIP_VERSION).outputs):
        alone = _HIP_ALONE.fullmatch(text[:100])
        _merge(values, {"hip": alone.group(1) if alone else None})
    installed = _installed(reader)
    used = _used(reader, root, installed)
    build = installed.get(used or "") or _loose(reader)
    # A recording seldom keeps that /opt/rocm is a link to what hipconfig names.
    linked = build is not None and used == "/opt/rocm" and root == f"/opt/rocm-{build.split('-')[0]}"
    _merge(values, {"root": root if linked else used or root})
    if build:
        _merge(values, {"build": build, "version": build.split("-")[0]})
    for output in (*config.outputs, *compiler.outputs):
        _merge(values, {"version": _tag(output.text)})
    for output in reader.ask(CORE).outputs:
        packaged = _CORE.search(output.text)
        _merge(values, {"version": packaged.group(1) if packaged else None})
    others = tuple(f"{path} {found}" for path, found in sorted(installed.items()) if path != used)[:16]
    problems = [p for p in (config.problem, compiler.problem) if p]
    return Observation(source="rocm", rocm=values, others=others, problem=_problem(root, values, problems))


def _merge(values: dict[str, Value], more: dict[str, str | None]) -> None:
    for key, value in more.items():
        if value is not None:
            values.setdefault(key, value)


def _pair(text: str, name: str) -> str | None:
    found = re.search(rf"(?m)^{name}\s*:[ \t]*(\S{{1,300}})[ \t]*$", text)
    return word(found.group(1)) if found else None


def _hip(text: str) -> str | None:
    found = re.search(r"(?m)^HIP version\s*:\s*(\d[\w.+-]{0,80})", text)
    return found.group(1) if found else None


def _clang(text: str) -> str | None:
    found = re.search(
        r"(?m)^\s*(?:\w+ )?(?:AMD )?clang version (\d[\w.+~-]{0,80})(?: \((?!http)([^)\n]{1,80})\))?", text
    )
    return " ".join(filter(None, found.groups())) if found else None


def _tag(text: str) -> str | None:
    """The release that AMD's compiler was built for: `roc-6.4.1` in its version line."""
    found = re.search(r"(?m)clang version [^\n]{0,200}\broc-(\d{1,3}\.\d{1,3}\.\d{1,3})\b", text)
    return found.group(1) if found else None


def _installed_dir(text: str) -> str | None:
    """The prefix behind `InstalledDir: /opt/rocm-6.4.1/lib/llvm/bin`."""
    found = re.search(r"(?m)^InstalledDir: (/\S{1,200}?)(?:/lib)?/llvm/bin$", text)
    return found.group(1) if found else None


def _installed(reader: Reader) -> dict[str, str]:
    """Prefix → what its version file says, links followed, so that each installation counts once."""
    candidates = ["/opt/rocm", reader.environment.get("ROCM_PATH", "")]
    candidates += [
        f"/opt/{name}" for name in reader.names("/opt") if re.fullmatch(r"rocm-[\w.-]{1,40}", name)
    ]
    candidates += [
        f"/opt/rocm/{name}"
        for name in reader.names("/opt/rocm")
        if re.fullmatch(r"core(?:-[\w.-]{1,40})?", name)
    ]
    found: dict[str, str] = {}
    for path in filter(None, candidates):
        text = reader.text(f"{path}/.info/version") or reader.text(f"{path}/.info/version-dev")
        match = _BARE.match(text or "")
        if match:
            found[reader.resolve(path)] = match.group(1)
    return found


def _used(reader: Reader, named: str | None, installed: dict[str, str]) -> str | None:
    for path in (named, reader.environment.get("ROCM_PATH"), "/opt/rocm/core", "/opt/rocm"):
        real = reader.resolve(path) if path else ""
        if real in installed:
            return real
    return next(iter(installed)) if len(installed) == 1 else None


def _loose(reader: Reader) -> str | None:
    """A recorded version file whose path nobody wrote down."""
    for output in reader.ask(VERSION_FILE).outputs:
        match = _BARE.fullmatch(output.text[:100])
        if match:
            return match.group(1)
    return None


def _problem(root: str | None, values: dict[str, Value], problems: list[str]) -> str:
    if "version" not in values and root:
        problems.append(
            f"no {root}/.info/version: a distribution's own packages carry no ROCm release number"
        )
    return "; ".join(problems)


COLLECTOR: Collector = Collector(name="rocm", collect=collect)
