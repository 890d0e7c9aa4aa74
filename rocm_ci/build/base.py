"""The merge base, checked out apart and built, so that head and base can be compared."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.build import commands
from rocm_ci.build.commands import Target
from rocm_ci.build.detect import Detected, detect
from rocm_ci.build.environment import jobs
from rocm_ci.config.load import MAX_BYTES, load
from rocm_ci.errors import ConfigError, GitError
from rocm_ci.model.verdict import Verdict
from rocm_ci.tools.git import Git

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.config.options import BuildOptions
    from rocm_ci.context import Context, Job

_SUBMODULES_S = 600.0


class _Marker(msgspec.Struct, frozen=True):
    commit: str
    ok: bool
    reason: str


class BaseBuild(msgspec.Struct, frozen=True, kw_only=True):
    """The merge base in a folder of its own. `reason` says why it is not `ok`, or what was special."""

    root: Path
    ok: bool
    reason: str = ""


def base_build(ctx: Context, job: Job) -> BaseBuild:
    """Check out and build `job.event.merge_base` below `ctx.work`, once per run.

    It is built as its own configuration says (the head's where it has none), for the head's GPU
    targets. The head's checkout is not touched. Never raises for a base that cannot be built.
    """
    root, marker = ctx.work / "base", ctx.work / "base.json"
    commit = job.event.merge_base
    if commit is None:
        return BaseBuild(root=root, ok=False, reason="there is no merge base")
    known = _read(marker)
    if known is None or known.commit != commit or not root.is_dir():
        ok, reason = _made(ctx, job, root, commit)
        known = _Marker(commit=commit, ok=ok, reason=reason)
        marker.write_bytes(msgspec.json.encode(known))
    return BaseBuild(root=root, ok=known.ok, reason=known.reason)


def _made(ctx: Context, job: Job, root: Path, commit: str) -> tuple[bool, str]:
    ctx.work.mkdir(parents=True, exist_ok=True)
    git = Git(ctx.run, ctx.root, ctx.environment)
    try:
        if root.exists():
            git.remove_worktree(root)
            shutil.rmtree(root, ignore_errors=True)
        git.add_worktree(root, commit)
        _submodules(ctx, git, root, commit, job.event.head)
    except GitError as error:
        return False, f"the merge base cannot be checked out: {error}"
    steps = _steps(ctx, job, root)
    if not steps:
        return True, "nothing is to be built at the merge base"
    target = Target(
        root=root,
        archs=job.config.arch,
        jobs=jobs(job.config.jobs, cpus=job.facts.host.cpus, memory_bytes=job.facts.host.memory_bytes),
        prefix="base-build",
    )
    try:
        with ctx.log.step(f"build of the merge base {commit[:7]}"):
            done = commands.run(ctx, steps, target)
    except ConfigError as error:
        return False, f"the merge base cannot be built: {error}"
    failed = next((s for s in done if s.verdict > Verdict.NEUTRAL), None)
    return (False, f"the merge base does not build: {failed.reason}") if failed else (True, "")


def _steps(ctx: Context, job: Job, root: Path) -> tuple[BuildOptions, ...]:
    config, file = job.config, root / job.config_path
    try:
        if file.is_file() and file.stat().st_size <= MAX_BYTES:
            config = load(file.read_text("utf-8"), {}).config
    except (ConfigError, OSError, UnicodeDecodeError) as error:
        ctx.log.warning(f"the configuration of the merge base is not used: {error}")
    if config.build:
        return config.build
    found = detect(root)
    return found.steps if isinstance(found, Detected) else ()


def _submodules(ctx: Context, git: Git, root: Path, commit: str, head: str) -> None:
    """Fill submodules: from the head's checkout where both name the same commit, else by git."""
    if not (root / ".gitmodules").is_file():
        return
    before, now = _links(git, commit), _links(git, head)
    rest = []
    for path, linked in before.items():
        source, into = ctx.root / path, root / path
        inside = source.resolve().is_relative_to(ctx.root.resolve()) and not into.is_symlink()
        if inside and now.get(path) == linked and source.is_dir() and any(source.iterdir()):
            shutil.copytree(
                source, into, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git")
            )
        else:
            rest.append(path)
    if rest:
        done = Git(ctx.run, root, ctx.environment).call(
            "submodule", "update", "--init", "--recursive", "--", *rest, timeout_s=_SUBMODULES_S
        )
        if done.exit_code:
            message = f"its submodules cannot be fetched: {done.error_text.strip()[-200:]}"
            raise GitError(message, hint="give actions/checkout `submodules: recursive`")


def _links(git: Git, commit: str) -> dict[str, str]:
    """Path → commit of every submodule in a tree."""
    done = git.call("ls-tree", "-r", "-z", "--full-tree", commit)
    found = {}
    for entry in done.stdout.decode("utf-8", "surrogateescape").split("\0"):
        words, _, path = entry.partition("\t")
        if words.startswith("160000 commit "):
            found[path] = words.split(" ")[2]
    return found


def _read(marker: Path) -> _Marker | None:
    try:
        return msgspec.json.decode(marker.read_bytes(), type=_Marker)
    except (OSError, msgspec.DecodeError):
        return None
