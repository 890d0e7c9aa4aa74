"""Files that are no valid Python 3 → as much of a tree as there is, and a note."""

from __future__ import annotations

import pytest

from rocm_ci.scan.languages.python import LANGUAGE
from rocm_ci.scan.python_repair import tree_of
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards

NV, NONE, EITHER = Guard.NVIDIA, Guard.NONE, Guard.EITHER


def notes(text: str) -> tuple[str, ...]:
    return LANGUAGE.parse(Source("a.py", text, tuple(text.split("\n")))).notes


def imports(text: str) -> dict[str, Guard]:
    parsed = LANGUAGE.parse(Source("a.py", text, tuple(text.split("\n"))))
    return {r.text: r.guard for r in parsed.regions if r.kind is RegionKind.INCLUDE}


@pytest.mark.parametrize(
    "line",
    [
        'print "hello", x',
        "print",
        "print >>sys.stderr, x",
        "try:\n    pass\nexcept IOError, e:\n    pass",
        'raise ValueError, "no"',
        'exec "x = 1"',
        "n = 10L",
        "mode = 0644",
        "if a <> b: pass",
        'u = ur"x"',
    ],
)
def test_python_2_is_understood_with_its_guards(line: str) -> None:
    text = f"import torch\n{line}\nif torch.version.hip:\n    pass\nelse:\n    import pynvml\n"

    assert imports(text) == {"torch": NONE, "pynvml": NV}
    assert notes(text) == ()


def test_a_broken_line_is_put_aside_and_the_rest_keeps_its_guards() -> None:
    text = (
        "import torch\n{% if x %}\nif not torch.version.hip:\n    import pynvml\n{% endif %}\nimport nvtx\n"
    )

    assert imports(text) == {"torch": NONE, "pynvml": NV, "nvtx": NONE}
    assert notes(text) == ("syntax error in line 2; 2 lines read as tokens, their guards unknown",)


def test_a_broken_block_is_read_as_tokens() -> None:
    text = "import torch\ndef f(:\n    import pynvml\n    run(['nvcc'])\nimport nvtx\n"
    found = guards(LANGUAGE, text, "a.py", code=False)

    assert (found["pynvml"], found["nvcc"], found["nvtx"]) == (NONE, NONE, NONE)
    assert "inside" in context_of(LANGUAGE, text, "a.py", "pynvml")


def test_what_nobody_can_parse_may_be_guarded_by_what_it_is_indented_below() -> None:
    text = "def f(:\n    if is_hip():\n        import a_lib\n    try:\n        import pynvml\n    except ImportError: pass\n"

    assert imports(text) == {"a_lib": EITHER, "pynvml": EITHER}


def test_tokens_tell_calls_names_keywords_messages_and_comments_apart() -> None:
    text = (
        "def f(:\n"
        "    # os.system('nvcc')\n"
        "    '''nvcc'''\n"
        "    raise ValueError('use nvcc')\n"
        "    print('nvcc')\n"
        "    root = env.get(key='/usr/local/cuda')\n"
    )

    assert list(guards(LANGUAGE, text, "a.py", code=False)) == ["/usr/local/cuda"]
    assert context_of(LANGUAGE, text, "a.py", "/usr/local/cuda") == (
        "assign:root",
        "call:env.get",
        "kw:key",
        "inside",
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(" * 5000 + ")" * 5000, "line 2"),
        ("x = " + "+".join(["a"] * 50_000), "nested too deeply"),
        ("x = " + "-" * 100_000 + "1", ""),
        ("f(" * 900 + ")" * 900, ""),
    ],
    ids=["brackets", "sum", "signs", "calls"],
)
def test_deep_nesting_is_a_note_and_no_crash(text: str, reason: str) -> None:
    told = notes(f"import pynvml\n{text}\n")

    assert told == () or reason in told[0]
    assert imports(f"import pynvml\n{text}\n") == {"pynvml": NONE}


def test_nul_bytes_and_bytes_of_another_encoding_are_read() -> None:
    text = "# -*- coding: latin-1 -*-\nname = 'caf\udce9'; p = '/usr/local/cuda'\0\nimport pynvml\n"

    assert imports(text) == {"pynvml": NONE}
    assert (2, 21, "/usr/local/cuda") in [
        (r.line, r.column, r.text)
        for r in LANGUAGE.parse(Source("a.py", text, tuple(text.split("\n")))).regions
    ]
    assert notes(text) == ()


def test_form_feeds_and_a_long_line_keep_the_lines() -> None:
    text = "\f\nimport os\n\fimport pynvml\nx = '" + "a" * 2_000_000 + "'\nimport nvtx\n"

    assert imports(text) == {"os": NONE, "pynvml": NONE, "nvtx": NONE}


def test_repairs_stop_at_some_point() -> None:
    assert tree_of("\n".join("x = = 1" for _ in range(200))).module is None
