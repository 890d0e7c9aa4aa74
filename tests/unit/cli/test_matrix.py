"""The jobs that share a run: nothing is left out, and each has a name that a leg may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.cli.matrix import By, include, leg_name
from rocm_ci.config.options import Config, PerfOptions, TestOptions
from rocm_ci.errors import UsageError
from rocm_ci.model.case import Layer
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.plan import plan
from rocm_ci.report.legs import NAME

if TYPE_CHECKING:
    from rocm_ci.model.matrix import Entry

EVENT = Event(kind=EventKind.LOCAL, head="1" * 40, base="2" * 40, merge_base="2" * 40)
CONFIG = Config(
    arch=("gfx90a", "gfx942:xnack-"),
    test=(
        TestOptions(name="unit", run="a"),
        TestOptions(name="two gpus", run="b", gpus=2, layer=Layer.SYSTEM),
    ),
    perf=(PerfOptions(name="saxpy", run="c", gpus=1),),
)


def entries(by: By, config: Config = CONFIG, event: Event = EVENT) -> tuple[Entry, ...]:
    made = plan(event, config, Changes(whole_tree=True), Facts())
    return include(event, config, made, by)


def test_one_job_does_all_of_it() -> None:
    (one,) = entries("run")

    assert (one.name, one.stages) == ("run", "scan build kernels test perf")
    assert (one.arch, one.gpus, one.suite, one.bench) == ("gfx90a gfx942:xnack-", 2, "", "")


def test_each_gpu_target_has_a_job() -> None:
    assert [(e.name, e.arch) for e in entries("arch")] == [
        ("gfx90a", "gfx90a"),
        ("gfx942-xnack", "gfx942:xnack-"),
    ]


def test_each_suite_and_benchmark_has_a_job_and_the_rest_has_one_too() -> None:
    found = entries("suite")

    assert [(e.name, e.stages, e.suite, e.bench, e.gpus) for e in found] == [
        ("scan", "scan", "", "", 0),
        ("build", "build kernels", "", "", 0),
        ("unit", "build test", "unit", "", 0),
        ("two-gpus", "build test", "two gpus", "", 2),
        ("saxpy", "build perf", "", "saxpy", 1),
    ]
    assert {s for e in found for s in e.stages.split()} == {"scan", "build", "kernels", "test", "perf"}


@pytest.mark.parametrize(
    ("names", "legs"),
    [
        (("scan", "Build", "gate"), ["scan-2", "Build-2", "gate-2"]),
        (("a b", "a+b", "A-B"), ["a-b", "a-b-2", "A-B-3"]),
        (("x" * 80, "x" * 79), ["x" * 40, "x" * 38 + "-2"]),
    ],
)
def test_suites_whose_names_no_leg_may_have_get_others(names: tuple[str, ...], legs: list[str]) -> None:
    config = Config(stages=("test",), test=tuple(TestOptions(name=name, run="a") for name in names))

    found = entries("suite", config)

    assert [e.name for e in found] == legs
    assert [e.suite for e in found] == list(names)


def test_whatever_the_text_a_leg_name_is_one() -> None:
    taken: set[str] = set()
    for text in ("", "…", "../x", "$(id)", "::set-output::", "-", "a" * 300, "\n", "a" * 300):
        assert NAME.match(leg_name(text, taken))
    assert len(taken) == 9


def test_an_event_that_asks_for_one_suite_gives_that_job_alone() -> None:
    event = Event(kind=EventKind.LOCAL, head="1" * 40, merge_base="2" * 40, suite="unit")

    assert [e.name for e in entries("suite", event=event)] == ["scan", "build", "unit"]
    assert [(e.suite, e.bench) for e in entries("run", event=event)] == [("unit", "")]


def test_where_nothing_changed_there_is_no_job() -> None:
    assert include(EVENT, CONFIG, plan(EVENT, CONFIG, Changes(), Facts()), "suite") == ()


def test_more_jobs_than_a_matrix_can_have_are_refused() -> None:
    config = Config(test=tuple(TestOptions(name=f"s{n}", run="a") for n in range(255)))

    with pytest.raises(UsageError, match="257 jobs"):
        entries("suite", config)
