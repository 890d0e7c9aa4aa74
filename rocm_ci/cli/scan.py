"""`rocm-ci scan`: leftovers of CUDA and hardcoded paths, in a change or in a whole tree."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from rocm_ci.cli import wiring
from rocm_ci.cli.selection import Request, Selection, root_of, select
from rocm_ci.config import load as config
from rocm_ci.errors import UsageError
from rocm_ci.model.verdict import Verdict, exit_code
from rocm_ci.scan import own_rules
from rocm_ci.scan.ahead import Ahead
from rocm_ci.scan.baseline import NO_BASELINE, Baseline
from rocm_ci.scan.files import Folder
from rocm_ci.scan.inspection import Inspection, baseline_of, chosen_baseline
from rocm_ci.stages.scan import verdict
from rocm_ci.tools.git import Git
from rocm_ci.tools.process import ProcessRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocm_ci.cli.repairing import Repaired
    from rocm_ci.config.options import Config
    from rocm_ci.log import Log
    from rocm_ci.scan.rulebook import RuleBook
    from rocm_ci.scan.scanned import Scanned


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What to do with the findings."""

    form: str
    fix: bool
    unsafe: bool
    dry_run: bool
    write_baseline: str | None
    shrink_baseline: bool
    no_baseline: bool

    def check(self, request: Request) -> None:
        """Raise `UsageError` for wishes that do not go together."""
        if (self.unsafe or self.dry_run) and not self.fix:
            message = "--unsafe-fixes and --dry-run say how --fix works"
            raise UsageError(message, hint="add --fix")
        if self.write_baseline is None and not self.shrink_baseline:
            return
        narrow = request.base or request.diff_file or request.staged or request.paths
        if (
            self.fix
            or self.no_baseline
            or narrow
            or (self.shrink_baseline and self.write_baseline is not None)
        ):
            message = "a baseline is about the whole tree"
            raise UsageError(message, hint="write or shrink it with no other option than --config and --all")


@click.command("scan")
@click.argument("paths", nargs=-1, metavar="[PATH]…", type=click.Path(path_type=Path))
@click.option(
    "--base", metavar="REF", help="Lines added since the merge base with REF, uncommitted ones too."
)
@click.option(
    "--diff", "diff_file", metavar="FILE", type=click.Path(path_type=Path), help="Lines a diff adds."
)
@click.option("--staged", is_flag=True, help="Lines that the next commit adds, as `git diff --cached`.")
@click.option("--all", "everything", is_flag=True, help="Every line of the tree.")
@click.option("--config", "config_path", type=click.Path(path_type=Path), help=f"Default: {config.PATH}.")
@click.option("--select", "selected", metavar="RULE", multiple=True, help="Only these rules or topics.")
@click.option("--ignore", "ignored", metavar="RULE", multiple=True, help="Not these rules or topics.")
@click.option("--fix", is_flag=True, help="Write the repairs that mean the same on NVIDIA.")
@click.option("--unsafe-fixes", "unsafe", is_flag=True, help="With --fix: the other repairs too.")
@click.option("--dry-run", is_flag=True, help="With --fix: show a diff, write nothing.")
@click.option(
    "--write-baseline",
    metavar="[FILE]",
    is_flag=False,
    flag_value="",
    help="Let all that is found now count no more. Default file: `scan.baseline`.",
)
@click.option("--shrink-baseline", is_flag=True, help="Take out of the baseline what is gone.")
@click.option("--no-baseline", is_flag=True, help="Tell what the baseline knows, too.")
@click.option("--list-rules", is_flag=True, help="Tell what there is to find, scan nothing.")
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
    staged: bool,
    everything: bool,
    config_path: Path | None,
    selected: tuple[str, ...],
    ignored: tuple[str, ...],
    list_rules: bool,
    **wishes: object,
) -> int:
    """Find CUDA and hardcoded paths in a change.

    Without an option: the lines added since the merge base with the remote's default branch, or
    the whole tree where there is none. PATHs limit the scan to files and folders.
    """
    began = time.monotonic()
    request = Request(paths=paths, base=base, diff_file=diff_file, staged=staged, everything=everything)
    wanted = msgspec.convert(wishes, Wishes)
    request.check()
    wanted.check(request)
    env = wiring.environment()
    log = wiring.make_log(env)
    since = env.get("PRE_COMMIT_FROM_REF")
    if staged and since:
        # `pre-commit run --from-ref` means the commits since then; nothing needs to be staged.
        request = replace(request, staged=False, base=since)
    start, ahead = request.start, Ahead()
    root = root_of(Git(ProcessRunner(), start, env))
    git = Git(ProcessRunner(), root, env)
    options = _configuration(root, config_path, env)
    book = partial(own_rules.beside, ahead, Folder(root))
    if selected or ignored:
        from rocm_ci.scan.choice import chosen  # noqa: PLC0415 - few scans choose

        options = msgspec.structs.replace(options, scan=chosen(options.scan, book(), selected, ignored))
    if list_rules:
        from rocm_ci.scan.catalogue import catalogue  # noqa: PLC0415 - a scan needs none of it

        log.result(catalogue(book(), options.scan, as_json=wanted.form == "json"))
        return 0
    scan = _Scan(log=log, git=git, root=root, options=options, make_book=book, wanted=wanted, began=began)
    if wanted.write_baseline is not None or wanted.shrink_baseline:
        return scan.keep_baseline(config_path)
    return scan.run(request, config_path, colour=sys.stdout.isatty() and "NO_COLOR" not in env)


