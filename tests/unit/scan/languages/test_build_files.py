"""Makefiles, Meson and Bazel → regions with guards."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from rocm_ci.scan.languages import bazel, makefile, meson
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards, places

NV, AMD, NONE, EITHER = Guard.NVIDIA, Guard.AMD, Guard.NONE, Guard.EITHER


@pytest.mark.parametrize(
    ("condition", "then", "otherwise"),
    [
        ("ifdef USE_CUDA", NV, AMD),
        ("ifndef USE_CUDA", AMD, NV),
        ("ifeq ($(BACKEND),cuda)", NV, AMD),
        ("ifneq ($(BACKEND),cuda)", AMD, NV),
        ('ifeq "$(BACKEND)" "hip"', AMD, NV),
        ("ifeq ($(USE_HIP),1)", AMD, NV),
        ("ifeq ($(USE_HIP),0)", NV, AMD),
        ("ifneq ($(shell which nvcc),)", NV, NONE),
        ("ifeq ($(wildcard /opt/rocm),)", NV, AMD),
        ("ifeq ($(DEBUG),1)", NONE, NONE),
    ],
)
def test_conditionals_of_make_guard_both_branches(condition: str, then: Guard, otherwise: Guard) -> None:
    found = guards(
        makefile.LANGUAGE, f"{condition}\nA = then\nelse\nB = otherwise\nendif\nC = after\n", "Makefile"
    )

    assert (found["then"], found["otherwise"], found["after"]) == (then, otherwise, NONE)


def test_else_if_of_make_knows_the_first_branch() -> None:
    found = guards(
        makefile.LANGUAGE, "ifdef USE_HIP\nA = a1\nelse ifeq ($(X),1)\nB = b1\nendif\n", "Makefile"
    )

    assert (found["a1"], found["b1"]) == (AMD, NV)


def test_assignments_of_make_are_keys_and_values() -> None:
    text = "A ?= 1 # why\nexport B := 2 \\\n  3\nC += 4\n"

    assert places(makefile.LANGUAGE, text, "Makefile", RegionKind.KEY) == [
        (1, 1, "A"),
        (2, 8, "B"),
        (4, 1, "C"),
    ]
    assert places(makefile.LANGUAGE, text, "Makefile", RegionKind.VALUE) == [
        (1, 6, "1"),
        (2, 13, "2"),
        (3, 3, "3"),
        (4, 6, "4"),
    ]
    assert "default" in context_of(makefile.LANGUAGE, text, "Makefile", "1")


def test_recipes_are_shell_for_the_vendor_of_their_target() -> None:
    text = "all: x\n\t@echo nvcc\n\t$(CC) -o $@ \\\n\t  x\ncuda: y\n\tnvcc y\n"
    found = places(makefile.LANGUAGE, text, "Makefile", RegionKind.CODE)

    assert (3, 2, "${CC} -o $@") in found
    assert (6, 2, "nvcc y") in found
    assert guards(makefile.LANGUAGE, text, "Makefile")["nvcc y"] is NV


def test_shell_calls_of_make_are_commands() -> None:
    assert (1, 14, "nvcc -V") in places(
        makefile.LANGUAGE, "V := $(shell nvcc -V)\n", "Makefile", RegionKind.CODE
    )


@pytest.mark.parametrize(
    ("condition", "then", "otherwise"),
    [
        ("get_option('cuda')", NV, AMD),
        ("use_rocm", AMD, NV),
        ("not use_rocm", NV, AMD),
        ("get_option('backend') == 'cuda'", NV, AMD),
        ("get_option('backend') != 'cuda'", AMD, NV),
        ("cuda_dep.found()", NV, NONE),
        ("use_rocm and x", AMD, NONE),
        ("x", NONE, NONE),
    ],
)
def test_conditions_of_meson_guard_both_branches(condition: str, then: Guard, otherwise: Guard) -> None:
    found = guards(
        meson.LANGUAGE,
        f"if {condition}\n a = 'then'\nelse\n b = 'otherwise'\nendif\nc = 'after'\n",
        "meson.build",
    )

    assert (found["then"], found["otherwise"], found["after"]) == (then, otherwise, NONE)


def test_strings_of_meson_know_their_call_and_keyword() -> None:
    text = "d = dependency('cuda', version: '>=12',\n  modules: ['nvidia-ml'])\n"

    assert places(meson.LANGUAGE, text, "meson.build", RegionKind.STRING) == [
        (1, 17, "cuda"),
        (1, 34, ">=12"),
        (2, 14, "nvidia-ml"),
    ]
    assert context_of(meson.LANGUAGE, text, "meson.build", "nvidia-ml") == ("call:dependency", "kw:modules")


@pytest.mark.parametrize(
    ("required", "guard"),
    [
        ("", NONE),
        (", required: true", NONE),
        (", required: false", EITHER),
        (", required: get_option('x')", EITHER),
    ],
)
def test_what_meson_does_not_require_is_a_probe(required: str, guard: Guard) -> None:
    assert guards(meson.LANGUAGE, f"find_program('nvcc'{required})\n", "meson.build")["nvcc"] is guard


def test_messages_of_meson_are_left_out() -> None:
    assert guards(meson.LANGUAGE, "message('nvcc') # 'nvcc'\n", "meson.build") == {}


BUILD = """\
load("@rules//:defs.bzl", "if_cuda", "if_rocm")
cc_library(
    name = "a",
    linkopts = ["-lcudnn"],
    deps = ["//b"] + if_cuda(["//cuda"]) + if_rocm(["//rocm"]) + select({
        "//conditions:cuda": ["//n"],
        "//conditions:default": ["//d"],
    }),
)
"""


def test_bazel_guards_by_helper_and_by_select() -> None:
    found = guards(bazel.LANGUAGE, BUILD, "BUILD.bazel", code=False)

    assert (found["//cuda"], found["//rocm"], found["//n"]) == (NV, AMD, NV)
    assert (found["//b"], found["//d"], found["-lcudnn"]) == (NONE, NONE, NONE)


def test_strings_of_bazel_know_their_rule_and_attribute() -> None:
    assert context_of(bazel.LANGUAGE, BUILD, "BUILD", "-lcudnn")[:2] == ("call:cc_library", "kw:linkopts")


@pytest.mark.parametrize(
    ("path", "claimed"),
    [("BUILD", True), ("a/BUILD.bazel", True), ("MODULE.bazel", True), ("a.bzl", True), ("build", False)],
)
def test_bazel_files_are_known_by_name(path: str, claimed: bool) -> None:
    assert bazel.LANGUAGE.claims(PurePosixPath(path), "") is claimed


@pytest.mark.parametrize(
    "text",
    ["", "if", "endif", "else", "a = (", "'", "'''", ")", "\\", "\tx", "ifeq", "a:\n\tb \\", "x(", "elif"],
)
def test_broken_input_does_not_raise(text: str) -> None:
    for one, path in (
        (makefile.LANGUAGE, "Makefile"),
        (meson.LANGUAGE, "meson.build"),
        (bazel.LANGUAGE, "BUILD"),
    ):
        one.parse(Source(path, text, tuple(text.split("\n"))))
