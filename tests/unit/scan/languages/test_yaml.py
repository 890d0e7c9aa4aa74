"""Workflows, Compose, conda, Kubernetes and other YAML → regions with guards."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from rocm_ci.scan.languages.yaml import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards, places, regions

NV, AMD, NONE, EITHER = Guard.NVIDIA, Guard.AMD, Guard.NONE, Guard.EITHER
WORKFLOW = ".github/workflows/ci.yml"


def job(body: str, name: str = "test") -> str:
    return f"on: push\njobs:\n  {name}:\n" + "".join(f"    {line}\n" for line in body.splitlines())


def cut(text: str, path: str = WORKFLOW) -> dict[str, Guard]:
    return {r.text: r.guard for r in regions(LANGUAGE, text, path) if r.kind is RegionKind.CODE}


@pytest.mark.parametrize(
    ("name", "runs_on", "guard"),
    [
        ("test", "ubuntu-latest", NONE),
        ("cuda", "ubuntu-latest", NV),
        ("test", "[self-hosted, h100]", NV),
        ("test", "[self-hosted, l4]", NV),
        ("test", "[self-hosted, mi300x]", AMD),
        ("build-rocm", "ubuntu-latest", AMD),
        ("both", "[cuda, rocm]", NONE),
    ],
)
def test_a_job_is_for_the_vendor_of_its_name_or_runner(name: str, runs_on: str, guard: Guard) -> None:
    assert cut(job(f"runs-on: {runs_on}\nsteps:\n  - run: make", name))["make"] is guard


@pytest.mark.parametrize(
    ("condition", "guard"),
    [
        ("matrix.gpu == 'nvidia'", NV),
        ("${{ matrix.backend != 'rocm' }}", NV),
        ("contains(matrix.os, 'rocm')", AMD),
        ("!contains(matrix.os, 'rocm')", NV),
        ("inputs.use_cuda", NV),
        ("github.ref == 'main' && matrix.gpu == 'amd'", AMD),
        ("always()", NONE),
    ],
)
def test_a_step_is_guarded_by_its_condition(condition: str, guard: Guard) -> None:
    text = job(f'runs-on: x\nsteps:\n  - if: "{condition}"\n    run: make')

    assert cut(text)["make"] is guard


def test_the_name_of_a_step_is_no_guard() -> None:
    assert cut(job("runs-on: x\nsteps:\n  - name: nvidia-smi\n    run: make"))["make"] is NONE


def test_legs_of_a_matrix_are_for_their_vendor() -> None:
    text = job(
        "runs-on: x\nstrategy:\n  matrix:\n    include:\n"
        "      - {backend: cuda, image: nvidia/cuda}\n      - {backend: rocm, image: rocm/dev}"
    )
    found = {r.text: r.guard for r in regions(LANGUAGE, text, WORKFLOW) if r.kind is RegionKind.VALUE}

    assert (found["nvidia/cuda"], found["rocm/dev"]) == (NV, AMD)


def test_a_list_with_both_vendors_is_a_choice() -> None:
    text = job("runs-on: x\nstrategy:\n  matrix:\n    image: [nvidia/cuda, rocm/dev]")

    assert guards(LANGUAGE, text, WORKFLOW)["nvidia/cuda"] is EITHER


@pytest.mark.parametrize("style", ["|", "|-", ">", "|2"])
def test_scripts_have_the_lines_of_the_file(style: str) -> None:
    text = job(f"runs-on: x\nsteps:\n  - run: {style}\n      make\n      nvcc -V\n  - run: last")

    assert (8, 11, "nvcc -V") in places(LANGUAGE, text, WORKFLOW, RegionKind.CODE)
    assert (9, 14, "last") in places(LANGUAGE, text, WORKFLOW, RegionKind.CODE)


def test_a_folded_script_is_one_command() -> None:
    text = job("runs-on: x\nsteps:\n  - run: >\n      docker run\n      --gpus all")

    assert "command:docker" in context_of(LANGUAGE, text, WORKFLOW, "--gpus all")


def test_conditions_inside_a_script_guard() -> None:
    text = job('runs-on: x\nsteps:\n  - run: |\n      if [ "$V" = nvidia ]; then\n        nvcc -V\n      fi')

    assert cut(text)["nvcc -V"] is NV


def test_scripts_of_other_languages_are_left_out() -> None:
    assert cut(job("runs-on: x\nsteps:\n  - shell: python\n    run: nvcc")) == {}


@pytest.mark.parametrize(
    ("shell", "script"),
    [
        ("pwsh", 'if ($V -eq "nvidia") { nvcc }'),
        ("cmd", 'if "%V%"=="nvidia" nvcc'),
    ],
)
def test_scripts_of_windows_are_read_with_their_own_conditions(shell: str, script: str) -> None:
    assert cut(job(f"runs-on: x\nsteps:\n  - shell: {shell}\n    run: {script!r}"))["nvcc"] is NV


COMPOSE = """\
services:
  app:
    image: x
    runtime: nvidia
    environment:
      - NVIDIA_VISIBLE_DEVICES=all
  app-cuda:
    image: y
  gpu:
    profiles: [nvidia]
    image: z
