"""What of one simple shell command is handed out, and what a script teaches about its variables."""

from __future__ import annotations

import re
from itertools import pairwise

from rocm_ci.scan import pip_torch, vendor
from rocm_ci.scan.outcome import Outcome, presence
from rocm_ci.scan.shell_lexer import Places, Token, unquoted
from rocm_ci.scan.source import Guard, Region, RegionKind

Context = tuple[str, ...]

_ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)(?:\[[^]]*\])?\+?=")
_DECLARES = frozenset({"export", "declare", "local", "readonly", "typeset", "env", "setenv"})
_WRAPPERS = frozenset({
    "sudo", "time", "exec", "nohup", "nice", "env", "command", "builtin", "timeout", "watch", "xargs",
    "srun", "mpirun", "mpiexec", "numactl", "taskset", "stdbuf", "eval", "then", "do", "!", "retry",
    "torchrun", "conda",
})  # fmt: skip
_WRAPPER_VALUE = re.compile(r"^[\d.]+[smhd]?$|^-|^\w+=")
_MESSAGES = frozenset({
    "echo", "printf", "log", "info", "warn", "warning", "error", "err", "die", "fatal", "usage", "say",
    "note", "fail", "abort", "log_info", "log_error", "log_warn", "print", "debug", "msg", "panic",
    "section", "title", "step",
})  # fmt: skip
INSTALLS = frozenset(
    {"install", "add", "create", "sync", "download", "wheel", "-S", "localinstall", "update"}
)
_PROBES = frozenset({"[", "[[", "test", "command", "which", "type", "hash", "grep", "egrep"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
# A constant image of NVIDIA in a script that chooses a version of CUDA as well: it is about nothing else.
_NVIDIA_IMAGE = re.compile(r"[\"']?(?:docker\.io/)?(?:nvidia/|nvcr\.io/)")
_CUDA_SCRIPT = re.compile(r"(?m)^[ \t]*(?:export[ \t]+)?\w*CUDA_VERSION=|--build-arg[ =]\"?CUDA_VERSION=")
# A default for one toolkit beside one for the other: the script serves both.
_SELF_DEFAULT = re.compile(r"^\"?\$\{(?:CUDA|CUDNN|NVCC)\w*:?[-=]")
_AMD_DEFAULT = re.compile(
    r"\b(?:ROCM|HIP)_(?:PATH|HOME|ROOT|DIR)\b:?=|\$\{(?:ROCM|HIP)_(?:PATH|HOME|ROOT|DIR):?[-=]"
)
_STARTS = frozenset({
    "docker", "podman", "nerdctl", "kubectl", "oc", "singularity", "apptainer", "ssh", "enroot", "flux",
    "docker-compose",
})  # fmt: skip
_LOOKUP = re.compile(r"(?:command -v|which|type -[pP]|hash)\s+([\w./-]+)")
_FUNCTION = re.compile(r"(?m)^[ \t]*(?:function[ \t]+([\w-]+)|([\w-]+)[ \t]*\(\))")


class Script:
    """The text being read, the regions found so far, and what is known of its names."""

    def __init__(self, text: str, places: Places) -> None:
        self.text = text
        self.regions: list[Region] = []
        self.known: dict[str, Outcome] = {}  # variables that hold the answer to a lookup
        self.depth = 0
        self._places = places
        self._functions = {m[1] or m[2] for m in _FUNCTION.finditer(text)}

    def emit(self, kind: RegionKind, start: int, end: int, guard: Guard, context: Context) -> None:
        """One region per line that a stretch covers."""
        position = start
        while position < end:
            stop = self.text.find("\n", position, end)
            stop = end if stop < 0 else stop
            piece = self.text[position:stop]
            stripped = piece.strip(" \t\\")
            if stripped:
                line, column = self._places.of(position + piece.index(stripped[0]))
                self.regions.append(Region(kind, stripped, line, column, guard, context))
            position = stop + 1

    def function_guard(self, name: str) -> Guard:
        """A function named after NVIDIA, with one for AMD beside it."""
        if vendor.of(name) is Guard.NVIDIA and any(vendor.of(f) is Guard.AMD for f in self._functions):
            return Guard.NVIDIA
        return Guard.NONE


class Command:
    """One simple command: what of it is handed out."""

    def __init__(
        self, script: Script, words: list[Token], guard: Guard, context: Context, *, writes: bool
    ) -> None:
        self._script = script
        self._words = words
        self._guard = guard
        self._context = context
        self._writes = writes
        self.inner = context  # of the scripts in it; `elsewhere`: in a container, on another machine

    def emit(self) -> list[tuple[int, int]]:
        """Hand it out; returns the stretches of quoted text that are scripts themselves (`bash -c "…"`)."""
        words = self._assignments(self._words)
        if words and unquoted(words[0].text) in _DECLARES:
            self._context = (*self._context, "export")
            rest = self._assignments([w for w in words[1:] if not w.text.startswith("-")])
            words = rest if words[0].text in ("env", "setenv") else []
        words = self._unwrapped(words)
        if not words:
            return []
        name = unquoted(words[0].text).rsplit("/", 1)[-1]
        if name in _MESSAGES and not self._writes:
            return []
        guard = self._guard
        if name in _PROBES and guard is Guard.NONE:
            guard = Guard.EITHER
        # What `echo` writes to a file is read by somebody: `echo /usr/local/cuda/bin >> "$GITHUB_PATH"`.
        context = (*self._context, "writes" if name in _MESSAGES else f"command:{name}")
        if any(w.text in INSTALLS for w in words[1:6]):
            context = (*context, "installs")
            if pip_torch.replaces([w.text for w in words], context):
                context = (*context, pip_torch.REPLACES)
        self._script.emit(RegionKind.CODE, words[0].start, words[-1].end, guard, context)
        if name == "trap":
            return [(w.start + 1, w.end - 1) for w in words[1:2] if w.text[:1] in "\"'"]
        if name in _SHELLS:
            return _inline_scripts(words)
        self.inner = (*self.inner, "elsewhere")
        return _started_scripts(words) if name in _STARTS else []

    def _assignments(self, words: list[Token]) -> list[Token]:
        """Hand out leading assignments; returns what follows them."""
        for index, word in enumerate(words):
            found = _ASSIGNMENT.match(word.text)
            if found is None:
                return words[index:]
            context = (*self._context, f"assign:{found[1]}")
            start = word.start + found.end()
            if _SELF_DEFAULT.match(word.text[found.end() :]) and _AMD_DEFAULT.search(self._script.text):
                context = (*context, "twin")
            if _NVIDIA_IMAGE.match(word.text[found.end() :]) and _CUDA_SCRIPT.search(self._script.text):
                context = (*context, "fixed")
            self._script.emit(RegionKind.KEY, word.start, word.start + len(found[1]), self._guard, context)
            self._script.emit(RegionKind.VALUE, start, word.end, self._guard, context)
            if lookup := _LOOKUP.search(word.text):
                self._script.known[found[1]] = presence([lookup[1]])
        return []

    def _unwrapped(self, words: list[Token]) -> list[Token]:
        """The command that `sudo -E`, `timeout 10`, `srun -N1` and the like start."""
        while len(words) > 1 and unquoted(words[0].text) in _WRAPPERS:
            rest = words[1:]
            if words[0].text == "command" and rest[0].text in ("-v", "-V"):
                break
            while len(rest) > 1 and _WRAPPER_VALUE.match(rest[0].text):
                rest = rest[1:]
            if unquoted(words[0].text) == "conda" and rest[0].text != "run":
                break
            words = rest
        return words


def _started_scripts(words: list[Token]) -> list[tuple[int, int]]:
    """`docker run IMAGE bash -c "…"`, unless the image is one of NVIDIA: that alone is told."""
    shells = [i for i, w in enumerate(words[1:], 1) if unquoted(w.text).rsplit("/", 1)[-1] in _SHELLS]
    if not shells or any("/" in w.text and vendor.of(w.text) is Guard.NVIDIA for w in words[: shells[0]]):
        return []
    return _inline_scripts(words[shells[0] :])


def _inline_scripts(words: list[Token]) -> list[tuple[int, int]]:
    return [
        (word.start + 1, word.end - 1)
        for option, word in pairwise(words[1:])
        if option.text.startswith("-") and option.text.endswith("c") and word.text[:1] in "\"'"
    ]
