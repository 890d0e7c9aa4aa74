"""Dockerfiles → regions with guards."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from rocm_ci.scan.languages.dockerfile import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards, places

NV, AMD, NONE = Guard.NVIDIA, Guard.AMD, Guard.NONE


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("Dockerfile", True),
        ("docker/Dockerfile.rocm", True),
        ("a.dockerfile", True),
        ("Containerfile", True),
        ("docker.md", False),
    ],
)
def test_files_are_known_by_name(path: str, claimed: bool) -> None:
    assert LANGUAGE.claims(PurePosixPath(path), "") is claimed


def test_base_images_stand_where_they_are_written() -> None:
    text = "FROM --platform=linux/amd64 nvidia/cuda:12 AS build\nFROM build\n"

    assert places(LANGUAGE, text, "Dockerfile", RegionKind.VALUE) == [(1, 29, "nvidia/cuda:12")]
    assert context_of(LANGUAGE, text, "Dockerfile", "nvidia/cuda:12") == ("stage:build", "from")


def test_settings_over_several_lines_are_keys_and_values() -> None:
    text = 'FROM a\nENV A=1 \\\n    B="2 3"\nENV C 4 5\nARG D=6\n'

    assert places(LANGUAGE, text, "Dockerfile", RegionKind.KEY) == [
        (2, 5, "A"),
        (3, 5, "B"),
        (4, 5, "C"),
        (5, 5, "D"),
    ]
    assert places(LANGUAGE, text, "Dockerfile", RegionKind.VALUE)[1:] == [
        (2, 7, "1"),
        (3, 8, "2 3"),
        (4, 7, "4 5"),
        (5, 7, "6"),
    ]
    assert context_of(LANGUAGE, text, "Dockerfile", "6") == ("arg:D",)


def test_run_is_shell_with_its_lines() -> None:
    text = "FROM a\nRUN apt-get install \\\n    # a comment\n    x && \\\n    nvcc -V\n"

    assert (5, 5, "nvcc -V") in places(LANGUAGE, text, "Dockerfile", RegionKind.CODE)
    assert (4, 5, "x") in places(LANGUAGE, text, "Dockerfile", RegionKind.CODE)


def test_here_documents_of_run_are_shell() -> None:
    text = "FROM a\nRUN <<EOF\nnvcc -V\nEOF\nCMD run\n"

    assert places(LANGUAGE, text, "Dockerfile", RegionKind.CODE) == [(3, 1, "nvcc -V"), (5, 5, "run")]


def test_the_exec_form_is_one_command() -> None:
    text = 'FROM a\nCMD ["nvidia-smi", "-L"]\n'

    assert "command:nvidia-smi" in context_of(LANGUAGE, text, "Dockerfile", "nvidia-smi -L")


def test_conditions_of_the_shell_guard() -> None:
    assert (
        guards(LANGUAGE, "FROM a\nRUN if command -v nvcc; then nvcc -V; fi\n", "Dockerfile")["nvcc -V"] is NV
    )


def test_a_stage_for_nvidia_is_one_choice_beside_a_stage_for_amd() -> None:
    cuda, rocm = "FROM nvidia/cuda AS base-cuda\nRUN nvcc -V\n", "FROM rocm/dev AS base-rocm\nRUN hipcc -V\n"

    found = guards(LANGUAGE, cuda + rocm + "FROM base-${V}\nRUN make\n", "Dockerfile")
    assert (found["nvcc -V"], found["hipcc -V"], found["make"]) == (NV, AMD, NONE)
    assert guards(LANGUAGE, cuda, "Dockerfile")["nvcc -V"] is NONE


@pytest.mark.parametrize(
    ("path", "beside", "guard"),
    [
        ("Dockerfile.cuda", (), NV),
        ("docker/nvidia/Dockerfile", (), NV),
        ("Dockerfile.rocm", (), AMD),
        ("Dockerfile", ("Dockerfile.rocm",), NV),
        ("Dockerfile", (), NONE),
    ],
)
def test_a_path_and_its_neighbours_say_for_whom_a_file_is(
    path: str, beside: tuple[str, ...], guard: Guard
) -> None:
    assert guards(LANGUAGE, "FROM x\n", path, beside=beside)["x"] is guard


@pytest.mark.parametrize(
    "text",
    [
        "",
        "FROM",
        "FROM \\",
        "RUN \\\n",
        "RUN <<EOF",
        "ENV",
        "ENV A",
        'CMD ["',
        "\\\n\\\n",
        "HEALTHCHECK CMD x",
    ],
)
def test_broken_input_does_not_raise(text: str) -> None:
    LANGUAGE.parse(Source("Dockerfile", text, tuple(text.split("\n"))))
