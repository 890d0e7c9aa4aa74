"""Jenkins, Apptainer, bake, settings and lock files → regions with guards."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from rocm_ci.scan.language_registry import language_of
from rocm_ci.scan.languages import apptainer, groovy, hcl, lock_files, settings_lines
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards, places

NV, AMD, NONE = Guard.NVIDIA, Guard.AMD, Guard.NONE


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("Jenkinsfile.rocm", "jenkins"),
        ("docker-bake.hcl", "hcl"),
        (".env", "settings"),
        ("cuda.env", "settings"),
        (".bazelrc", "settings"),
        ("uv.lock", "lock"),
        ("conda-lock.yml", "lock"),
        ("build.bat", "windows-script"),
        ("justfile", "makefile"),
        ("CMakePresets.json", "yaml"),
        (".devcontainer/devcontainer.json", "yaml"),
        ("package.json", None),
        ("main.tf.hcl", None),
        (".env.ts", None),
    ],
)
def test_files_are_known_by_name(path: str, name: str | None) -> None:
    found = language_of(path, "")

    assert (found.name if found else None) == name


def test_a_def_file_of_something_else_is_no_container() -> None:
    assert apptainer.LANGUAGE.claims(PurePosixPath("a.def"), "Bootstrap: docker\n")
    assert not apptainer.LANGUAGE.claims(PurePosixPath("a.def"), "EXPORTS\n  foo\n")


def test_stages_of_jenkins_guard_by_name_label_and_condition() -> None:
    text = (
        "pipeline { stages {\n"
        "stage('Test CUDA') { steps { sh 'one x' } }\n"
        "stage('x') { agent { label 'mi300' }\n steps { sh 'two x' } }\n"
        "stage('y') { when { expression { params.B == 'cuda' } }\n steps { sh 'three x' } }\n"
        "stage('z') { steps { sh 'four x'\n echo 'five x' } }\n"
        "} }\n"
    )
    found = guards(groovy.LANGUAGE, text, "Jenkinsfile")

    assert (found["one x"], found["two x"], found["three x"], found["four x"]) == (NV, AMD, NV, NONE)
    assert "five x" not in found


def test_sections_of_apptainer_are_shell() -> None:
    text = "Bootstrap: docker\nFrom: a/b\n%post\n  one x\n%help\n  two x\n"

    assert places(apptainer.LANGUAGE, text, "a.def", RegionKind.CODE) == [(4, 3, "one x")]
    assert context_of(apptainer.LANGUAGE, text, "a.def", "a/b") == ("from",)


def test_targets_of_bake_guard_their_arguments() -> None:
    text = 'variable "BASE" { default = "a" }\ntarget "cuda" {\n  args = { X = "b" }\n}\ntarget "t" { y = "c" }\n'

    assert guards(hcl.LANGUAGE, text, "docker-bake.hcl") == {"a": NONE, "b": NV, "c": NONE}
    assert context_of(hcl.LANGUAGE, text, "docker-bake.hcl", "a") == ("arg:BASE",)


def test_configurations_of_bazel_guard_their_options() -> None:
    text = "build:cuda --a=1\nbuild:rocm --action_env=X=2\nbuild --config=cuda # why\n"
    found = guards(settings_lines.LANGUAGE, text, ".bazelrc")

    assert (found["--a=1"], found["2"], found["--config=cuda"]) == (NV, AMD, NONE)
    assert "why" not in found


def test_a_lock_file_is_left_out_where_its_manifest_names_cuda() -> None:
    text = '[[package]]\nname = "nvidia-cublas-cu12"\n'
    source = Source("a/uv.lock", text, tuple(text.split("\n")))
    manifest = Source(
        "a/uv.lock", text, source.lines, read=lambda path: b"cu124" if path == "a/pyproject.toml" else None
    )

    assert [r.text for r in lock_files.LANGUAGE.parse(source).regions] == ["nvidia-cublas-cu12"]
    assert lock_files.LANGUAGE.parse(manifest).regions == ()


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("poetry.lock", 'name = "cupy-cuda12x"'),
        ("Pipfile.lock", '        "cupy-cuda12x": {'),
        ("conda-lock.yml", "- name: cupy-cuda12x"),
        ("pixi.lock", "- pypi: files/cupy-cuda12x-13.2.0.whl"),
    ],
)
def test_every_kind_of_lock_file_names_its_packages(path: str, line: str) -> None:
    assert [text for *_, text in places(lock_files.LANGUAGE, line, path, RegionKind.REQUIREMENT)] == [
        "cupy-cuda12x"
    ]
