"""`rocm-ci plan`: what a run would do and why, and the matrix of jobs that share it. Runs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rocm_ci.cli import wiring
from rocm_ci.cli.run import OUTPUT, PATH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.cli.matrix import By
    from rocm_ci.config.options import Config
    from rocm_ci.model.event import Event
    from rocm_ci.model.matrix import Entry, Outlook
    from rocm_ci.model.plan import Plan


@click.command("plan")
@click.option("--local", is_flag=True, help="Look at the working tree, without an event.")
@click.option("--base", metavar="REF", help="Compare with the merge base of REF instead of the event's base.")
@click.option("--config", "config_path", type=click.Path(path_type=Path), help=f"Default: {PATH}.")
@click.option("--suite", metavar="NAME", help="Only this test suite, or those of a layer; `*` for all.")
@click.option("--bench", metavar="NAME", help="Only this benchmark; `*` for all.")
@click.option(
    "--by",
    type=click.Choice(["run", "suite", "arch"]),
    default="run",
    show_default=True,
    help="One job for all, one for each suite and benchmark, or one for each GPU target.",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "github"]), default="text", show_default=True
)
def command(
    *,
    local: bool,
    base: str | None,
    config_path: Path | None,
    suite: str | None,
    bench: str | None,
    by: By,
    form: str,
) -> int:
    """Say what a run would do and what not, and why; run nothing.

    `--format github` writes the outputs `matrix` (for `strategy.matrix: ${{ fromJSON(…) }}`) and `any`, which
    is `false` where no job has anything to do, for GitHub refuses a matrix without jobs.
    """
    env = wiring.environment()
    log = wiring.make_log(env)
    from rocm_ci import plan as plans  # noqa: PLC0415 - as for `run`: `--help` needs none of it
    from rocm_ci.cli import matrix, perform  # noqa: PLC0415
    from rocm_ci.errors import UsageError  # noqa: PLC0415
    from rocm_ci.model.facts import Facts  # noqa: PLC0415
    from rocm_ci.tools.git import Git  # noqa: PLC0415
    from rocm_ci.tools.process import ProcessRunner  # noqa: PLC0415

    outputs = env.get("GITHUB_OUTPUT")
    if form == "github" and not outputs:
        raise UsageError("GITHUB_OUTPUT is not set", hint="outside of a workflow use --format json")
    request = perform.Request(
        root=Path.cwd(),
        output=Path(OUTPUT),
        config=config_path or (Path(env["ROCM_CI_CONFIG"]) if env.get("ROCM_CI_CONFIG") else None),
        base=base or env.get("ROCM_CI_BASE") or None,
        local=local,
        suite=suite,
        bench=bench,
    )
    run = ProcessRunner()
    git = Git(run, Git(run, request.root, env).top(), env)
    located, loaded = perform.read(git, request, env)
    plan = plans.plan(located.event, loaded.config, located.changes, Facts())
    entries = matrix.include(located.event, loaded.config, plan, by)
    found = _outlook(plan, entries)
    if form == "github":
        _tell_workflow(Path(outputs or ""), found)
    if form == "json":
        log.result(wiring.as_json(found))
    else:
        for notice in (*located.notices, *loaded.notices):
            log.info(notice)
        log.result("\n".join(_lines(found, located.event, loaded.config, plan)))
    return 0


def _outlook(plan: Plan, entries: tuple[Entry, ...]) -> Outlook:
    from rocm_ci.model.matrix import Outlook, PlannedStage  # noqa: PLC0415 - as above

    stages = tuple(
        # Which GPUs there are is seen where a job runs, not here.
        PlannedStage(
            stage=step.stage.value,
            run=step.run,
            reason="looks at the machine" if step.run and step.stage.value == "preflight" else step.reason,
        )
        for step in plan.steps
    )
    return Outlook(stages=stages, include=entries)


def _lines(found: Outlook, event: Event, config: Config, plan: Plan) -> Iterator[str]:
    """What people read. Names come out of a configuration that a stranger may have written."""
    from rocm_ci.cli import matrix  # noqa: PLC0415 - as above
    from rocm_ci.log import printable  # noqa: PLC0415

    for stage in found.stages:
        yield printable(f"{'runs' if stage.run else 'not':<5}{stage.stage:<10}{stage.reason}")
        if stage.stage == "test":
            for suite in matrix.suites(event, config, plan):
                needs = f"{suite.layer.value}, {suite.gpus} GPU(s), at most {suite.timeout}"
                yield printable(f"       {suite.name}: {needs}")
        if stage.stage == "perf":
            for bench in matrix.benches(event, config, plan):
                yield printable(f"       {bench.name}: {bench.gpus} GPU(s), at most {bench.timeout}")
    yield printable(f"{len(found.include)} job(s)" + (":" if found.include else ""))
    for entry in found.include:
        yield printable(f"       {entry.name}: {entry.stages}, {entry.gpus} GPU(s), {entry.arch}")


def _tell_workflow(outputs: Path, found: Outlook) -> None:
    import msgspec  # noqa: PLC0415 - in a workflow only

    from rocm_ci.github import commands  # noqa: PLC0415

    matrix = msgspec.json.encode({"include": found.include}).decode()
    commands.append_output(outputs, "matrix", matrix)
    commands.append_output(outputs, "any", "true" if found.include else "false")
