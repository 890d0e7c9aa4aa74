"""Result files as the tools write them. Layouts: see the docstrings of the format modules."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.model.perf import Better
from rocm_ci.perf.formats.base import FormatError, Measurement
from rocm_ci.perf.formats.google_benchmark import FORMAT as GOOGLE
from rocm_ci.perf.formats.pytest_benchmark import FORMAT as PYTEST


def google(*entries: dict[str, object]) -> str:
    return json.dumps({"context": {"num_cpus": 2}, "benchmarks": list(entries)})


def iteration(name: str, took: float, **more: object) -> dict[str, object]:
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "real_time": took,
        "cpu_time": took,
        "time_unit": "us",
        **more,
    }


def test_google_benchmark_repetitions_of_one_name_are_one_measurement() -> None:
    text = google(iteration("a/8", 3.0), iteration("a/8", 4.0), iteration("b", 1.0))

    assert GOOGLE.read(text) == (
        Measurement(name="a/8", unit="us", better=Better.LOWER, values=(3.0, 4.0)),
        Measurement(name="b", unit="us", better=Better.LOWER, values=(1.0,)),
    )


def test_google_benchmark_aggregates_are_not_counted_again() -> None:
    mean = {
        "name": "a_mean",
        "run_name": "a",
        "run_type": "aggregate",
        "aggregate_name": "mean",
        "real_time": 99.0,
        "time_unit": "us",
    }

    assert GOOGLE.read(google(iteration("a", 3.0), mean))[0].values == (3.0,)


def test_google_benchmark_with_aggregates_only_gives_the_median() -> None:
    entries = [
        {
            "name": f"a_{kind}",
            "run_name": "a",
            "run_type": "aggregate",
            "aggregate_name": kind,
            "real_time": value,
            "time_unit": "ms",
        }
        for kind, value in (("mean", 9.0), ("median", 7.0), ("stddev", 1.0))
    ]

    assert GOOGLE.read(google(*entries)) == (
        Measurement(name="a", unit="ms", better=Better.LOWER, values=(7.0,)),
    )


def test_google_benchmark_rates_are_series_where_more_is_better() -> None:
    found = GOOGLE.read(google(iteration("copy", 3.0, bytes_per_second=1e9)))

    assert found[1] == Measurement(
        name="copy bytes_per_second", unit="B/s", better=Better.HIGHER, values=(1e9,)
    )


def test_a_google_benchmark_that_reported_an_error_is_no_measurement() -> None:
    text = google(iteration("bad", 0.0, error_occurred=True, error_message="no GPU"), iteration("a", 3.0))

    assert [m.name for m in GOOGLE.read(text)] == ["a"]


def test_pytest_benchmark_with_data_gives_every_round_and_without_the_median() -> None:
    text = json.dumps(
        {
            "machine_info": {},
            "benchmarks": [
                {"name": "test_a", "fullname": "t.py::test_a", "stats": {"median": 0.2, "data": [0.1, 0.3]}},
                {"name": "test_b", "fullname": "t.py::test_b", "stats": {"median": 0.5}},
            ],
        }
    )

    assert PYTEST.read(text) == (
        Measurement(name="t.py::test_a", unit="s", better=Better.LOWER, values=(0.1, 0.3)),
        Measurement(name="t.py::test_b", unit="s", better=Better.LOWER, values=(0.5,)),
    )
    assert PYTEST.claims(text)
    assert not GOOGLE.claims(text)


@pytest.mark.parametrize("form", [GOOGLE, PYTEST], ids=["google", "pytest"])
@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"benchmarks": 3}', '{"benchmarks": []}', '{"benchmarks": [1, null]}', "[" * 9999],
)
def test_what_is_no_result_is_said_with_advice(form: object, text: str) -> None:
    with pytest.raises(FormatError) as caught:
        form.read(text)  # type: ignore[attr-defined]

    assert caught.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["name", "run_name", "real_time", "stats", "run_type", "time_unit"]), JSON
        )
    )
)
def test_any_entries_are_read_or_refused(entries: list[dict[str, object]]) -> None:
    for form in (GOOGLE, PYTEST):
        try:
            found = form.read(json.dumps({"benchmarks": entries}))
        except FormatError:
            continue
        assert all(m.name and m.values for m in found)