@dataclass(frozen=True, kw_only=True)
class _Scan:
    log: Log
    git: Git
    root: Path
    options: Config
    make_book: Callable[[], RuleBook]
    wanted: Wishes
    began: float

    def run(self, request: Request, config_path: Path | None, *, colour: bool) -> int:
        """Scan, repair if asked, tell; the exit code."""
        folder = Folder(self.root)
        selection = select(request, self.git, folder)
        baseline, notices = self._baseline(selection)
        inspection = self._inspection(selection, baseline, config_path)
        scanned, _ = inspection.scan(selection.changes)
        repaired = None
        if self.wanted.fix:
            from rocm_ci.cli.repairing import repair  # noqa: PLC0415 - few scans repair

            repaired, scanned = repair(
                inspection,
                self.root,
                selection.changes,
                scanned,
                unsafe=self.wanted.unsafe,
                dry_run=self.wanted.dry_run,
            )
            if repaired.files and not self.wanted.dry_run:
                selection = replace(selection, source=folder)
        self._tell(scanned, selection, notices, repaired, colour=colour)
        outcome = verdict(scanned.findings, self.options.scan, unfinished=scanned.unfinished)
        return exit_code(outcome, fail_on_inconclusive=self.options.inconclusive == "fail")

    def keep_baseline(self, config_path: Path | None) -> int:
        """Write the baseline anew, or without what is gone."""
        from rocm_ci.scan import baseline as baselines  # noqa: PLC0415 - few calls write one
        from rocm_ci.tools import file  # noqa: PLC0415

        where = self.wanted.write_baseline or self.options.scan.baseline
        path = Path(self.wanted.write_baseline) if self.wanted.write_baseline else self.root / where
        if path.is_dir():
            message = f"{path} is a folder, not a file for a baseline"
            raise UsageError(message, hint="write --write-baseline=FILE")
        selection = select(Request(everything=True), self.git, Folder(self.root))
        known = self._baseline(selection)[0] if self.wanted.shrink_baseline else NO_BASELINE
        scanned, stale = self._inspection(selection, known, config_path).scan(selection.changes)
        made = (
            baselines.shrunk(known, stale)
            if self.wanted.shrink_baseline
            else baselines.of(scanned.findings, where)
        )
        file.write(path, baselines.written(made).encode())
        gone = f", {sum(e.count for e in stale):,} gone" if self.wanted.shrink_baseline else ""
        self.log.result(f"{path}: {made.total:,} known findings in {len(made.paths):,} files{gone}")
        return 0

    def _baseline(self, selection: Selection) -> tuple[Baseline, tuple[str, ...]]:
        if self.wanted.no_baseline:
            return NO_BASELINE, ()
        where = self.options.scan.baseline
        ours = baseline_of(selection.source, where)
        theirs = self.git.show(selection.base, where) if selection.base else ours
        return chosen_baseline(ours, theirs, where, trusted=True)

    def _inspection(self, selection: Selection, baseline: Baseline, config_path: Path | None) -> Inspection:
        return Inspection(
            source=selection.source,
            options=self.options.scan,
            archs=self.options.arch,
            book=self.make_book(),
            baseline=baseline,
            config_path=(config_path or Path(config.PATH)).as_posix(),
            renames=lambda: self.git.renamed_since_change_of(self.options.scan.baseline),
        )

    def _tell(
        self,
        scanned: Scanned,
        selection: Selection,
        notices: Sequence[str],
        repaired: Repaired | None,
        *,
        colour: bool,
    ) -> None:
        form = self.wanted.form
        if form == "json":
            self.log.result(_document(scanned, notices, repaired, time.monotonic() - self.began))
            return
        for notice in notices:
            self.log.warning(notice)
        if repaired is not None:
            self._tell_repairs(scanned, repaired)
            if self.wanted.dry_run and form == "text":
                self.log.result(repaired.diff or "nothing to repair")
                return
        if form == "sarif":
            from rocm_ci.report.sarif import render_scan  # noqa: PLC0415 - only this format needs it

            self.log.result(render_scan(scanned.findings, scanned.silenced, scanned.notes))
        elif form == "github":
            from rocm_ci.scan.listing import workflow_commands  # noqa: PLC0415 - only this format needs it

            self.log.result(workflow_commands(scanned))
        else:
            from rocm_ci.scan.listing import listing  # noqa: PLC0415 - the other formats need none of it

            failed = verdict(scanned.findings, self.options.scan) is Verdict.FAIL
            took = time.monotonic() - self.began
            self.log.result(listing(scanned, selection.source, failed=failed, took_s=took, colour=colour))

    def _tell_repairs(self, scanned: Scanned, repaired: Repaired) -> None:
        count, files = repaired.count, len(repaired.files)
        what = f"{count} finding{'s' if count != 1 else ''} in {files} file{'s' if files != 1 else ''}"
        self.log.info(f"would repair {what}" if self.wanted.dry_run else f"repaired {what}")
        for path, reason in sorted(repaired.refused.items()):
            self.log.warning(f"{path} was left as it is: {reason}")
        left = sum(f.unsafe for f in scanned.findings)
        if left and not self.wanted.unsafe:
            what = "1 more repair" if left == 1 else f"{left} more repairs"
            self.log.info(f"{what} may change what the code means on NVIDIA: --unsafe-fixes")


def _document(scanned: Scanned, notices: Sequence[str], repaired: Repaired | None, took_s: float) -> str:
    document: dict[str, object] = {
        "version": 1,
        "findings": scanned.findings,
        "suppressed": scanned.suppressed,
        "baselined": scanned.baselined,
        "silenced": scanned.silenced,
        "files": scanned.files,
        "notes": scanned.notes,
        "notices": notices,
        "elapsed_s": round(took_s, 3),
    }
    if repaired is not None:
        document["repaired"] = {"files": repaired.files, "refused": repaired.refused, "diff": repaired.diff}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def _configuration(root: Path, path: Path | None, env: dict[str, str]) -> Config:
    shown = path or root / config.PATH
    if path is None and not shown.is_file():
        return config.load(None, env).config
    text = wiring.read_bytes(shown, "the configuration", limit=config.MAX_BYTES).decode("utf-8", "replace")
    return config.load(text, env, path=str(path or config.PATH)).config
