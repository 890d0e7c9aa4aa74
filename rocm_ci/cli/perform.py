"""The whole pipeline from the request to the report, for `run`, `demo` and `perf run`. Holds no token."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci import event as events
from rocm_ci import pipeline, plan, registry, sinks
from rocm_ci.cli import checkout, masking, wiring
from rocm_ci.config import load as config
from rocm_ci.context import Context, Job
from rocm_ci.errors import (
    ConfigError,
    EventError,
    InterruptedRunError,
    MachineError,
    ReportError,
    UsageError,
)
from rocm_ci.github import commands
from rocm_ci.gpu.collect import collect, live_reader
from rocm_ci.gpu.pool import Pool
from rocm_ci.log import printable
from rocm_ci.model.facts import Facts
from rocm_ci.model.times import Times
from rocm_ci.model.verdict import Verdict, exit_code
from rocm_ci.report import codec
from rocm_ci.report.headline import headline
from rocm_ci.report.mask import masked
from rocm_ci.schedule import part, times
from rocm_ci.sinks import artifact, junit, sarif
from rocm_ci.sinks.base import Destination, Sink, emit_all
from rocm_ci.stages import kernels
from rocm_ci.tools import file
from rocm_ci.tools.git import Git
from rocm_ci.tools.process import ProcessRunner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.cli.checkout import Located
    from rocm_ci.config.load import Loaded
    from rocm_ci.log import Log
    from rocm_ci.model.report import Report

_OUR_FILES = (codec.FILE_NAME, artifact.COMMENT_NAME, junit.FILE_NAME, sarif.FILE_NAME, kernels.LIST)
_OUR_FOLDERS = ("logs", "junit", "perf")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the user asked for. `suite`, `bench` and `shard` narrow the run down, as those of an `Event` do.

    `times` is a report of an earlier run, for how long things took.
    """

    root: Path
    output: Path
    config: Path | None = None
    base: str | None = None
    local: bool = False
    suite: str | None = None
    bench: str | None = None
    shard: str | None = None
    times: Path | None = None


def exit_code_of(report: Report) -> int:
    """The process exit code of a report, with the configuration's word on what is undecided."""
    if report.interrupted:
        return 130
    strict = any(s.name == "inconclusive" and s.value == "fail" for s in report.settings)
    return exit_code(report.verdict, fail_on_inconclusive=strict)


def perform(request: Request, env: dict[str, str], log: Log, *, quiet: bool = False) -> Report:
    """Run the pipeline and show the report through every sink that needs no token."""
    run = ProcessRunner()
    known = _times(request.times)
    git = Git(run, request.root, env)
    root = git.top()
    git = Git(run, root, env)
    output = Path(os.path.abspath(request.root / request.output))  # noqa: PTH100 - links must be seen
    file.output_folder(output, root, files=_OUR_FILES, folders=_OUR_FOLDERS)
    located, loaded = read(git, request, env)
    log.info(f"rocm-ci: {located.event.kind.value}, {len(located.changes.files)} file(s) changed")
    for setting in loaded.settings:
        log.info(f"  {setting.name} = {setting.value}  ({setting.source})")
    veil = masking.mask(env) if loaded.config.mask else None
    log.mask = veil
    interrupted = False
    child, host, state = wiring.child_environment(env), wiring.sysroot(env), wiring.state_folder(env)
    try:
        facts = collect(live_reader(run, child, root=host))
    except InterruptedRunError:
        facts, interrupted = Facts(), True
    clock = wiring.SystemClock()
    with (
        _scratch(git) as work,
        contextlib.closing(
            Pool(
                facts,
                child,
                run=run,
                clock=clock,
                state=state,
                host=host,
                log=log,
                owner=wiring.run_name(env),
            )
        ) as pool,
    ):
        context = Context(
            run=ProcessRunner(veil, keeps_cores=env.get("ROCM_CI_CORES") == "keep"),
            log=log,
            clock=clock,
            gpus=pool,
            root=root,
            out=output,
            work=work,
            state=state,
            environment=child,
            host=host,
        )
        job = Job(
            event=located.event,
            config=loaded.config,
            changes=located.changes,
            facts=facts,
            plan=plan.plan(located.event, loaded.config, located.changes, facts),
            done={},
            config_path=(request.config or Path(config.PATH)).as_posix(),
            times=known,
        )
        report = pipeline.run(
            context,
            job,
            settings=loaded.settings,
            notices=(*located.notices, *loaded.notices),
            interrupted=interrupted,
        )
    with wiring.undisturbed():
        if veil is not None:
            report = masked(report, hosts=masking.hosts(env), secrets=masking.secrets(env))
            masking.result_files(output, veil)
        _emit(report, output, env, log, quiet=quiet)
    if report.verdict is Verdict.INCONCLUSIVE and not exit_code_of(report):
        # The exit code is green, so that something else must be seen.
        log.warning(f"{headline(report).in_words}. With `inconclusive: fail` this would block.")
    return report


