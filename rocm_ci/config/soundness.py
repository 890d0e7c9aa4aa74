"""What the types of a configuration cannot say: names, times and an order that can be had. Pure."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.config.options import seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocm_ci.config.options import BuildOptions, Config, PerfOptions, TestOptions

MAX_TIMEOUT_S = 7 * 24 * 3600.0
Trail = list[str | int]


def flaw(config: Config) -> tuple[Trail, str, str] | None:
    """The first thing that cannot work: where it stands, what it is, what to do. None when all is well."""
    if seconds(config.lease_wait) > MAX_TIMEOUT_S:
        return ["lease-wait"], f"`lease-wait`: {config.lease_wait[:20]} is too long", "at most 168h"
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
    names = {suite.name: None for suite in config.test}
    for index, suite in enumerate(config.test):
        for place, what, hint in _of_suite(suite, names):
            return ["test", index, place], f"`test[{index}].{place}`: {what}", hint
        if suite.shards > 1 and config.parallel == 1:
            what = f"`test[{index}].shards`: with `parallel: 1` no two of its parts could run side by side"
            return ["test", index, "shards"], what, "drop one of the two"
    return _circle(config.test)


def _of_step(step: BuildOptions | TestOptions | PerfOptions) -> Iterator[tuple[str, str, str]]:
    if not step.run.strip():
        yield "run", "the command is empty", "write the command, or leave the whole step out"
    if "\0" in step.run:
        yield "run", "a command cannot hold a NUL character", "write it without `\\0`"
    yield from _of_time(step, "timeout")
    yield from _of_time(step, "no-output")
    for name, value in step.env.items():
        if not name or "=" in name or "\0" in name + value:
            yield "env", f"{name[:40]!r} cannot be set", "use a plain NAME: VALUE"


def _of_time(step: BuildOptions | TestOptions | PerfOptions, option: str) -> Iterator[tuple[str, str, str]]:
    text = getattr(step, option.replace("-", "_"))
    if text is None:
        return
    if not 0 < seconds(text) <= MAX_TIMEOUT_S:
        yield option, f"{text[:20]} is no time to wait for", "between 1s and 168h"
    elif option in ("no-output", "test-timeout") and seconds(text) > seconds(step.timeout):
        yield option, f"{text} would never pass within the timeout of {step.timeout}", "make it shorter"


def _of_suite(suite: TestOptions, names: Mapping[str, None]) -> Iterator[tuple[str, str, str]]:
    yield from _of_time(suite, "test-timeout")
    yield from _of_time(suite, "warm-up-timeout")
    if "\0" in suite.warm_up:
        yield "warm-up", "a command cannot hold a NUL character", "write it without `\\0`"
    for name in suite.after:
        if name not in names:
            known = ", ".join(list(names)[:10])
            yield "after", f"there is no suite called {name!r}", f"there are: {known}"
    if suite.shards != 1 and suite.alone:
        yield "shards", "shards run side by side, and this suite is to run alone", "drop one of the two"
    if suite.shards != 1 and suite.runner == "command":
        hint = "use pytest, ctest or gtest, or make several suites of it"
        yield "shards", "of a plain command it is not known which tests it has", hint
    if suite.expected is not None and not _is_inside(suite.expected):
        yield (
            "expected",
            f"{suite.expected[:80]!r} is no file of the checkout",
            "a path like tests/expected.txt",
        )


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    is_plain = bool(path.strip()) and "\0" not in path and len(path) <= 400
    return is_plain and bool(parts) and not path.startswith("/") and ".." not in parts


def _circle(suites: tuple[TestOptions, ...]) -> tuple[Trail, str, str] | None:
    """Suites that wait for each other would wait for ever."""
    left = {suite.name: set(suite.after) for suite in suites}
    behind: dict[str, list[str]] = {}
    for suite in suites:
        for name in set(suite.after):
            behind.setdefault(name, []).append(suite.name)
    free = [name for name, after in left.items() if not after]
    while free:
        ended = free.pop()
        del left[ended]
        for name in behind.get(ended, ()):
            left[name].discard(ended)
            if not left[name]:
                free.append(name)
    if not left:
        return None
    circle = [next(iter(left))]
    while circle[-1] not in circle[:-1]:
        circle.append(min(left[circle[-1]]))
    circle = circle[circle.index(circle[-1]) :]
    index = next(at for at, suite in enumerate(suites) if suite.name == circle[0])
    shown = " after ".join(circle[:6]) + (" …" if circle[6:] else "")
    return (
        ["test", index, "after"],
        f"`test[{index}].after` goes in a circle: {shown}",
        "take one of them out",
    )
