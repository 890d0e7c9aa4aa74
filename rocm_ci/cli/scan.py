"""`rocm-ci scan`: leftovers of CUDA and hardcoded paths, in a change or in a whole tree."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from rocm_ci import changes as diff
from rocm_ci.cli import wiring
from rocm_ci.cli.checkout import changed
from rocm_ci.config import load as config
from rocm_ci.errors import GitError, UsageError
from rocm_ci.model.changes import Changes
from rocm_ci.model.verdict import Verdict, exit_code
from rocm_ci.scan.engine import Scanned
from rocm_ci.scan.files import Folder
from rocm_ci.scan.parallel import scan_all
from rocm_ci.scan.rulebook import RuleBook, shipped
from rocm_ci.stages.scan import verdict
from rocm_ci.tools.git import Git
from rocm_ci.tools.process import ProcessRunner

if TYPE_CHECKING:
    from rocm_ci.config.options import Config

_DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the user asked for: at most one of the last three, the merge base without any."""

    paths: tuple[Path, ...] = ()
    base: str | None = None
    diff_file: Path | None = None
    everything: bool = False


@click.command("scan")
@click.argument("paths", nargs=-1, metavar="[PATH]…", type=click.Path(path_type=Path))
@click.option(
    "--base", metavar="REF", help="Lines added since the merge base with REF, uncommitted ones too."
)
@click.option(
    "--diff", "diff_file", metavar="FILE", type=click.Path(path_type=Path), help="Lines a diff adds."
)
@click.option("--all", "everything", is_flag=True, help="Every line of the tree.")
@click.option("--config", "config_path", type=click.Path(path_type=Path), help=f"Default: {config.PATH}.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
)
def command(
    *,
    paths: tuple[Path, ...],
    base: str | None,
    diff_file: Path | None,
    everything: bool,
    config_path: Path | None,
    form: str,
) -> int:
    """Find CUDA and hardcoded paths in a change.

    Without an option: the lines added since the merge base with the remote's default branch, or
    the whole tree where there is none. PATHs limit the scan to files and folders.
    """
    began = time.monotonic()
    if sum((base is not None, diff_file is not None, everything)) > 1:
        message = "--base, --diff and --all exclude each other"
        raise UsageError(message, hint="give one of them")
    env = wiring.environment()
    log = wiring.make_log(env)
    request = Request(paths=paths, base=base, diff_file=diff_file, everything=everything)
    git = Git(ProcessRunner(), _start(paths), env)
    root = _root(git)
    options = _configuration(root, config_path, env)
    folder = Folder(root)
    changes = _limited(_changes(request, Git(ProcessRunner(), root, env), folder), paths, root)
    scanned = scan_all(folder, changes, options.scan, options.arch, book=RuleBook(shipped()))
    outcome = verdict(scanned.findings, options.scan)
    if form == "text":
        from rocm_ci.scan.listing import listing  # noqa: PLC0415 - the other formats need none of it

        took = time.monotonic() - began
        colour = sys.stdout.isatty() and "NO_COLOR" not in env
        log.result(listing(scanned, folder, failed=outcome is Verdict.FAIL, took_s=took, colour=colour))
    else:
        log.result(_formatted(form, scanned, began))
    return exit_code(outcome)


def _formatted(form: str, scanned: Scanned, began: float) -> str:
    if form == "sarif":
        from rocm_ci.report.sarif import render_findings  # noqa: PLC0415 - only this format needs it

        return render_findings(scanned.findings)
    if form == "github":
        from rocm_ci.scan.listing import workflow_commands  # noqa: PLC0415 - only this format needs it

        return workflow_commands(scanned)
    document = {
        "version": 1,
        "findings": scanned.findings,
        "suppressed": scanned.suppressed,
        "files": scanned.files,
        "elapsed_s": round(time.monotonic() - began, 3),
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def _start(paths: tuple[Path, ...]) -> Path:
    """The folder from which the checkout is looked for."""
    if not paths:
        return Path.cwd()
    first = paths[0]
    if not first.exists():
        message = f"there is no {first}"
        raise UsageError(message, hint="name files and folders that exist")
    return first if first.is_dir() else first.absolute().parent


def _root(git: Git) -> Path:
    try:
        return git.top()
    except GitError:
        return git.root


def _configuration(root: Path, path: Path | None, env: dict[str, str]) -> Config:
    shown = path or root / config.PATH
    if path is None and not shown.is_file():
        return config.load(None, env).config
    text = wiring.read_bytes(shown, "the configuration", limit=config.MAX_BYTES).decode("utf-8", "replace")
    return config.load(text, env, path=str(path or config.PATH)).config


def _changes(request: Request, git: Git, folder: Folder) -> Changes:
    if request.diff_file is not None:
        text = wiring.read_bytes(request.diff_file, "the diff").decode("utf-8", "surrogateescape")
        return diff.parse_diff(text)
    if request.base is not None:
        return _since(git, git.commit(request.base))
    if not request.everything:
        branch = next((b for b in _DEFAULT_BRANCHES if git.has(b)), None)
        if branch is not None:
            return _since(git, git.commit(branch))
    try:
        return diff.whole_tree(git.files())
    except GitError:
        return diff.whole_tree(tuple(folder.walk()))


def _since(git: Git, base: str) -> Changes:
    """The working tree against the merge base: committed, uncommitted and new files."""
    merge_base = git.merge_base(base, "HEAD")
    tracked = changed(git, merge_base, None)
    new = diff.whole_tree(git.untracked())
    return Changes(files=(*tracked.files, *new.files))


def _limited(changes: Changes, paths: tuple[Path, ...], root: Path) -> Changes:
    if not paths:
        return changes
    top = root.resolve()
    wanted = []
    for path in paths:
        full = path.absolute().resolve()
        if not full.is_relative_to(top):
            message = f"{path} is outside {root}"
            raise UsageError(message, hint="scan one project at a time")
        wanted.append(full.relative_to(top).as_posix())
    if "." in wanted:
        return changes
    kept = tuple(f for f in changes.files if any(f.path == w or f.path.startswith(w + "/") for w in wanted))
    return msgspec.structs.replace(changes, files=kept)
