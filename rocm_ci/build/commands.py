"""Runs build commands in a folder, one after the other, and tells what came of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.build import blame
from rocm_ci.build.blame import Ended, Judgement
from rocm_ci.build.diagnostics import Collector
from rocm_ci.build.environment import environment
from rocm_ci.build.evidence import untargeted
from rocm_ci.build.locate import Locator
from rocm_ci.config.options import seconds
from rocm_ci.config.placeholders import Value, fill
from rocm_ci.log import printable
from rocm_ci.model.result import BuildStep
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rocm_ci.config.options import BuildOptions
    from rocm_ci.context import Context

SHELL = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
MAX_COMMAND = 4000


@dataclass(frozen=True, kw_only=True)
class Target:
    """What to build: a folder, the GPU targets, how many jobs. `prefix` keeps logs of two builds apart."""

    root: Path
    archs: tuple[str, ...]
    jobs: int
    prefix: str = "build"


def run(ctx: Context, steps: Sequence[BuildOptions], target: Target) -> tuple[BuildStep, ...]:
    """All steps in order. After one that fails the others are not run, and say so.

    A placeholder that does not exist raises `ConfigError` before anything has run.
    """
    commands = [_command(step, target) for step in steps]
    done: list[BuildStep] = []
    logs = _logs(steps, target.prefix)
    for step, command, log in zip(steps, commands, logs, strict=True):
        failed = next((d for d in done if d.verdict > Verdict.NEUTRAL), None)
        if failed is None:
            done.append(_step(ctx, step, command, target, log))
        else:
            done.append(
                BuildStep(
                    name=step.name,
                    command=command[:MAX_COMMAND],
                    verdict=Verdict.SKIPPED,
                    duration_s=0.0,
                    reason=f"not run, because {failed.name} did not succeed",
                )
            )
    return tuple(done)


def _logs(steps: Sequence[BuildOptions], prefix: str) -> list[str]:
    """A file for each step; names that look alike without their special characters get a number."""
    found: list[str] = []
    for step in steps:
        stem = f"logs/{prefix}-{re.sub(r'[^A-Za-z0-9._-]+', '-', step.name)}"
        taken = sum(1 for name in found if name == f"{stem}.log" or name.startswith(f"{stem}~"))
        found.append(f"{stem}~{taken + 1}.log" if taken else f"{stem}.log")
    return found


def _command(step: BuildOptions, target: Target) -> str:
    values: dict[str, Value] = {"arch": target.archs, "jobs": str(target.jobs)}
    return fill(step.run, values, option=f"build step {step.name!r}")


def _step(ctx: Context, step: BuildOptions, command: str, target: Target, name: str) -> BuildStep:
    shown = printable(command)[:MAX_COMMAND]
    call = untargeted(command)
    if call and "HCC_AMDGPU_TARGET" not in step.env:
        return BuildStep(
            name=step.name,
            command=shown,
            verdict=Verdict.FAIL,
            duration_s=0.0,
            reason=blame.untargeted_reason(call, target.archs),
        )
    collector = Collector(Locator(target.root))
    ctx.log.info(f"  {step.name}: {shown}")

    def on_line(line: str) -> None:
        ctx.log.output(line)
        collector.feed(line)

    with ctx.log.untrusted():
        ran = ctx.run.stream(
            [*SHELL, command],
            cwd=target.root,
            env=environment(
                ctx.environment,
                root=target.root,
                archs=target.archs,
                jobs=target.jobs,
                cache=ctx.work / "ccache",
                own=step.env,
            ),
            timeout_s=seconds(step.timeout),
            log=ctx.out / name,
            on_line=on_line,
        )
    diagnostics = collector.diagnostics()
    ended = Ended(
        exit_code=ran.exit_code,
        timed_out=ran.timed_out,
        timeout=step.timeout,
        last_line=collector.last_line,
    )
    judged = blame.judge(ended, diagnostics, collector.evidence, target.archs)
    if judged.verdict is not Verdict.PASS:
        ctx.log.error(f"{step.name}: {judged.reason}")
    return BuildStep(
        name=step.name,
        command=shown,
        verdict=judged.verdict,
        duration_s=ran.duration_s,
        exit_code=ran.exit_code,
        reason=_with_orphans(judged, ran.orphans),
        log=name,
        excerpt=None if judged.verdict is Verdict.PASS else collector.excerpt,
        diagnostics=diagnostics,
    )


def _with_orphans(judged: Judgement, orphans: int) -> str:
    if not orphans:
        return judged.reason
    left = f"{orphans} process(es) that the command had left behind were ended"
    return f"{judged.reason}; {left}" if judged.reason else left