"""


def test_services_are_for_the_vendor_of_their_name_or_profile() -> None:
    found = {r.text: r.guard for r in regions(LANGUAGE, COMPOSE, "compose.yml") if r.kind is RegionKind.VALUE}

    assert (found["x"], found["y"], found["z"]) == (NONE, NV, NV)


def test_values_know_the_keys_that_lead_to_them() -> None:
    assert context_of(LANGUAGE, COMPOSE, "compose.yml", "NVIDIA_VISIBLE_DEVICES=all") == (
        "doc:compose",
        "services",
        "app",
        "environment",
    )


def test_conda_dependencies_are_requirements() -> None:
    text = "name: a\nchannels: [nvidia]\ndependencies:\n  - pytorch-cuda=12.1\n  - pip:\n      - pynvml\n"

    assert places(LANGUAGE, text, "environment.yml", RegionKind.REQUIREMENT) == [
        (4, 5, "pytorch-cuda=12.1"),
        (6, 9, "pynvml"),
    ]


def test_recipes_are_read_with_their_templates_blanked() -> None:
    text = '{% set v = "1" %}\npackage:\n  name: a\n  version: {{ v }}\nrequirements:\n  run:\n    - cudatoolkit  # [cuda]\n    - numpy\n'
    found = guards(LANGUAGE, text, "meta.yaml")

    assert (found["cudatoolkit"], found["numpy"]) == (NV, NONE)


def test_the_exec_form_of_a_command_is_one_command() -> None:
    text = 'apiVersion: v1\nspec:\n  command: ["nvidia-smi", "-L"]\n'

    assert "command:nvidia-smi" in context_of(LANGUAGE, text, "pod.yaml", "nvidia-smi -L")


@pytest.mark.parametrize(
    ("path", "guard"), [("docker-compose.cuda.yml", NV), ("ci/rocm.yml", AMD), ("ci.yml", NONE)]
)
def test_a_path_says_for_whom_a_document_is(path: str, guard: Guard) -> None:
    assert guards(LANGUAGE, "a: b\n", path)["b"] is guard


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "a: [",
        "- - -",
        "a: &x [*x]",
        "%",
        "\t- a",
        "a: !!python/object:os.system x",
        "? [a]\n: b",
        "---\n---\na: |\n",
        "a: 'b\n  c'\n",
        '"a\\\n b": c',
    ],
)
def test_broken_and_strange_input_does_not_raise(text: str) -> None:
    LANGUAGE.parse(Source("a.yml", text, tuple(text.split("\n"))))


def test_aliases_cannot_make_a_small_file_endless() -> None:
    text = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )

    assert len(LANGUAGE.parse(Source("a.yml", text, tuple(text.split("\n")))).regions) < 300_000


@pytest.mark.parametrize(
    ("said", "guard"),
    [
        ("brand: NVIDIA", NV),
        ("vendor: nvidia", NV),
        ("gpu: H100", NV),
        ("brand: AMD", AMD),
        ("note: on NVIDIA", NONE),
    ],
)
def test_an_entry_is_for_the_vendor_that_it_names_beside(said: str, guard: Guard) -> None:
    found = cut(f"dependencies:\n  - command: pip install x\n    {said}\n", "recipes/model.yaml")

    assert found["pip install x"] is guard


HELPERS = """{{/*
Define resources: nvidia.com/gpu
*/}}
{{- define "chart.resources" -}}
limits:
  memory: {{ .Values.memory | quote }}
  nvidia.com/gpu: {{ .Values.gpus | quote }}
{{- end }}
"""


def test_the_helpers_of_a_chart_are_read_without_their_comments() -> None:
    assert LANGUAGE.claims(PurePosixPath("chart/templates/_helpers.tpl"), "")
    assert not LANGUAGE.claims(PurePosixPath("src/kernel.tpl"), "")

    found = regions(LANGUAGE, HELPERS, "chart/templates/_helpers.tpl")
    assert [(r.line, r.column) for r in found if "nvidia" in r.text] == [(7, 3)]


@pytest.mark.parametrize(
    ("condition", "end", "guard"),
    [
        ('gt (int (index .Values.limits "nvidia.com/gpu")) 0', "", NONE),
        ('gt (int (index .Values.limits "nvidia.com/gpu")) 0', '{{- else }}\n  amd.com/gpu: "1"\n', NV),
        ('eq .Values.gpu.vendor "nvidia"', "", NV),
    ],
)
@pytest.mark.parametrize("head", ["limits:", "limits: [\nlimits:"])  # valid YAML or not
def test_a_resource_under_a_question_for_itself_is_no_choice(
    head: str, condition: str, end: str, guard: Guard
) -> None:
    text = f'{head}\n  {{{{- if {condition} }}}}\n  nvidia.com/gpu: "1"\n{end}  {{{{- end }}}}\n'
    (found,) = (r for r in regions(LANGUAGE, text, "chart/templates/a.yaml") if r.text == "nvidia.com/gpu")

    assert found.guard is guard
