"""Shell → regions with guards."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from rocm_ci.scan.languages.shell import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards, places

NV, AMD, NONE, EITHER = Guard.NVIDIA, Guard.AMD, Guard.NONE, Guard.EITHER


def cut(text: str, path: str = "run.sh") -> dict[str, Guard]:
    return guards(LANGUAGE, text, path)


@pytest.mark.parametrize(
    ("condition", "then", "otherwise"),
    [
        ("command -v nvcc >/dev/null 2>&1", NV, NONE),
        ("which hipcc", AMD, NV),
        ("! command -v nvcc", NONE, NV),
        ("nvidia-smi &>/dev/null", NV, NONE),
        ("[ -x /usr/local/cuda/bin/nvcc ]", NV, NONE),
        ("[[ -d /opt/rocm ]]", AMD, NV),
        ('[ "$BACKEND" = cuda ]', NV, AMD),
        ('[[ "$BACKEND" == "rocm" ]]', AMD, NV),
        ("[[ $GPU_ARCH =~ gfx9 ]]", AMD, NONE),
        ('[ "$BACKEND" != "nvidia" ]', AMD, NV),
        ('[[ -n "$CUDA_HOME" && -x "$CUDA_HOME/bin/nvcc" ]]', NV, NONE),
        ('[ -z "$ROCM_PATH" ]', NV, AMD),
        ('[[ "$USE_ROCM" == 1 ]]', AMD, NV),
        ('[ "$USE_CUDA" = OFF ]', AMD, NV),
        ("lspci | grep -qi nvidia", NV, NONE),
        ("[[ a == b ]] || command -v nvcc", NONE, NONE),
        ("is_rocm", AMD, NV),
        ("true", NONE, NONE),
    ],
)
def test_a_condition_guards_both_branches(condition: str, then: Guard, otherwise: Guard) -> None:
    found = cut(f"if {condition}; then\n  do_then\nelse\n  do_else\nfi\nafter\n")

    assert (found["do_then"], found["do_else"], found["after"]) == (then, otherwise, NONE)


def test_elif_knows_that_the_first_branch_was_not_taken() -> None:
    found = cut('if [ "$V" = amd ]; then a1\nelif [ -f x ]; then b1\nelse c1\nfi\n')

    assert (found["a1"], found["b1"], found["c1"]) == (AMD, NV, NV)


def test_chains_guard_what_they_lead_to() -> None:
    assert cut("command -v nvcc && nvcc --version\n")["nvcc --version"] is NV
    assert cut('[ "$V" = rocm ] || nvcc --version\n')["nvcc --version"] is NV


def test_a_call_with_a_fallback_is_a_probe() -> None:
    assert cut("nvidia-smi || true\n")["nvidia-smi"] is EITHER
    assert cut("nvidia-smi || rocm-smi\n")["nvidia-smi"] is EITHER
    assert cut("nvidia-smi || exit 1\n")["nvidia-smi"] is NONE
    assert cut('nvidia-smi || { echo "no"; exit 1; }\n')["nvidia-smi"] is NONE


def test_leaving_quietly_guards_the_rest_and_giving_up_does_not() -> None:
    check = "if ! command -v nvcc; then {}; fi\nnvcc a.cu\n"

    assert cut(check.format("exit 0"))["nvcc a.cu"] is NV
    assert cut(check.format("exit 1"))["nvcc a.cu"] is NONE


def test_case_branches_are_guarded_by_their_patterns() -> None:
    found = cut('case "$V" in\n  nvidia|cuda) n1 ;;\n  amd) a1 ;;\n  *) o1 ;;\nesac\n')

    assert (found["n1"], found["a1"], found["o1"]) == (NV, AMD, NONE)


def test_a_variable_that_holds_a_lookup_is_a_probe() -> None:
    assert (
        cut('T=$(command -v nvidia-smi || true)\nif [ -n "$T" ]; then nvidia-smi -L; fi\n')["nvidia-smi -L"]
        is NV
    )


def test_functions_by_vendor_are_guarded_beside_each_other() -> None:
    assert cut("run_cuda() {\n nvcc a\n}\nrun_rocm() { hipcc a; }\n")["nvcc a"] is NV
    assert cut("run_cuda() {\n nvcc a\n}\n")["nvcc a"] is NONE


def test_commands_are_found_in_substitutions_and_behind_wrappers() -> None:
    text = 'x=$(nvcc -V | sed "s/a/b/")\nsudo -E time nvcc a\ntimeout 10 nvcc b\nbash -c "nvcc c"\necho "$(nvcc d)"\n'
    found = [t for _, _, t in places(LANGUAGE, text, "a.sh", RegionKind.CODE) if t.startswith("nvcc")]

    assert found == ["nvcc -V", "nvcc a", "nvcc b", "nvcc c", "nvcc d"]


def test_messages_comments_and_here_documents_are_left_out() -> None:
    text = "echo nvcc # nvcc\nprintf 'nvcc'\ncat <<EOF\nnvcc\nEOF\ncat <<-'X'\n\tnvcc\n\tX\nlast\n"

    assert [t for _, _, t in places(LANGUAGE, text, "a.sh", RegionKind.CODE)] == ["cat", "cat", "last"]


def test_what_is_written_to_a_file_is_no_message() -> None:
    assert "writes" in context_of(LANGUAGE, "echo x >> $F\n", "a.sh", "echo x")


def test_assignments_are_keys_and_values() -> None:
    text = "export A=1 B='2 3'\nC=4 run\n"

    assert places(LANGUAGE, text, "a.sh", RegionKind.KEY) == [(1, 8, "A"), (1, 12, "B"), (2, 1, "C")]
    assert places(LANGUAGE, text, "a.sh", RegionKind.VALUE) == [(1, 10, "1"), (1, 14, "'2 3'"), (2, 3, "4")]
    assert "export" in context_of(LANGUAGE, text, "a.sh", "A")
    assert "export" not in context_of(LANGUAGE, text, "a.sh", "C")


def test_continued_lines_are_regions_of_their_own() -> None:
    text = "docker run \\\n  --gpus all \\\n  image\n"

    assert places(LANGUAGE, text, "a.sh", RegionKind.CODE) == [
        (1, 1, "docker run"),
        (2, 3, "--gpus all"),
        (3, 3, "image"),
    ]
    assert "command:docker" in context_of(LANGUAGE, text, "a.sh", "--gpus all")


def test_installing_is_marked() -> None:
    assert "installs" in context_of(LANGUAGE, "pip install x\n", "a.sh", "pip install x")
    assert "installs" not in context_of(LANGUAGE, "pip uninstall x\n", "a.sh", "pip uninstall x")


@pytest.mark.parametrize(
    ("path", "guard"), [("ci/build_cuda.sh", NV), ("ci/rocm/build.sh", AMD), ("ci/build.sh", NONE)]
)
def test_a_path_says_for_whom_a_script_is(path: str, guard: Guard) -> None:
    assert cut("run\n", path)["run"] is guard


@pytest.mark.parametrize(
    "text",
    [
        "",
        "if",
        "fi",
        "case x in",
        "case",
        "x=(",
        "$(",
        "${",
        '"',
        "'",
        "`",
        "<<",
        "<<EOF\n",
        "a() {",
        "))",
        ";;",
        "&& ||",
        "$((1",
        "[[ a &&",
    ],
)
def test_broken_input_does_not_raise(text: str) -> None:
    LANGUAGE.parse(Source("a.sh", text, tuple(text.split("\n"))))


@pytest.mark.parametrize("text", ["$(" * 2000, "{ " * 2000, "if x; then " * 2000, "(" * 5000, "`" * 999])
def test_deep_nesting_does_not_raise(text: str) -> None:
    LANGUAGE.parse(Source("a.sh", text, (text,)))


def test_scripts_are_claimed_by_suffix_or_first_line() -> None:
    assert LANGUAGE.claims(PurePosixPath("a.sh"), "")
    assert LANGUAGE.claims(PurePosixPath("ci/run"), "#!/usr/bin/env bash\n")
    assert not LANGUAGE.claims(PurePosixPath("ci/run"), "#!/usr/bin/env python\n")
