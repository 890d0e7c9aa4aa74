"""Every option, its type and its default. The only place with defaults."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from rocm_ci.model.case import Layer
from rocm_ci.model.finding import Severity
from rocm_ci.model.perf import Better

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,79}$")]
Gfx = Annotated[str, msgspec.Meta(pattern=r"^gfx[0-9a-f]{3,5}(:[a-z]+[+-])*$")]
Duration = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[0-9]+(\.[0-9]+)?(s|m|h)$",
        description="A number and a unit: `90s`, `10m`, `1.5h`.",
    ),
]
Percent = Annotated[str, msgspec.Meta(pattern=r"^[0-9]+(\.[0-9]+)?%$", description="A percentage: `3%`.")]
Level = Literal["off", "note", "warning", "error"]
Count = Annotated[int, msgspec.Meta(ge=0)]

DEFAULT_ARCHS = ("gfx90a", "gfx942")


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Base of all configuration sections: kebab-case keys, unknown keys refused."""


class ScanOptions(Section, frozen=True, kw_only=True):
    """What the scanner reads, and from which severity on it fails the change.

    `per-path` gives levels to rules (or topics, or `"*"`) in files that a pattern matches, as in
    `.gitignore`; of several patterns the last one wins. `baseline` is a file of findings that were
    there before and do not count, written by `rocm-ci scan --write-baseline`.
    """

    exclude: tuple[str, ...] = ()
    fail_on: Literal["error", "warning", "note", "never"] = "error"
    rules: dict[str, Level] = {}
    per_path: dict[str, dict[str, Level]] = {}
    baseline: Annotated[str, msgspec.Meta(min_length=1, max_length=400)] = ".github/rocm-ci-baseline.json"


class BuildOptions(Section, frozen=True, kw_only=True):
    """One build command, run in the checkout by `bash -c`.

    `{arch}`, `{arch;}` and `{arch,}` stand for the arch list joined by space, semicolon and comma,
    `{jobs}` for the number of parallel jobs. `artifacts` are globs; each file they match must hold
    code for every arch.
    """

    name: Name
    run: str
    artifacts: tuple[str, ...] = ()
    timeout: Duration = "30m"
    no_output: Duration | None = None
    env: dict[str, str] = {}


class TestOptions(Section, frozen=True, kw_only=True):
    """One test suite. `{junit}` stands for the file where the runner expects JUnit XML.

    `runner: auto` looks at the command. A suite that asks for GPUs fails as *machine unusable*
    when there are fewer, unless `require-gpu: false` skips it. It sees exactly as many as it asks for.
    `shards` splits it into parts that run side by side, each with `gpus` GPUs; 0: as many as there are.
    `warm-up` runs before it, outside its time. `expected` is a file with one test id on each line.
    """

    __test__ = False

    name: Name
    run: str
    layer: Layer = Layer.UNIT
    runner: Literal["auto", "pytest", "ctest", "gtest", "command"] = "auto"
    gpus: Count = 0
    shards: Annotated[int, msgspec.Meta(ge=0, le=256)] = 1
    after: tuple[Name, ...] = ()
    alone: bool = False
    warm_up: str = ""
    warm_up_timeout: Duration = "30m"
    timeout: Duration = "10m"
    test_timeout: Duration | None = None
    no_output: Duration | None = None
    retries: Annotated[int, msgspec.Meta(ge=0, le=5)] = 1
    expected: str | None = None
    env: dict[str, str] = {}


class PerfOptions(Section, frozen=True, kw_only=True):
    """One benchmark command, run in turn on the merge base and on the head.

    `{out}` stands for the result file. A change below `min-effect` is never a regression.
    """

    name: Name
    run: str
    format: str = "google-benchmark"
    better: Better = Better.LOWER
    min_effect: Percent = "3%"
    rounds: Annotated[int, msgspec.Meta(ge=5, le=100)] = 12
    gpus: Count = 0
    timeout: Duration = "20m"
    no_output: Duration | None = None
    env: dict[str, str] = {}


class Config(Section, frozen=True, kw_only=True):
    """The whole of `.github/rocm-ci.yml`. Everything has a default; an empty file is fine.

    `inconclusive` says how a run exits whose outcome could not be decided, `flaky` what a test is
    worth that passed only when it was repeated; `deepen` allows a shallow clone to be deepened from
    its remote to find the merge base. `parallel` is how many suites run side by side, 0: one on each
    GPU and one without, 1: one after the other. `lease-wait`: how long to wait for GPUs of other runs.
    """

    version: Literal[1] = 1
    arch: Annotated[tuple[Gfx, ...], msgspec.Meta(min_length=1)] = DEFAULT_ARCHS
    stages: tuple[Literal["scan", "build", "kernels", "test", "perf"], ...] = (
        "scan",
        "build",
        "kernels",
        "test",
        "perf",
    )
    require_gpu: bool = True
    inconclusive: Literal["pass", "fail"] = "pass"
    flaky: Literal["neutral", "inconclusive", "fail"] = "neutral"
    deepen: bool = False
    mask: bool = True
    jobs: Count = 0
    parallel: Count = 0
    lease_wait: Duration = "30m"
    scan: ScanOptions = ScanOptions()
    build: tuple[BuildOptions, ...] = ()
    test: tuple[TestOptions, ...] = ()
    perf: tuple[PerfOptions, ...] = ()


