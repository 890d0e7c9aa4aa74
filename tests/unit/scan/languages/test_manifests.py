"""Requirement files, TOML and INI → requirements and values with their guards."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from rocm_ci.scan.languages import requirements, setup_cfg, toml
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards, places

NV, AMD, NONE, EITHER = Guard.NVIDIA, Guard.AMD, Guard.NONE, Guard.EITHER


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("requirements.txt", True),
        ("requirements-dev.txt", True),
        ("dev_requirements.txt", True),
        ("requirements/common.txt", True),
        ("ci/constraints-rocm.txt", True),
        ("requirements.in", True),
        ("notes.txt", False),
        ("data/requirements.md", False),
    ],
)
def test_requirement_files_are_known_by_name(path: str, claimed: bool) -> None:
    assert requirements.LANGUAGE.claims(PurePosixPath(path), "") is claimed


def test_a_requirement_stands_without_comment_and_continuation() -> None:
    text = "# a\nnumpy<2  # why\n  torch==2.4.1+cu121 \\\n    --hash=sha256:aa\n\n-r other.txt\n"

    assert places(requirements.LANGUAGE, text, "requirements.txt", RegionKind.REQUIREMENT) == [
        (2, 1, "numpy<2"),
        (3, 3, "torch==2.4.1+cu121"),
    ]


def test_options_keep_their_value() -> None:
    text = "--extra-index-url https://example.org/whl/cu121\n"

    assert places(requirements.LANGUAGE, text, "requirements.txt", RegionKind.VALUE) == [
        (1, 19, "https://example.org/whl/cu121")
    ]
    assert context_of(requirements.LANGUAGE, text, "requirements.txt", "https://example.org/whl/cu121") == (
        "option:--extra-index-url",
    )


@pytest.mark.parametrize(
    ("path", "guard"),
    [
        ("requirements-cuda.txt", NV),
        ("requirements/nvidia.txt", NV),
        ("requirements-rocm.txt", AMD),
        ("requirements-gpu.txt", NONE),
    ],
)
def test_a_file_named_after_a_vendor_is_for_it(path: str, guard: Guard) -> None:
    assert guards(requirements.LANGUAGE, "pynvml", path)["pynvml"] is guard


def test_a_marker_for_an_extra_makes_a_requirement_optional() -> None:
    assert guards(requirements.LANGUAGE, 'a; extra == "cuda"', "requirements.txt") == {
        'a; extra == "cuda"': EITHER
    }
    assert guards(requirements.LANGUAGE, 'a; sys_platform == "linux"', "requirements.txt") == {
        'a; sys_platform == "linux"': NONE
    }


PYPROJECT = """\
[build-system]
requires = ["setuptools", 'torch==2.4+cu121']

[project]
description = "needs pynvml"
dependencies = [
  "torch>=2.4",  # "not me"
  "pynvml[x]>=11 ; sys_platform == 'linux'",
]

[project.optional-dependencies]
cuda = ["nvtx"]

[[tool.uv.index]]
url = "https://example.org/whl/cu124"

[tool.poetry.dependencies]
nvidia-cublas-cu12 = "*"
tensorrt = { version = "10", optional = true }
"""


def test_mandatory_dependencies_are_told_from_optional_ones() -> None:
    found = guards(toml.LANGUAGE, PYPROJECT, "pyproject.toml")

    assert found["torch==2.4+cu121"] is NONE
    assert found["pynvml[x]>=11 ; sys_platform == 'linux'"] is NONE
    assert found["nvidia-cublas-cu12"] is NONE
    assert (found["nvtx"], found["tensorrt"]) == (NV, EITHER)
    assert "needs pynvml" not in found
    assert "not me" not in found


def test_strings_of_toml_stand_where_they_are_written() -> None:
    found = places(toml.LANGUAGE, PYPROJECT, "pyproject.toml", RegionKind.REQUIREMENT)

    assert (2, 14, "setuptools") in found
    assert (2, 28, "torch==2.4+cu121") in found
    assert (7, 4, "torch>=2.4") in found
    assert (18, 1, "nvidia-cublas-cu12") in found


def test_other_strings_know_the_keys_that_lead_to_them() -> None:
    assert context_of(toml.LANGUAGE, PYPROJECT, "pyproject.toml", "https://example.org/whl/cu124") == (
        "tool",
        "uv",
        "index",
        "url",
    )


def test_lock_files_are_not_read() -> None:
    assert not toml.LANGUAGE.claims(PurePosixPath("uv.lock"), "")
    assert not toml.LANGUAGE.claims(PurePosixPath("pdm-lock.toml"), "")
    assert toml.LANGUAGE.claims(PurePosixPath("pyproject.toml"), "")


SETUP_CFG = """\
[metadata]
description = tested with pynvml
[options]
install_requires =
    numpy
    pynvml>=11  # telemetry
    cupy-cuda12x ; platform_system == "Linux"
python_requires = >=3.10
[options.extras_require]
cuda =
    nvtx
"""


def test_setup_cfg_tells_mandatory_from_extras() -> None:
    found = guards(setup_cfg.LANGUAGE, SETUP_CFG, "setup.cfg")

    assert found["pynvml>=11"] is NONE
    assert found['cupy-cuda12x ; platform_system == "Linux"'] is NONE
    assert found["nvtx"] is EITHER
    assert not any("tested" in text for text in found)


def test_setup_cfg_gives_places() -> None:
    assert (6, 5, "pynvml>=11") in places(setup_cfg.LANGUAGE, SETUP_CFG, "setup.cfg", RegionKind.REQUIREMENT)


@pytest.mark.parametrize(
    "text", ["", "[", "=", "[a", 'a = """', "a = [", "a = '", "\t", " = x\n  y", "]]", "a.b.c", "--"]
)
def test_broken_input_does_not_raise(text: str) -> None:
    for one, path in (
        (requirements.LANGUAGE, "requirements.txt"),
        (toml.LANGUAGE, "a.toml"),
        (setup_cfg.LANGUAGE, "setup.cfg"),
    ):
        one.parse(Source(path, text, tuple(text.split("\n"))))
