"""Configuration text in, typed options out; every mistake is told with file, line and a way on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rocm_ci.config.load import load
from rocm_ci.config.options import Config, percent, seconds
from rocm_ci.config.schema import schema
from rocm_ci.errors import ConfigError

FULL = """\
version: 1
arch: [gfx90a, gfx942]
scan: {exclude: ["third_party/**"], fail-on: error}
build:
  - {name: kernels, run: "cmake -B build -DX={arch;} && cmake --build build -j{jobs}", artifacts: ["build/*.so"], timeout: 30m}
test:
  - {name: unit, layer: unit, run: "ctest --test-dir build --output-junit {junit}", gpus: 1, timeout: 10m, retries: 1}
perf:
  - {name: saxpy, run: "./build/bench --benchmark_out={out}", format: google-benchmark, better: lower, min-effect: 3%, gpus: 1}
"""


def problem(text: str, **environment: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(text, environment)
    return caught.value


@pytest.mark.parametrize("text", [None, "", "\n# nothing\n", "---\n"])
def test_no_file_and_an_empty_file_give_the_defaults(text: str | None) -> None:
    loaded = load(text, {})

    assert loaded.config == Config()
    assert loaded.settings == ()


def test_the_example_of_the_design_is_read_whole() -> None:
    config = load(FULL, {}).config

    assert config.arch == ("gfx90a", "gfx942")
    assert config.test[0].gpus == 1
    assert percent(config.perf[0].min_effect) == 3.0
    assert seconds(config.build[0].timeout) == 1800


def test_an_unknown_key_names_its_line_and_the_nearest_one() -> None:
    error = problem("version: 1\nscan:\n  exlude: []\n")

    assert str(error) == ".github/rocm-ci.yml:3: unknown key `exlude`"
    assert error.hint == "did you mean `exclude`?"


def test_an_unknown_key_inside_a_list_names_its_line_too() -> None:
    error = problem("test:\n  - name: a\n    run: x\n  - name: b\n    run: y\n    timeuot: 3m\n")

    assert ".github/rocm-ci.yml:6: unknown key `timeuot`" in str(error)
    assert error.hint == "did you mean `timeout`?"


@pytest.mark.parametrize(
    ("text", "line", "option"),
    [
        ("arch: gfx90a\n", 1, "arch"),
        ("version: 2\n", 1, "version"),
        ("\njobs: many\n", 2, "jobs"),
        ("test:\n  - name: a\n    run: 7\n", 3, "test[0].run"),
        ("test:\n  - name: a\n    run: x\n    timeout: 10\n", 4, "test[0].timeout"),
        ("test:\n  - name: a\n    run: x\n    timeout: soon\n", 4, "test[0].timeout"),
        ("arch: [sm_90]\n", 1, "arch[0]"),
        ("arch: []\n", 1, "arch"),
        ("perf:\n  - {name: a, run: x, min-effect: 3}\n", 2, "perf[0].min-effect"),
        ("build:\n  - {name: '../x', run: x}\n", 2, "build[0].name"),
    ],
)
def test_a_wrong_value_names_its_line_and_option(text: str, line: int, option: str) -> None:
    error = problem(text)

    assert str(error).startswith(f".github/rocm-ci.yml:{line}: `{option}`: ")
    assert error.hint


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "a: b: c",
        "\t- x",
        "- 1\n- 2\n",
        "just text",
        "a: 1\na: 2\n",
        "a: &x [1]\nb: *x\n",
        "1: 2\n",
        "\x00",
    ],
)
def test_broken_yaml_is_an_error_with_a_place_and_never_a_traceback(text: str) -> None:
    assert ".github/rocm-ci.yml" in str(problem(text))


def test_a_huge_file_is_refused() -> None:
    assert "too much" in str(problem("#" * 1_000_001))


def test_deep_nesting_is_refused() -> None:
    assert "not valid YAML" in str(problem("[" * 5000))


def test_the_environment_wins_and_is_named_as_the_source() -> None:
    loaded = load(
        "arch: [gfx90a]\nscan: {exclude: [x]}\n",
        {"ROCM_CI_ARCH": "gfx942, gfx950", "ROCM_CI_FAIL_ON": "warning"},
    )

    assert loaded.config.arch == ("gfx942", "gfx950")
    assert loaded.config.scan.fail_on == "warning"
    assert loaded.config.scan.exclude == ("x",)
    assert [(s.name, s.source) for s in loaded.settings] == [
        ("scan.exclude", ".github/rocm-ci.yml"),
        ("arch", "$ROCM_CI_ARCH"),
        ("scan.fail-on", "$ROCM_CI_FAIL_ON"),
    ]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ROCM_CI_REQUIRE_GPU", "maybe"),
        ("ROCM_CI_JOBS", "-1"),
        ("ROCM_CI_ARCH", "sm_90"),
        ("ROCM_CI_FAIL_ON", "sometimes"),
        ("ROCM_CI_STAGES", "scan,bild"),
    ],
)
def test_a_wrong_input_is_told_by_its_name(variable: str, value: str) -> None:
    error = problem("", **{variable: value})

    assert str(error).startswith("input `")
    assert error.hint


def test_an_empty_input_means_not_given() -> None:
    assert load("jobs: 3\n", {"ROCM_CI_JOBS": "", "ROCM_CI_ARCH": "  "}).config.jobs == 3


WEAK = "require-gpu: false\nscan: {exclude: ['**'], fail-on: never}\nperf:\n  - {name: a, run: cheat, min-effect: 99%}\n"
STRICT = "scan: {exclude: [docs]}\nperf:\n  - {name: a, run: measure}\n"


def test_a_strangers_gates_come_from_the_merge_base() -> None:
    loaded = load(WEAK + "test:\n  - {name: new, run: x}\n", {}, base_text=STRICT, trusted=False)

    assert loaded.config.require_gpu
    assert loaded.config.scan.exclude == ("docs",)
    assert loaded.config.scan.fail_on == "error"
    assert [(p.run, p.min_effect) for p in loaded.config.perf] == [("measure", "3%")]
    assert [t.name for t in loaded.config.test] == ["new"]
    assert (
        "taken from the merge base for what guards the branch: require-gpu, scan, perf" in loaded.notices[0]
    )


def test_a_stranger_cannot_bring_gates_where_the_base_has_none() -> None:
    loaded = load(WEAK, {}, base_text=None, trusted=False)

    assert loaded.config.scan == Config().scan
    assert loaded.config.require_gpu


def test_a_members_changed_gates_hold_but_are_told() -> None:
    loaded = load(WEAK, {}, base_text=STRICT, trusted=True)

    assert not loaded.config.require_gpu
    assert "changes what guards the branch: require-gpu, scan, perf" in loaded.notices[0]


def test_equal_gates_need_no_word() -> None:
    assert load(STRICT, {}, base_text=STRICT, trusted=False).notices == ()


def test_the_published_schema_is_the_code_and_accepts_what_the_code_accepts() -> None:
    import jsonschema
    import yaml

    published = json.loads(Path("docs/rocm-ci.schema.json").read_text())

    assert published == json.loads(json.dumps(schema())), "run `make gen`"
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(yaml.safe_load(FULL), published)
    for bad in ({"arch": []}, {"scan": {"exlude": []}}, {"test": [{"name": "a"}]}, {"version": 2}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, published)
