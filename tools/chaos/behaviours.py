"""How a test can misbehave, and what a runner must call it."""

from __future__ import annotations

from dataclasses import dataclass

PYTEST, CTEST, GTEST = "pytest", "ctest", "gtest"
_ALL = (PYTEST, CTEST, GTEST)
_SCRIPTS = (PYTEST, CTEST)

# What may be said of a test, from the most harmless on. The first four block nothing.
CLASSES = (
    "passed",
    "skipped",
    "flaky",
    "machine, passed elsewhere",
    "machine",
    "assertion",
    "crash",
    "timeout",
    "memory",
    "unreported",
    "vanished",
    "missing",
)
GREEN = CLASSES[:4]
CHANGE = CLASSES[5:11]


@dataclass(frozen=True)
class Behaviour:
    """`expected`: the classes that are right, the first being what it is called in the table.

    `weight` is how often it is drawn; `at_most` bounds that. `leaves` names an incident that the report
    must tell beside the test's own result. `gpus` are those that it makes unusable for its suite.
    `as_ctest` are the right classes in ctest, where they differ.
    """

    name: str
    does: str
    expected: tuple[str, ...]
    weight: int = 2
    runners: tuple[str, ...] = _ALL
    at_most: int = 200
    leaves: str = ""
    gpus: int = 0
    as_ctest: tuple[str, ...] = ()

    def right(self, runner: str) -> tuple[str, ...]:
        """What it may be called."""
        return self.as_ctest if runner == CTEST and self.as_ctest else self.expected


BEHAVIOURS = (
    Behaviour("passes", "passes", ("passed",), weight=30),
    Behaviour("skips", "is skipped", ("skipped",), weight=3),
    Behaviour("fails", "an assertion fails, always", ("assertion",), weight=6),
    Behaviour("flaky", "an assertion fails the first time", ("flaky",), weight=4),
    Behaviour("crashes", "SIGSEGV, always", ("crash",), weight=4),
    Behaviour("crashes_once", "SIGSEGV the first time", ("flaky",), weight=3),
    Behaviour("aborts", "SIGABRT, always", ("crash",)),
    Behaviour("exits", "ends its process with status 0 in mid-test", ("crash", "unreported"), runners=(PYTEST, GTEST)),
    Behaviour("killed", "SIGKILL, always, and no word of the kernel", ("crash", "memory")),
    Behaviour("hangs", "sleeps for ever", ("timeout",), weight=3),
    Behaviour("stubborn", "ignores SIGTERM and sleeps for ever", ("timeout",), weight=2),
    Behaviour("stops", "stops itself (SIGSTOP)", ("timeout",)),
    Behaviour("daemon", "passes, leaves a daemon with a session of its own and no environment", ("passed",), weight=4, runners=_SCRIPTS),
    Behaviour("holds_pipe", "passes, leaves a daemon that holds its output open; ctest waits for that one", ("passed",), weight=3, runners=_SCRIPTS, as_ctest=("timeout",)),
    Behaviour("closes_output", "passes with stdout and stderr closed", ("passed",), runners=_SCRIPTS),
    Behaviour("prints_nul", "passes, prints NUL, escapes and broken UTF-8", ("passed",), weight=3),
    Behaviour("noisy", "passes, prints 20 MB", ("passed",), at_most=4),
    Behaviour("memory", "allocates until its limit (ulimit -v)", ("assertion", "memory", "crash"), runners=_SCRIPTS),
    Behaviour("oom_once", "the kernel kills it for memory once", ("machine, passed elsewhere",), leaves="out-of-memory", runners=_SCRIPTS),
    Behaviour("disk_once", "the disk is full once, and has room again", ("machine, passed elsewhere", "flaky"), runners=_SCRIPTS),
    Behaviour("gpu_hang_once", "its GPU hangs once", ("machine, passed elsewhere",), weight=4, leaves="gpu-hang", gpus=1, runners=_SCRIPTS),
    Behaviour("wild_kernel", "hangs every GPU that it gets", ("crash", "assertion"), at_most=3, leaves="gpu-hang", gpus=2, runners=_SCRIPTS),
    Behaviour("ecc_once", "an uncorrectable memory error of its GPU, once", ("machine, passed elsewhere",), weight=3, leaves="ecc", gpus=1, runners=_SCRIPTS),
    Behaviour("vanishes", "its GPU falls off the bus", ("machine, passed elsewhere",), weight=1, at_most=1, leaves="gpu-lost", gpus=2, runners=_SCRIPTS),
    Behaviour("leaks", "passes, leaves 3 GB of VRAM with a dead context", ("passed",), at_most=2, leaves="vram-left", gpus=1, runners=_SCRIPTS),
    Behaviour("forged_and_passes", "prints a GPU hang that never happened, passes", ("passed",), weight=2),
    Behaviour("forged_and_fails", "prints a GPU hang that never happened, an assertion fails", ("assertion",), weight=3),
    Behaviour("kills_parent", "kills the process above its own", ("passed", "crash", "flaky", "unreported"), runners=(PYTEST,), at_most=2),
)  # fmt: skip
BY_NAME = {behaviour.name: behaviour for behaviour in BEHAVIOURS}
