"""A folder of recorded tool output and copied system files, as a `Reader`.

Tool output may lie under any name: it is recognised by its shape. A recorded `sys/` (`proc/`,
`etc/`, `opt/`) tree is found at any depth; a terminal transcript (`$ cat /path` and what followed)
is taken apart into the files and outputs it holds.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.gpu.framing import without_margin
from rocm_ci.gpu.reader import MAX_FILE, MAX_TEXT, Answer, Output, Tool, clean, complaint
from rocm_ci.gpu.transcript import sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TREES = ("sys", "proc", "etc", "opt", "usr", "run", "dev")
_MAX_FILES = 400
_MAX_FOLDERS = 4000
# Of a recorded environment only what the collectors ask about: the rest may hold secrets.
_VARIABLES = re.compile(
    r"(?m)^(?:export )?(ROCM_PATH|HIP_PATH|HIP_PLATFORM|HSA_OVERRIDE_GFX_VERSION|GPU_DEVICE_ORDINAL|"
    r"KUBE_CPU_REQUEST|KUBERNETES_SERVICE_HOST|ROCM_CI_IMAGE|container|(?:HIP|ROCR|CUDA)_VISIBLE_DEVICES)=[\"']?([^\"'\n]{0,300})[\"']?$"
)
# A folder of KFD nodes is often copied alone; this is where it belongs.
_NODES = "/sys/class/kfd/kfd/topology/nodes"
_GREP = re.compile(
    r"(?m)^(/(?:sys|proc|etc|opt|run)/[^\s:]{1,300}(?::[^\s:/]{2,4}:[^\s:/]{2}\.\d[^\s:]{0,200})?):(.*)$"
)
_PROPERTIES = re.compile(r"(?m)^(?:simd_count|gfx_target_version) \d+$")
_MAX_NODES = 1100
_MAX_LINES = 200_000


class ReplayReader:
    """See `Reader`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        environment: dict[str, str] = {}
        self.environment: Mapping[str, str] = environment
        self._mounts: list[tuple[str, Path]] = []
        self._files: dict[str, str] = {}
        self._links: dict[str, str] = {}
        self._outputs: list[Output] = []
        for path in self._survey():
            self._take(path)
        for output in self._outputs:
            environment |= dict(_VARIABLES.findall(output.text[:MAX_FILE]))

    def ask(self, tool: Tool) -> Answer:
        """Every recorded output that looks like this tool's, whatever its file is called."""
        found = tuple(o for o in self._outputs if _asked(o, tool.name) or tool.recognise(o.text))
        if not found:
            return Answer(problem=f"no {tool.name} output was recorded")
        said = [complaint(o.text) for o in found]
        failed = all(re.search(r"\berror|not loaded|unable", line, re.IGNORECASE) for line in said)
        return Answer(outputs=found, problem=f"{tool.name}: {said[0]}" if failed else "")

    def text(self, path: str) -> str | None:
        """See `Reader.text`."""
        if path in self._files:
            return self._files[path]
        for real in self._real(path):
            if real.is_file() and self._inside(real):
                text = _read(real, MAX_FILE)
                return None if text is None else clean(text)
        return None

    def names(self, path: str) -> tuple[str, ...]:
        """See `Reader.names`."""
        prefix = path.rstrip("/") + "/"
        known = [*self._files, *self._links]
        found = {f.removeprefix(prefix).split("/")[0] for f in known if f.startswith(prefix)}
        for real in self._real(path):
            if real.is_dir() and self._inside(real):
                found |= {entry.name for entry in os.scandir(real)}
        return tuple(sorted(found - {""}))

    def resolve(self, path: str) -> str:
        """See `Reader.resolve`: only links that a transcript shows are known."""
        return self._links.get(path, path)

    def _real(self, path: str) -> Iterator[Path]:
        for at, folder in self._mounts:
            if path == at or path.startswith(at + "/"):
                yield folder / path.removeprefix(at).lstrip("/")

    def _inside(self, real: Path) -> bool:
        # A recording may come from anyone: its links must not lead out of it.
        try:
            return real.resolve().is_relative_to(self._folder.resolve())
        except (OSError, RuntimeError):
            return False

    def _survey(self) -> list[Path]:
        """Mount the system trees and list the loose files, with bounds on both."""
        loose: list[Path] = []
        queue, seen = [self._folder], 0
        while queue and seen < _MAX_FOLDERS:
            folder = queue.pop(0)
            seen += 1
            try:
                entries = sorted(os.scandir(folder), key=lambda e: e.name)
            except OSError:
                continue
            for entry in entries:
                path = Path(entry.path)
                if entry.is_dir(follow_symlinks=False):
                    if not self._mount(path):
                        queue.append(path)
                elif entry.is_file(follow_symlinks=False) and len(loose) < _MAX_FILES:
                    loose.append(path)
        return loose

    def _mount(self, path: Path) -> bool:
        if path.name in _TREES:
            self._mounts.append(("/" + path.name, path))
            return True
        if path.name == "nodes" and any((path / str(n) / "properties").is_file() for n in range(256)):
            self._mounts.append((_NODES, path))
            return True
        return False

    def _take(self, path: Path) -> None:
        text = without_margin(clean(_read(path, MAX_TEXT) or ""))
        if not text.strip() or self._take_listed(text):
            return
        parts = list(sections(text))
        if not parts and not self._take_nodes(path.name, text):
            self._outputs.append(Output(text=text))
        for command, body in parts:
            self._take_section(command, body)

    def _take_listed(self, text: str) -> bool:
        """`grep . /sys/…` prints path and content on one line."""
        listed = _GREP.findall(text)
        if not listed or len(listed) * 2 <= text.count("\n"):
            return False
        for where, line in listed[:_MAX_LINES]:
            self._files[where] = f"{self._files.get(where, '')}{line}\n"
        return True

    def _take_nodes(self, name: str, text: str) -> bool:
        """Properties of a node under any name, or of several behind each other."""
        if not _PROPERTIES.search(text):
            return False
        nodes = re.split(r"(?m)^(?=cpu_cores_count \d)", text)
        nodes = [node for node in nodes if _PROPERTIES.search(node)]
        told = re.findall(r"\d{1,4}", name) if len(nodes) == 1 else []
        for node in nodes[:_MAX_NODES]:
            number = int(told[0]) if told else 0
            while f"{_NODES}/{number}/properties" in self._files:
                number += 1
            self._files[f"{_NODES}/{number}/properties"] = node
        return True

    def _take_section(self, command: str, body: str) -> None:
        words = command.removeprefix("sudo ").split() or [""]
        paths = [w for w in words[1:] if w.startswith("/")]
        printed = words[0] in ("cat", "head", "tail")
        if printed and any("*" in path for path in paths):
            if not self._take_nodes("", body):
                self._outputs.append(Output(text=body, argv=tuple(words)))
        elif printed and len(paths) == 1:
            # `cat: /opt/x: No such file or directory`, in any language.
            if not body.startswith((f"{words[0]}: {paths[0]}: ", f"{words[0]}: '{paths[0]}'")):
                self._files[paths[0]] = body
        elif printed and len(paths) > 1 and len(lines := body.split("\n")[:-1]) == len(paths):
            self._files |= {path: line + "\n" for path, line in zip(paths, lines, strict=True)}
        elif words[0] == "readlink" and len(paths) == 1 and body.strip().startswith("/"):
            self._links[paths[0]] = body.strip().splitlines()[0]
        elif words[0] == "ls" and len(paths) == 1:
            for name in re.findall(r"(?m)^(?:[-dlrwx].*\s)?([\w.+-]+)(?: ->.*)?$", body):
                self._files.setdefault(f"{paths[0].rstrip('/')}/{name}/", "")
        elif not self._take_listed(body):
            self._outputs.append(Output(text=body, argv=tuple(w for w in words if w)))


def _asked(output: Output, name: str) -> bool:
    """Whether a transcript says that this program was run, whatever it printed."""
    return bool(output.argv) and output.argv[0].rsplit("/", 1)[-1] == name


def _read(path: Path, limit: int) -> str | None:
    try:
        with path.open("rb") as file:
            data = file.read(limit)
    except OSError:
        return None
    # Output redirected by PowerShell or `script` on another system comes in UTF-16.
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return data.decode(encoding, "replace")