def read(git: Git, request: Request, env: dict[str, str]) -> tuple[Located, Loaded]:
    """What changed, and the configuration. `git` is at the top of the checkout. Runs nothing of the change.

    Raises `UsageError` for a suite or benchmark that is not there.
    """
    located = _located(git, request, env)
    loaded = _config(git, request, env, located)
    if request.suite or request.bench:
        event = replace(located.event, suite=request.suite or None, bench=request.bench or None)
        lack = plan.unknown(event, loaded.config)
        if lack:
            raise UsageError(printable(lack), hint="name one as the configuration does, or `*` for all")
        located = dataclasses.replace(located, event=event)
    if request.shard:
        event = replace(located.event, shard=str(part.parsed(request.shard)))
        located = dataclasses.replace(located, event=event)
    return located, loaded


def _times(path: Path | None) -> Times:
    """What an earlier report tells of durations. Raises `UsageError` for a file that is no report."""
    if path is None:
        return Times()
    try:
        return times.of_report(codec.decode(wiring.read_bytes(path, "the report with the times")))
    except ReportError as error:
        message = f"--times {printable(str(path))}: {error}"
        raise UsageError(message, hint="name the report.json of an earlier run") from error


def _located(git: Git, request: Request, env: dict[str, str]) -> Located:
    if request.local or "GITHUB_EVENT_NAME" not in env:
        return checkout.local(git, request.base)
    where = env.get("GITHUB_EVENT_PATH")
    if not where:
        message = f"the event {env['GITHUB_EVENT_NAME']!r} has no file: GITHUB_EVENT_PATH is not set"
        raise EventError(message, hint="run it in GitHub Actions, or use --local --base REF")
    payload = wiring.read_bytes(Path(where), "the event file")
    deepen = env.get(config.variable("deepen"), "").lower() in ("true", "1", "yes", "on")
    event = events.parse(env, payload)
    if request.base is not None:
        event = replace(event, base=git.commit(request.base), base_ref=request.base)
    return checkout.locate(git, event, deepen=deepen)


def _config(git: Git, request: Request, env: dict[str, str], located: Located) -> Loaded:
    """The configuration, its gates from the merge base when the head is a stranger's fork."""
    path = request.config or Path(config.PATH)
    full = Path(os.path.abspath(git.root / path))  # noqa: PTH100 - a link must not be followed here
    if not full.is_relative_to(git.root):
        # The operator's own file: nothing of it comes from the change.
        own = _text(wiring.read_bytes(full, "the configuration", limit=config.MAX_BYTES), str(full))
        return config.load(own, env, path=str(full))
    shown = full.relative_to(git.root).as_posix()
    text = None
    if _is_there(full, git.root, shown) or request.config is not None:
        text = _text(wiring.read_bytes(full, "the configuration", limit=config.MAX_BYTES), shown)
    base_text = None
    if located.event.merge_base:
        raw = git.show(located.event.merge_base, shown)
        base_text = None if raw is None else _text(raw, f"{shown} at the merge base")
    return config.load(text, env, path=shown, base_text=base_text, trusted=not located.event.is_fork)


def _is_there(path: Path, root: Path, shown: str) -> bool:
    """Whether the checkout has the file. The change chose it: a link could lead anywhere, a pipe hang us."""
    link = next((p for p in (path, *path.parents) if p.is_relative_to(root) and p.is_symlink()), None)
    if link is not None and link != root:
        message = f"{shown}: {link.relative_to(root).as_posix()} is a symbolic link, which is not followed"
        raise ConfigError(message, hint="put the configuration itself there")
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "no regular file"
        raise ConfigError(f"{shown} is {kind}", hint="put the configuration there as a text file")
    return path.is_file()


def _text(raw: bytes, path: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        message = f"{path}:{line}: not valid UTF-8"
        raise ConfigError(message, hint="save the file as UTF-8 text") from error


@contextmanager
def _scratch(git: Git) -> Iterator[Path]:
    """A folder for worktrees and base builds, gone afterwards; git forgets its worktrees too."""
    with tempfile.TemporaryDirectory(prefix="rocm-ci-", ignore_cleanup_errors=True) as folder:
        try:
            yield Path(folder)
        finally:
            for worktree in Path(folder).glob("*/.git"):
                git.remove_worktree(worktree.parent)
    git.call("worktree", "prune")


def _emit(report: Report, output: Path, env: dict[str, str], log: Log, *, quiet: bool) -> None:
    step_summary, outputs = env.get("GITHUB_STEP_SUMMARY"), env.get("GITHUB_OUTPUT")
    where = Destination(
        log=log,
        out=output,
        summary=Path(step_summary) if step_summary else None,
        outputs=Path(outputs) if outputs else None,
        annotations=log.actions,
        links=wiring.links_of(env),
    )
    known = registry.load(sinks, "SINK", Sink)  # type: ignore[type-abstract]
    wanted = [s for s in known.values() if not s.needs_token and not (quiet and s.name == "console")]
    emitted = emit_all(report, where, wanted)
    if outputs:
        values = {
            "verdict": report.verdict.value,
            "exit-code": str(exit_code_of(report)),
            "report": str(output / "report.json"),
            "comment": str(output / "comment.md"),
            "hardware-key": report.facts.hardware_key,
        }
        for name, value in values.items():
            commands.append_output(Path(outputs), name, value)
    if emitted.errors:
        # A result that nobody can read is no result, whatever it was.
        message = f"the report could not be written everywhere: {'; '.join(emitted.refused)}"
        raise MachineError(message, hint=f"check space and permissions of {output}")
