"""Languages and detectors are loaded when they are wanted; which one a file gets stays the same."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.scan import language_registry
from rocm_ci.scan.language_registry import detector, detectors, is_source, language_of, languages

STEMS = (
    *(
        "a",
        "Dockerfile",
        "Jenkinsfile-x",
        "singularity",
        "LICENSE",
        ".gitignore",
        "dockerfile-x",
        "Containerfile",
        "Jenkinsfile",
        "Singularity",
        "Apptainer",
        "makefile",
    ),
    *(
        "Makefile",
        "GNUmakefile",
        "make",
        "Make",
        "justfile",
        "CMakeLists",
        "meson",
        "meson_options",
        "poetry",
    ),
    *(
        "requirements",
        "requirements-dev",
        "x-reqs",
        "constraints",
        "setup",
        "tox",
        "pytest",
        "pylock",
        "Pipfile",
    ),
    *(
        "conda-lock",
        "uv",
        "pnpm-lock",
        "daemon",
        "CMakePresets",
        ".devcontainer",
        "devcontainer",
        "conanfile",
    ),
    *(
        ".env",
        "pip",
        ".bazelrc",
        "ld.so",
        "BUILD",
        "WORKSPACE",
        "SConstruct",
        "wscript",
        "build",
        "configure",
    ),
    *("docker-bake", ".bashrc", ".", "..", ".gitlab-ci", "kernel.cu", "x.cmake", "x.Dockerfile", "requires"),
)
SUFFIXES = (
    *(
        "",
        ".",
        ".py",
        ".PY",
        ".pyx",
        ".ipynb",
        ".scons",
        ".cu",
        ".CU",
        ".h",
        ".inc",
        ".in",
        ".jinja",
        ".sh",
        ".bash",
    ),
    *(
        ".yml",
        ".yaml",
        ".json",
        ".toml",
        ".lock",
        ".txt",
        ".cfg",
        ".ini",
        ".md",
        ".rst",
        ".cmake",
        ".mk",
        ".mak",
    ),
    *(
        ".js",
        ".ts",
        ".dockerfile",
        ".docker",
        ".Dockerfile",
        ".bazel",
        ".bzl",
        ".go",
        ".rs",
        ".m4",
        ".def",
        ".conf",
    ),
    *(
        ".env",
        ".bazelrc",
        ".bat",
        ".ps1",
        ".hcl",
        ".jenkinsfile",
        ".slurm",
        ".jsonl",
        ".proto",
        ".csv",
        ".pip",
    ),
)
FOLDERS = ("", "requirements/", "a/x.egg-info/", "etc/ld.so.conf.d/")
HEADS = ("", "#!/bin/bash\n", "#!/usr/bin/env python3\n", "Bootstrap: docker\n")


def asked_of_all(path: str, head: str) -> object:
    pure = PurePosixPath(path)
    return next((one for one in languages().values() if one.claims(pure, head)), None)


def test_a_file_gets_the_language_that_it_would_get_if_all_were_asked() -> None:
    for folder, stem, suffix, head in product(FOLDERS, STEMS, SUFFIXES, HEADS):
        path = f"{folder}{stem}{suffix}"
        assert language_of(path, head) is asked_of_all(path, head), (path, head)
        assert is_source(path) is (language_of(path, "") is not None), path


@given(st.text(alphabet="abM.-_/ékfile", max_size=12), st.sampled_from(SUFFIXES), st.sampled_from(HEADS))
def test_so_does_one_of_any_other_name(name: str, suffix: str, head: str) -> None:
    path = f"{name}{suffix}"

    assert language_of(path, head) is asked_of_all(path, head)


def test_a_file_loads_no_language_but_those_that_its_suffix_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    everyone = {name for name in sys.modules if name.startswith("rocm_ci.scan.languages.")}
    for name in everyone:
        monkeypatch.delitem(sys.modules, name)
    language_registry._of_module.cache_clear()
    try:
        found = language_of("a/x.toml", "")
        loaded = {n.rpartition(".")[2] for n in sys.modules if n.startswith("rocm_ci.scan.languages.")}
    finally:
        language_registry._of_module.cache_clear()

    assert found is not None
    assert (found.name, loaded) == ("toml", {"lock_files", "toml"})


def test_a_detector_is_found_in_the_module_called_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    everyone = dict(detectors())
    monkeypatch.setattr("rocm_ci.registry.load", lambda *_: pytest.fail("all were loaded"))
    detector.cache_clear()

    assert {name: detector(name) for name in everyone} == everyone


def test_a_detector_that_nobody_is_called_has_none() -> None:
    with pytest.raises(KeyError):
        detector("nobody")
