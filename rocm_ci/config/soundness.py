"""What the types of a configuration cannot say: names that are unique, commands that can be started. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.config.options import seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.config.options import BuildOptions, Config, PerfOptions, TestOptions

MAX_TIMEOUT_S = 7 * 24 * 3600.0
Trail = list[str | int]


def flaw(config: Config) -> tuple[Trail, str, str] | None:
    """The first thing that cannot work: where it stands, what it is, what to do. None when all is well."""
    for kind in ("build", "test", "perf"):
        seen: set[str] = set()
        for index, step in enumerate(getattr(config, kind)):
            if step.name in seen:
                # Reports, logs and the comparison with the merge base know a step by its name.
                return (
                    [kind, index, "name"],
                    f"`{kind}` has two steps called {step.name!r}",
                    "give each a name of its own",
                )
            seen.add(step.name)
            for place, what, hint in _of_step(step):
                return [kind, index, place], f"`{kind}[{index}].{place}`: {what}", hint
    return None


def _of_step(step: BuildOptions | TestOptions | PerfOptions) -> Iterator[tuple[str, str, str]]:
    if not step.run.strip():
        yield "run", "the command is empty", "write the command, or leave the whole step out"
    if "\0" in step.run:
        yield "run", "a command cannot hold a NUL character", "write it without `\\0`"
    if not 0 < seconds(step.timeout) <= MAX_TIMEOUT_S:
        yield "timeout", f"{step.timeout[:20]} is no time to wait for", "between 1s and 168h"
    for name, value in step.env.items():
        if not name or "=" in name or "\0" in name + value:
            yield "env", f"{name[:40]!r} cannot be set", "use a plain NAME: VALUE"