# One line for each option, shown in the README table and the JSON schema.
TOLD: dict[str, dict[str, str]] = {
    "Config": {
        "version": "Version of this file's layout.",
        "arch": "GPU targets that every build must hold code for.",
        "stages": "What runs.",
        "require-gpu": "Whether a suite that needs a GPU fails where there is none (else skipped, visibly).",
        "inconclusive": "How a run exits that could not be decided: `pass` or `fail`.",
        "flaky": "A test that passes only when repeated: `neutral`, `inconclusive` or `fail`.",
        "deepen": "Whether a shallow clone may be deepened to find the merge base.",
        "mask": "Whether secrets, home folders, host names and serial numbers are hidden in what is shown.",
        "jobs": "Parallel build jobs, 0 for the number of processors we may use.",
        "parallel": "Suites that run side by side; 0: one on each GPU and one without, 1: in their order.",
        "lease-wait": "How long to wait for GPUs that other runs on the host hold.",
        "scan": "The scanner.",
        "build": "Build commands in order; none: detected (CMake with HIP, a torch extension, `.hip` files).",
        "test": "Test suites in order.",
        "perf": "Benchmarks, each measured on the merge base and on the head in turn.",
    },
    "ScanOptions": {
        "exclude": "Paths the scanner leaves out, as in `.gitignore`.",
        "fail-on": "From which severity on a finding fails the change: `error`, `warning`, `note`, `never`.",
        "rules": "Severity by rule: `off`, `note`, `warning` or `error`.",
        "per-path": 'The same for some paths: `{"tests/**": {cuda-runtime-api: off}}`; topics and `"*"` too.',
        "baseline": "Known findings that do not count, a file of `rocm-ci scan --write-baseline`.",
    },
    "BuildOptions": {
        "name": "Name in the report.",
        "run": "Shell command. `{arch}`, `{arch;}`, `{arch,}`: the targets; `{jobs}`: parallel jobs.",
        "artifacts": "Globs of what it builds; each file must hold code for every target.",
        "timeout": "After it, the whole process tree is ended.",
        "no-output": "A silence longer than this ends it; unset: no limit.",
        "env": "Extra environment variables.",
    },
    "TestOptions": {
        "name": "Name in the report.",
        "run": "Shell command. `{junit}`: where the JUnit file is expected.",
        "layer": "`unit`, `integration` or `system`.",
        "runner": "`pytest`, `ctest`, `gtest`, `command`, or `auto` to tell from the command.",
        "gpus": "How many GPUs the suite needs, and sees.",
        "shards": "Parts that run side by side, each with `gpus` GPUs; 0: as many as the GPUs allow.",
        "after": "Suites that must have ended before.",
        "alone": "Whether no other suite may run beside it.",
        "warm-up": "Shell command run first, outside the suite's time: compile kernels, fetch models.",
        "warm-up-timeout": "After it, the warm-up is ended, and the suite runs cold.",
        "timeout": "After it, the whole process tree is ended; what had finished is reported.",
        "test-timeout": "The same for a single test; the others go on.",
        "no-output": "A silence longer than this ends it; unset: no limit.",
        "retries": "How often failed tests are run again, alone; one that then passes is flaky.",
        "expected": "A file with one test id on each line: one that did not run is a failure.",
        "env": "Extra environment variables.",
    },
    "PerfOptions": {
        "name": "Name in the report.",
        "run": "Shell command. `{out}`: the result file.",
        "format": "Layout of the result: `google-benchmark` or `pytest-benchmark`.",
        "better": "`lower` or `higher`, where the format does not say.",
        "min-effect": "A smaller change is never a regression.",
        "rounds": "Rounds of base and head in turn: more for many series, as many again to confirm.",
        "gpus": "How many GPUs the benchmark needs.",
        "timeout": "Time budget of the benchmark, all rounds together.",
        "no-output": "A silence longer than this ends it; unset: no limit.",
        "env": "Extra environment variables.",
    },
}


def seconds(duration: str) -> float:
    """`90s`, `10m`, `1.5h` → seconds."""
    return float(duration[:-1]) * {"s": 1, "m": 60, "h": 3600}[duration[-1]]


def percent(text: str) -> float:
    """`3%` → 3.0."""
    return float(text[:-1])


def fail_on(options: ScanOptions) -> Severity | None:
    """The severity from which the scan fails the change; None for never."""
    return None if options.fail_on == "never" else Severity(options.fail_on)
