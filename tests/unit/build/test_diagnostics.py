"""Whole logs → what a reader must know. The logs are written after real output of each tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.build.diagnostics import MAX_ERRORS, MAX_EXCERPT, Collector
from rocm_ci.build.evidence import Fault
from rocm_ci.build.locate import Locator
from rocm_ci.model.finding import Severity

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.diagnostic import Diagnostic

FILES = {
    "src/a.hip": "\n\n\n",
    "src/user.h": "\n",
    "CMakeLists.txt": "",
    "cmake/deps.cmake": "",
    "Makefile": "",
    "setup.py": "",
    "und.cpp": "int gone(int);\nint main() {\n  return gone(1);\n}\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def collect(root: Path, log: str) -> Collector:
    collector = Collector(Locator(root))
    for line in log.split("\n"):
        collector.feed(line)
    return collector


def brief(diagnostic: Diagnostic) -> tuple[str, str, str | None, int | None, str]:
    d = diagnostic
    return d.tool, d.severity.value, d.path, d.line, d.message


CASES = {
    "clang, one error and one warning": (
        (
            "src/a.hip:3:21: error: use of undeclared identifier 'cudaMalloc'\n  cudaMalloc(&p, 4);\n  ^\n"
            "src/a.hip:9:1: warning: unused variable 'x' [-Wunused-variable]\n1 error generated.\n"
        ),
        [
            ("clang", "error", "src/a.hip", 3, "use of undeclared identifier 'cudaMalloc'"),
            ("clang", "warning", "src/a.hip", 9, "unused variable 'x' [-Wunused-variable]"),
        ],
    ),
    "clang, coloured": (
        "\x1b[1msrc/a.hip:2:10: \x1b[0m\x1b[0;1;31mfatal error: \x1b[0m\x1b[1m'cuda_runtime.h' file not found\x1b[0m",
        [("clang", "error", "src/a.hip", 2, "'cuda_runtime.h' file not found")],
    ),
    "clang, an error in a system header reached through a template": (
        (
            "In file included from src/a.hip:2:\nIn file included from src/user.h:1:\n"
            "/usr/include/c++/12/bits/new_allocator.h:175:23: error: call to deleted constructor of 'T'\n"
            "        { ::new((void *)__p) _Up(std::forward<_Args>(__args)...); }\n"
            "/usr/include/c++/12/vector:99:4: note: in instantiation of member function 'g<T>' requested here\n"
            "src/user.h:7:59: note: in instantiation of member function 'std::vector<T>::push_back' requested here\n"
            "src/user.h:4:17: note: 'T' has been explicitly marked deleted here\n"
        ),
        [("clang", "error", "src/user.h", 7, "call to deleted constructor of 'T'")],
    ),
    "clang, an error in a system header reached through an include only": (
        (
            "In file included from src/a.hip:2:\nIn file included from src/user.h:5:\n"
            '/opt/lib/x.h:1:2: error: "needs CUDA"\n'
        ),
        [("clang", "error", "src/user.h", 5, '"needs CUDA"')],
    ),
    "gcc, required from here": (
        (
            "In file included from src/user.h:2,\n                 from src/a.hip:1:\n"
            "/usr/include/x.h: In instantiation of ‘void f(T) [with T = int]’:\nsrc/a.hip:10:6:   required from here\n"
            "/usr/include/x.h:5:7: error: ‘struct S’ has no member named ‘y’\n"
        ),
        # The include is nearer in the text, but both lie inside; the nearest include is src/user.h.
        [("gcc", "error", "src/user.h", 2, "‘struct S’ has no member named ‘y’")],
    ),
    "nvcc and EDG": (
        (
            'src/a.hip(12): error: identifier "__shfl" is undefined\n'
            'src/a.hip(13): warning #177-D: variable "x" was declared but never referenced\n'
            "nvcc fatal   : Unknown option '-foo'\n"
        ),
        [
            ("nvcc", "error", "src/a.hip", 12, 'identifier "__shfl" is undefined'),
            ("nvcc", "error", None, None, "Unknown option '-foo'"),
            ("nvcc", "warning", "src/a.hip", 13, 'variable "x" was declared but never referenced'),
        ],
    ),
    "GNU ld without debug information": (
        (
            "/usr/bin/ld: /tmp/und-7a.o: in function `main':\nund.cpp:(.text+0x7): undefined reference to `gone(int)'\n"
            "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n"
        ),
        [("ld", "error", "und.cpp", 3, "undefined reference to `gone(int)'")],
    ),
    "GNU ld with debug information": (
        (
            "/usr/bin/ld: und.o: in function `main':\n/elsewhere/und.cpp:3: undefined reference to `gone(int)'\n"
            "collect2: error: ld returned 1 exit status\n"
        ),
        [("ld", "error", "/elsewhere/und.cpp", 3, "undefined reference to `gone(int)'")],
    ),
    "lld": (
        "ld.lld: error: undefined symbol: gone(int)\n>>> referenced by und.cpp:3\n>>>               und.o:(main)\n",
        [("ld.lld", "error", "und.cpp", 3, "undefined symbol: gone(int)")],
    ),
    "a library that is not there": (
        "/usr/bin/ld: cannot find -lcudart: No such file or directory\ncollect2: error: ld returned 1 exit status",
        [("ld", "error", None, None, "cannot find -lcudart: No such file or directory")],
    ),
    "a definition given twice": (
        "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `x'; a.o:(.bss+0x0): first defined here",
        [("ld", "error", "b.o", None, "multiple definition of `x'; a.o:(.bss+0x0): first defined here")],
    ),
    "CMake, several lines": (
        (
            'CMake Error at CMakeLists.txt:5 (find_package):\n  By not providing "FindFoo.cmake" in\n  CMAKE_MODULE_PATH.\n'
            "\n  Add the installation prefix.\n\n\n-- Configuring incomplete, errors occurred!\n"
        ),
        [
            (
                "cmake",
                "error",
                "CMakeLists.txt",
                5,
                'By not providing "FindFoo.cmake" in CMAKE_MODULE_PATH. Add the installation prefix.',
            )
        ],
    ),
    "CMake, raised in a module of its own": (
        (
            "CMake Error at /usr/share/cmake/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n"
            "  Could NOT find CUDA\nCall Stack (most recent call first):\n"
            "  /usr/share/cmake/Modules/FindCUDA.cmake:1270 (find_package_handle_standard_args)\n"
            "  cmake/deps.cmake:3 (find_package)\n  CMakeLists.txt:9 (include)\n\n\n"
        ),
        [("cmake", "error", "cmake/deps.cmake", 3, "Could NOT find CUDA")],
    ),
    "CMake, warnings and an error without a place": (
        (
            "CMake Warning (dev) at CMakeLists.txt:2 (project):\n  Policy CMP0999 is not set.\n"
            "This warning is for project developers.  Use -Wno-dev to suppress it.\n\n"
            'CMake Error: CMake was unable to find a build program corresponding to "Ninja".\n'
        ),
        [
            (
                "cmake",
                "error",
                None,
                None,
                'CMake was unable to find a build program corresponding to "Ninja".',
            ),
            ("cmake", "warning", "CMakeLists.txt", 2, "Policy CMP0999 is not set."),
        ],
    ),
    "make, only its own words": (
        "make: *** No rule to make target 'x.o', needed by 'all'.  Stop.",
        [("make", "error", None, None, "No rule to make target 'x.o', needed by 'all'.  Stop.")],
    ),
    "make, when nothing else was said": (
        "make: *** [Makefile:2: all] Error 3",
        [("make", "error", "Makefile", 2, "Error 3")],
    ),
    "make and ninja after the real reason": (
        (
            "FAILED: a.o\nsrc/a.hip:1:1: error: unknown type name 'x'\nninja: build stopped: subcommand failed.\n"
            "make: *** [Makefile:2: all] Error 1\n"
        ),
        [("clang", "error", "src/a.hip", 1, "unknown type name 'x'")],
    ),
    "ninja itself": (
        "ninja: error: 'a.hip', needed by 'a.o', missing and no known rule to make it",
        [("ninja", "error", None, None, "'a.hip', needed by 'a.o', missing and no known rule to make it")],
    ),
    "pip around a setup script": (
        (
            "  error: subprocess-exited-with-error\n  × python setup.py bdist_wheel did not run successfully.\n"
            "  ╰─> [3 lines of output]\n      Traceback (most recent call last):\n"
            '        File "<string>", line 2, in <module>\n        File "/tmp/pip-req-build-q/setup.py", line 7, in <module>\n'
            "          import torch\n      ModuleNotFoundError: No module named 'torch'\n      [end of output]\n"
            "  ERROR: Failed building wheel for demo\n"
        ),
        [("python", "error", "setup.py", 7, "ModuleNotFoundError: No module named 'torch'")],
    ),
    "setuptools after the compiler": (
        "      src/a.hip:4:1: error: expected ';'\n      error: command '/usr/bin/hipcc' failed with exit code 1\n",
        [("clang", "error", "src/a.hip", 4, "expected ';'")],
    ),
    "a shell that does not find a command": (
        "bash: line 1: frobnicate: command not found",
        [("sh", "error", None, None, "frobnicate: command not found")],
    ),
    "talk about errors is no error": (
        "0 errors, 0 warnings\n-- Looking for strerror - found\nerrors.cpp compiled\n[1/2] Building error.o\n",
        [],
    ),
}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c)
def test_a_log_becomes_diagnostics(root: Path, case: str) -> None:
    log, expected = CASES[case]

    assert [brief(d) for d in collect(root, log).diagnostics()] == expected


def test_one_error_for_several_targets_is_told_once_with_all_of_them(root: Path) -> None:
    one = "src/a.hip:3:21: error: no matching function\nsrc/user.h:1:1: note: candidate\n"
    log = "".join(f"{one}1 error generated when compiling for {t}.\n" for t in ("gfx90a", "gfx942", "host"))

    (found,) = collect(root, log).diagnostics()

    assert found.arch == "gfx90a, gfx942, host"
    assert found.notes == ("src/user.h:1: candidate",)
    assert found.log_line == 1


def test_the_excerpt_stands_around_the_first_error(root: Path) -> None:
    log = "\n".join(f"line {i}" for i in range(100)) + "\nsrc/a.hip:1:1: error: bad\n" + "after\n" * 100

    excerpt = collect(root, log).excerpt.split("\n")

    assert excerpt[0] == "line 97"
    assert excerpt[3] == "src/a.hip:1:1: error: bad"
    assert len(excerpt) < 40


def test_without_an_error_the_excerpt_is_the_end_of_the_log(root: Path) -> None:
    assert collect(root, "a\n" * 500 + "the end").excerpt.endswith("a\nthe end")


def test_thousands_of_errors_stay_bounded(root: Path) -> None:
    log = "\n".join(f"src/a.hip:{i}:1: error: bad {'x' * 3000}" for i in range(5000))

    collector = collect(root, log)

    assert len(collector.diagnostics()) == MAX_ERRORS
    assert collector.dropped == 5000 - MAX_ERRORS
    assert len(collector.excerpt) <= MAX_EXCERPT


def test_the_search_for_gpus_is_no_error_of_the_build(root: Path) -> None:
    log = (
        "Traceback (most recent call last):\n"
        '  File "/usr/bin/rocm_agent_enumerator", line 257, in <module>\n    main()\n'
        "FileNotFoundError: [Errno 2] No such file or directory: '/sys/class/kfd/kfd/topology/nodes/'\n"
    )

    collector = collect(root, log)

    assert collector.diagnostics() == ()
    assert collector.evidence.looked_for_gpus == 4


def test_a_log_that_ends_inside_a_message_is_read_to_its_end(root: Path) -> None:
    (found,) = collect(root, "CMake Error at CMakeLists.txt:5 (x):\n  half a sen").diagnostics()

    assert found.message == "half a sen"
    assert found.severity is Severity.ERROR


def test_a_fault_of_the_machine_is_remembered_with_its_line(root: Path) -> None:
    collector = collect(root, "fine\nfatal error: error writing to /tmp/x.s: No space left on device\n")

    assert collector.evidence.faults == {
        Fault.DISK: "fatal error: error writing to /tmp/x.s: No space left on device (log line 2)"
    }


_PIECES = ("src/a.hip:1:2: error: x", "CMake Error at CMakeLists.txt:1 (x):", "  File \"a\", line 1", "\x1b[", "\r",
           "Traceback (most recent call last):", "Call Stack (most recent call first):", ">>> referenced by a.o:(b)",
           "make[1]: Entering directory '/'", "In file included from a:1:", "   from b:2:", "1 error generated.",
           "hipcc -c a.hip", "x:999999999999999999999:9: error: y", "\0", "é‘’", "        ")  # fmt: skip


@given(lines=st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=60)), max_size=40))
def test_no_log_can_break_the_reader(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    collector = Collector(Locator(tmp_path_factory.getbasetemp()))
    for line in lines:
        collector.feed(line)

    for diagnostic in collector.diagnostics():
        assert "\x1b" not in diagnostic.message
        assert diagnostic.message.strip()
    assert "\x1b" not in collector.excerpt
