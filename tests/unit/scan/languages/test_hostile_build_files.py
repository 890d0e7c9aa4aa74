"""Broken and hostile build files: every reader gives something back, soon, at places that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.scan.files import decode
from rocm_ci.scan.language_registry import languages
from rocm_ci.scan.source import RegionKind, Source

if TYPE_CHECKING:
    from rocm_ci.scan.language import Parsed

PATHS = {
    "apptainer": "app.def",
    "autotools": "configure.ac",
    "build-script": "build.rs",
    "cmake": "CMakeLists.txt",
    "dockerfile": "Dockerfile",
    "hcl": "docker-bake.hcl",
    "jenkins": "Jenkinsfile",
    "lock": "uv.lock",
    "makefile": "Makefile",
    "meson": "meson.build",
    "requirements": "requirements.txt",
    "settings": ".bazelrc",
    "setup-cfg": "tox.ini",
    "shell": "run.sh",
    "toml": "pyproject.toml",
    "windows-script": "build.ps1",
    "yaml": "ci.yml",
}
READERS = [
    *PATHS.items(),
    ("windows-script", "build.bat"),
    ("settings", ".env"),
    ("yaml", "CMakePresets.json"),
]
# What each grammar is made of, so that a generated text gets past the first character.
PIECES = (
    "if", "else", "elif", "elseif(", "endif()", "endif", "fi", "then", "case x in", "esac", "do", "done", "(", ")",
    "{", "}", "[", "]", "[[", "]]", "$<", ">", "$(", "${", "`", '"', "'", '"""', "'''", "#", "#[[", "<<E", "E", "\\",
    "\n", "\t", " ", ":", "- ", "&a", "*a", "|", ">-", "=", ":=", "&&", "||", ";", ",", "function(a)", "endfunction()",
    "set(A b)", "FROM x AS y", "RUN ", "COPY ", "ARG A=", "%post", "%help", "{{ if a }}", "{% endif %}", "[a.b]",
    "a = [", "nvcc", "nvidia-smi", "--gpus all", "/usr/local/cuda", "torch==2+cu121", "-r x.txt", "define A", "endef",
    "stage('a') {", "sh '''", "@\"", "rem ", "%A%", "--config=cuda", "name: ", "steps:", "\0", "é", "\udcff", "\ufeff",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join)


def parsed(language: str, path: str, text: str) -> Parsed:
    return languages()[language].parse(Source(path, text, tuple(text.split("\n"))))


def check_places(found: Parsed) -> None:
    lines = found.source.lines
    for region in found.regions:
        assert 1 <= region.line <= len(lines)
        assert region.column >= 1
        assert "\n" not in region.text
        if region.kind in (RegionKind.VALUE, RegionKind.KEY):
            assert region.column <= len(lines[region.line - 1]) + 1


@pytest.mark.parametrize(("language", "path"), READERS, ids=[path for _, path in READERS])
@given(text=TEXTS)
@settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_text_gives_regions_that_stand_in_the_file(language: str, path: str, text: str) -> None:
    check_places(parsed(language, path, text.replace("\r", " ")))


@pytest.mark.parametrize(("language", "path"), READERS, ids=[path for _, path in READERS])
@pytest.mark.parametrize(
    "unit",
    [
        "(",
        "{",
        "[",
        '"',
        "$(",
        "$<",
        "- ",
        "a: ",
        "{{ if }}\n",
        "if(A)\n",
        "} else {\n",
        "a() ",
        "'''",
        "a",
        "é",
    ],
)
def test_deep_nesting_and_endless_words_end(language: str, path: str, unit: str) -> None:
    check_places(parsed(language, path, unit * 3000))


@pytest.mark.parametrize(
    ("language", "path", "text", "wanted"),
    [
        (
            "yaml",
            "ci.yml",
            "on: push\njobs:\n\tbuild:\n\t\trun: nvcc\n  image: nvidia/cuda:12\n",
            "nvidia/cuda:12",
        ),
        ("yaml", "ci.yml", "a: [1\nimage: nvidia/cuda:12\n", "nvidia/cuda:12"),
        ("yaml", "ci.yml", "---\na: 1\n---\nimage: nvidia/cuda:12\n", "nvidia/cuda:12"),
        ("yaml", "ci.yml", "image: a\nimage: nvidia/cuda:12\n", "nvidia/cuda:12"),
        ("yaml", "ci.yml", "x: &x {image: nvidia/cuda:12}\ny: *x\nz: {<<: *x}\n", "nvidia/cuda:12"),
        ("yaml", "ci.yml", "image: {{ tag }}\n# ü\nbase: nvidia/cuda:12\n", "nvidia/cuda:12"),
        ("yaml", "CMakePresets.json", '{"a": 1, // x\n/* y */ "image": "nvidia/cuda:12",}', "nvidia/cuda:12"),
        ("toml", "pyproject.toml", "[project\ndependencies = [\n 'a'\n[tool.x]\nurl = 'nvidia'\n", "nvidia"),
        ("toml", "pyproject.toml", "a = \"open\nurl = 'nvidia'\n", "nvidia"),
        ("cmake", "CMakeLists.txt", "if(\nset(A nvidia\n", "nvidia"),
        ("dockerfile", "Dockerfile", "RUN <<E\nFROM x\nnvidia\n", "nvidia"),
        ("shell", "a.sh", "if (((( { nvidia-smi\n", "nvidia-smi"),
        ("makefile", "Makefile", "ifdef\nendif\nendif\nA = nvidia\n", "nvidia"),
    ],
)
def test_what_is_broken_is_still_read(language: str, path: str, text: str, wanted: str) -> None:
    assert any(wanted in region.text for region in parsed(language, path, text).regions)


@pytest.mark.parametrize(
    ("language", "path", "text"),
    [
        ("yaml", "ci.yml", "a: [1\nimage: x\n"),
        ("toml", "pyproject.toml", "a = [\n 'a'\n[tool.x]\nurl = 'x'\n"),
    ],
)
def test_reading_by_lines_is_said_with_the_line(language: str, path: str, text: str) -> None:
    notes = parsed(language, path, text).notes

    assert len(notes) == 1
    assert any(char.isdigit() for char in notes[0])


def test_an_alias_bomb_is_walked_once() -> None:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12)]
    text = "\n".join(["l0: &l0 [nvcc, x]", *levels])

    found = parsed("yaml", "ci.yml", text)

    assert any(region.text == "nvcc" for region in found.regions)
    assert found.notes == ("more nodes than are read, the rest left out",)


def test_an_alias_that_points_to_what_it_stands_in_ends() -> None:
    check_places(parsed("yaml", "ci.yml", "a: &a\n  b: *a\n  image: nvidia/cuda:12\n"))


def test_line_ends_of_windows_and_latin_1_do_not_move_places() -> None:
    text, lines = decode("# gr\xfc\xdfe\r\npynvml\r\ntorch\r\n".encode("latin-1"))
    found = languages()["requirements"].parse(Source("requirements.txt", text, lines))

    assert [(r.line, r.column, r.text) for r in found.regions] == [(2, 1, "pynvml"), (3, 1, "torch")]
