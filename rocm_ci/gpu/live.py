"""The machine we run on, as a `Reader`: its tools through a `Runner`, its /sys, /proc and /opt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.gpu.reader import MAX_FILE, MAX_TEXT, Answer, Output, Tool, clean, complaint
from rocm_ci.tools.process import NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.tools.process import Captured, Runner

_MAX_NAMES = 8192


class LiveReader:
    """See `Reader`. `root` is `/`, or a tree that stands in for it (`--sysroot`)."""

    def __init__(self, run: Runner, environment: Mapping[str, str], *, root: Path = Path("/")) -> None:
        self._run = run
        self._root = root
        # Without it hipcc and hipconfig choose the NVIDIA platform wherever nvcc is installed.
        self.environment: Mapping[str, str] = {**environment, "HIP_PLATFORM": "amd", "LC_ALL": "C.UTF-8"}
        self._hung: set[str] = set()
        self._child = {**self.environment, "PATH": self._search_path()}

    def ask(self, tool: Tool) -> Answer:
        """Run each command with the tool's timeout; stop at the first that is not installed."""
        if tool.recorded and self._root != Path("/"):
            return self._recorded(tool)
        outputs: list[Output] = []
        problems: list[str] = []
        for argv in tool.commands:
            if argv[0] in self._hung:
                # Facts and the doctor ask the same program for different things: once is enough to wait.
                problems.append(f"{argv[0]} hung when it was asked before")
                break
            done = self._run.capture(argv, env=self._child, timeout_s=tool.timeout_s, limit=MAX_TEXT)
            problem = _problem(tool, done)
            if problem and problem not in problems:
                problems.append(problem)
            if done.timed_out:
                self._hung.add(argv[0])
            if done.exit_code == NOT_FOUND or done.timed_out:
                break
            outputs.append(
                Output(
                    text=clean(done.text[:MAX_TEXT]),
                    error=clean(done.error_text[:MAX_FILE]),
                    exit_code=done.exit_code,
                    argv=argv,
                )
            )
        return Answer(outputs=tuple(outputs), problem="; ".join(problems))

    def text(self, path: str) -> str | None:
        """See `Reader.text`. Device files are never opened: only /sys, /proc, /etc, /opt, /usr."""
        try:
            with self._at(path).open("rb") as file:
                return clean(file.read(MAX_FILE).decode("utf-8", "replace"))
        except OSError:
            return None

    def names(self, path: str) -> tuple[str, ...]:
        """See `Reader.names`."""
        try:
            found = sorted(entry.name for entry in self._at(path).iterdir())
        except OSError:
            return ()
        return tuple(found[:_MAX_NAMES])

    def resolve(self, path: str) -> str:
        """See `Reader.resolve`."""
        try:
            real = self._at(path).resolve()
            return "/" + str(real.relative_to(self._root.resolve())).removeprefix(".")
        except (OSError, ValueError, RuntimeError):
            return path

    def _recorded(self, tool: Tool) -> Answer:
        found = next((text for path in tool.recorded if (text := self.text(path)) is not None), None)
        if found is None:
            return Answer(problem=f"no {tool.name} output lies in the tree that stands in for this machine")
        return Answer(outputs=(Output(text=found),))

    def _at(self, path: str) -> Path:
        return self._root / path.lstrip("/")

    def _search_path(self) -> str:
        """PATH, then the places where ROCm puts its tools: many images leave them off PATH."""
        root = self.environment.get("ROCM_PATH", "")
        more = [f"{root}/bin" if root else "", "/opt/rocm/bin", "/opt/rocm/core/bin", "/usr/sbin", "/sbin"]
        known = self.environment.get("PATH", "/usr/local/bin:/usr/bin:/bin").split(":")
        return ":".join([*known, *(p for p in more if p and p not in known)])


def live_reader(run: Runner, environment: Mapping[str, str], *, root: Path = Path("/")) -> LiveReader:
    """A reader of this machine. `environment` is what its tools are run with.

    With another `root` its files are read from a copied or made-up tree; the tools stay those on PATH.
    """
    return LiveReader(run, environment, root=root)


def _problem(tool: Tool, done: Captured) -> str:
    if done.exit_code == NOT_FOUND:
        text = done.error_text
        return f"{tool.name} is not installed" if not text or "No such file" in text else text[:200]
    if done.timed_out:
        return f"{tool.name} did not answer within {tool.timeout_s:g} s"
    if done.truncated:
        return f"{tool.name} printed more than {MAX_TEXT // 1_000_000} MB and was ended"
    if done.exit_code != 0 or not done.stdout.strip():
        # Standard output first: rocminfo's own word stands there, its libraries' noise beside it.
        said = complaint(clean(done.text[:MAX_FILE])) or complaint(clean(done.error_text[:MAX_FILE]))
        code = f"exit code {done.exit_code}" if done.exit_code else "no output"
        return f"{tool.name}: {said or code}"
    return ""
