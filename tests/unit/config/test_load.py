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


@pytest.mark.attack(
    "10", "thresholds, fail-on, mounts and exclusions that a fork weakens in its own configuration"
)
def test_a_strangers_gates_come_from_the_merge_base() -> None:
    loaded = load(WEAK + "test:\n  - {name: new, run: x}\n", {}, base_text=STRICT, trusted=False)

    assert loaded.config.require_gpu
    assert loaded.config.scan.exclude == ("docs",)
    assert loaded.config.scan.fail_on == "error"
    assert [(p.run, p.min_effect) for p in loaded.config.perf] == [("measure", "3%")]
    assert [t.name for t in loaded.config.test] == ["new"]
    assert "from the merge base for what guards the branch: require-gpu, scan, perf (a)" in loaded.notices[0]
    assert {s.source for s in loaded.settings if s.name != "test"} == {
        ".github/rocm-ci.yml at the merge base"
    }


STEPS = """\
build:
  - {name: lib, run: make, artifacts: ["*.so"]}
test:
  - {name: unit, run: ctest, timeout: 5m}
  - {name: io, run: pytest}
perf:
  - {name: saxpy, run: bench, better: higher}
"""


@pytest.mark.attack("10", "a build, suite or benchmark that a fork's configuration softens or leaves out")
@pytest.mark.parametrize(
    ("head", "told"),
    [
        (STEPS.replace("run: make", "run: 'true'"), "build (lib)"),
        (STEPS.replace(', artifacts: ["*.so"]', ""), "build (lib)"),
        (STEPS.replace("ctest", "'true'"), "test (unit)"),
        (STEPS.replace("name: unit", "name: unit2"), "test (unit)"),
        (STEPS.replace("5m", "9h"), "test (unit)"),
        (STEPS.replace("run: pytest", "run: pytest, retries: 5"), "test (io)"),
        (STEPS.replace("run: pytest", "run: pytest, env: {SKIP: all}"), "test (io)"),
        (STEPS.replace("higher", "lower"), "perf (saxpy)"),
        (STEPS.replace("better: higher", "better: higher, rounds: 5"), "perf (saxpy)"),
        (STEPS.replace("better: higher", "better: higher, format: pytest-benchmark"), "perf (saxpy)"),
        ("", "build (lib), test (unit, io), perf (saxpy)"),
        (None, "build (lib), test (unit, io), perf (saxpy)"),
    ],
)
def test_a_stranger_cannot_soften_or_drop_a_step(head: str | None, told: str) -> None:
    loaded = load(head, {}, base_text=STEPS, trusted=False)

    guarded = load(STEPS, {}).config
    assert loaded.config.build == guarded.build
    assert loaded.config.test[:2] == guarded.test
    assert loaded.config.perf[:1] == guarded.perf
    assert f"branch: {told}." in loaded.notices[0]


def test_a_strangers_own_build_does_not_replace_the_detected_one() -> None:
    loaded = load("build: [{name: x, run: 'true'}]\n", {}, base_text="", trusted=False)

    assert loaded.config.build == ()
    assert "build (x)" in loaded.notices[0]


def test_a_stranger_may_add_and_reorder_steps() -> None:
    head = load(STEPS, {}).config
    added = STEPS.replace("test:\n", "test:\n  - {name: more, run: x}\n")
    loaded = load(added, {}, base_text=STEPS, trusted=False)

    assert loaded.config.test[:2] == head.test
    assert [t.name for t in loaded.config.test] == ["unit", "io", "more"]
    assert loaded.notices == ()


@pytest.mark.attack("10", "gates of a fork where the base has no configuration")
def test_a_stranger_cannot_bring_gates_where_the_base_has_none() -> None:
    loaded = load(WEAK, {}, base_text=None, trusted=False)

    assert loaded.config.scan == Config().scan
    assert loaded.config.require_gpu


def test_a_members_changed_gates_hold_but_are_told() -> None:
    loaded = load(WEAK, {}, base_text=STRICT, trusted=True)

    assert not loaded.config.require_gpu
    assert "changes what guards the branch: require-gpu, scan, perf (a)" in loaded.notices[0]


def test_a_member_may_repair_a_file_that_is_broken_at_the_base() -> None:
    loaded = load(STRICT, {}, base_text="scna: {}\n", trusted=True)

    assert loaded.config.scan.exclude == ("docs",)
    assert "could not be compared" in loaded.notices[0]
    with pytest.raises(ConfigError, match="at the merge base"):
        load(STRICT, {}, base_text="scna: {}\n", trusted=False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("test: [{name: a, run: x}, {name: a, run: y}]", "two steps called 'a'"),
        ("test: [{name: a, run: ' '}]", "the command is empty"),
        ('build: [{name: a, run: "a\\0b"}]', "NUL"),
        ("build: [{name: a, run: x, env: {'A=B': c}}]", "'A=B' cannot be set"),
        ("perf: [{name: a, run: x, timeout: 0s}]", "no time to wait for"),
        (f"perf: [{{name: a, run: x, timeout: {'9' * 400}h}}]", "no time to wait for"),
        ("test: [{name: a, run: x, timeout: 10}]", "`test[0].timeout`"),
        ("test: [{name: a, run: x, timeout: 10 minutes}]", "this is no time"),
        ("arch: gfx90a", "a list is expected"),
        ("? [a, b]\n: c", "a key must be plain text"),
        ("scan: {1: 2}", "a key must be plain text"),
        ("version: 2020-99-99", "a value cannot be read"),
        ("jobs: !!int foo", "a value cannot be read"),
        ("jobs: !!timestamp foo", "a value cannot be read"),
        (f"jobs: {'9' * 5000}", "a value cannot be read"),
    ],
)
def test_what_cannot_work_is_a_configuration_error(text: str, said: str) -> None:
    error = problem(text)

    assert str(error).startswith(".github/rocm-ci.yml:")
    assert said in str(error)
    assert error.hint


def test_a_rule_can_be_switched_off_by_the_word_off() -> None:
    assert load("scan: {rules: {cuda-header: off}}\n", {}).config.scan.rules == {"cuda-header": "off"}


def test_equal_gates_need_no_word() -> None:
    assert load(STRICT, {}, base_text=STRICT, trusted=False).notices == ()


def test_the_published_schema_is_the_code_and_accepts_what_the_code_accepts() -> None:
    import jsonschema
    import yaml

    published = json.loads(Path("docs/rocm-ci.schema.json").read_text())

    assert published == json.loads(json.dumps(schema())), "run `make gen`"
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(yaml.safe_load(FULL), published)
    wrong: list[dict[str, object]] = [
        {"arch": []},
        {"scan": {"exlude": []}},
        {"test": [{"name": "a"}]},
        {"version": 2},
    ]
    for bad in wrong:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, published)
