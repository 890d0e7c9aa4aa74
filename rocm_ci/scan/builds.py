"""What the build files around a source say: is it translated first, and where are its headers."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.scan import translators
from rocm_ci.scan.files import Lists, utf8
from rocm_ci.scan.translators import Translator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.scan.files import FileSource

# What torch.utils.hipify translates (DEFAULT_EXTENSIONS of hipify_python.py), and hipify-perl by habit.
TRANSLATED = frozenset({".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".in", ".hpp", ".cxx", ".hxx", ".inl"})
# Looked for where the tree cannot be listed, and read of any folder that can.
_NAMED = (
    "CMakeLists.txt", "setup.py", "pyproject.toml", "Makefile", "makefile", "GNUmakefile", "configure",
    "meson.build", "cmake/hipify.py", "cmake/utils.cmake", "cmake/HIP.cmake", "cmake/hipify.cmake",
    "op_builder/builder.py", "tools/amd_build/build_amd.py", "build.sh",
)  # fmt: skip
_BUILD_FILE = re.compile(
    r"CMakeLists\.txt|.*\.cmake|(?:GNUm|[Mm])akefile|.*\.mk|setup\w*\.py|pyproject\.toml|configure|meson\.build|build\w*\.(?:sh|py)"
)
_FOLDERS = ("cmake", "op_builder", "tools", "tools/amd_build", "scripts", "build_tools", "make")
_TRANSLATOR = re.compile(
    r"(?i).*(?:hipify|amd_build|build_amd|cuda_?(?:to|2)_?hip).*\.(?:py|sh|pl|cmake|bash)"
)
_MOST_FILES = 60  # of one folder
_MOST_BYTES = 400_000  # of one file

_COMMENT = re.compile(rb"(?m)(?:^|(?<=\s))#(?!include)[^\n]*")
_AS_HIP = re.compile(rb"set_source_files_properties\s*\(([^()]*?)\bLANGUAGE\s+\"?HIP\b", re.IGNORECASE)
_INCLUDE_DIRS = re.compile(
    rb"\b(?:target_)?include_directories\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.IGNORECASE
)
_PYTHON_DIRS = re.compile(rb"\binclude_dirs\s*(?:\+?=|:|\.extend\(|\.append\()\s*(\[[^\]]*\]|[^\n]+)")
_FLAG_DIR = re.compile(rb"(?<![\w-])-I[ \t]*[\"']?([\w./${}()-]+)")
_FORCED = re.compile(rb"(?<![\w-])-include[ \t,;\"']+(?:SHELL:)?([\w./${}()+-]+\.\w+)")
_PRECOMPILED = re.compile(rb"\btarget_precompile_headers\s*\(([^()]*)\)", re.IGNORECASE)
_WORD = re.compile(rb"[^\s\"';,\[\]]+")
_QUOTED = re.compile(rb"[\"']([\w./-]+)[\"']")
_VARIABLE = re.compile(r"\$[{(][^})]*[})]/?|\$\w+/?")


@dataclass(frozen=True)
class Said:
    """What the build files of one folder say about the sources in and below it."""

    translators: frozenset[Translator] = frozenset()
    as_hip: tuple[str, ...] = ()  # sources that are compiled as HIP just as they are
    folders: tuple[str, ...] = ()  # searched for headers
    forced: tuple[str, ...] = ()  # headers that every source gets, as they are named


class Builds:
    """Build files, read per folder when first asked for."""

    def __init__(self, source: FileSource) -> None:
        self._source = source
        self.of_folder = cache(self._of_folder)
        self.folders = cache(self._folders)

    def translators(self, path: str) -> frozenset[Translator]:
        """Who runs over a source file before it is compiled for AMD; nobody where it is compiled as it is.

        The nearest folder that says something decides: CMake's `LANGUAGE HIP` compiles a `.cu` as it is.
        """
        pure = PurePosixPath(path)
        if pure.suffix not in TRANSLATED:
            return frozenset()
        for folder in _above(path):
            said = self.of_folder(folder)
            if any(PurePosixPath(name).name == pure.name for name in said.as_hip):
                return frozenset()
            if said.translators:
                return said.translators
        return frozenset()

    def forced(self, path: str) -> Iterator[tuple[str, str]]:
        """(folder of the build file, header) of every header that is put before a source."""
        for folder in _above(path):
            for header in self.of_folder(folder).forced:
                yield folder, header

    def _folders(self, path: str) -> tuple[str, ...]:
        """Where includes of a source are looked for, by the build files above it."""
        return tuple(
            dict.fromkeys(place for folder in _above(path) for place in self.of_folder(folder).folders)
        )

    def files(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """(path, content without comments) of the build files of a folder."""
        for path in self._paths(folder):
            data = self._source.read(path)
            if data is not None and len(data) <= _MOST_BYTES:
                yield path, _COMMENT.sub(b"", utf8(data))

    def _paths(self, folder: str) -> Iterable[str]:
        if not isinstance(self._source, Lists):
            return [posixpath.join(folder, name) for name in _NAMED]
        names = self._source.names(folder)
        found = [
            posixpath.join(folder, n) for n in names if _BUILD_FILE.fullmatch(n) or _TRANSLATOR.fullmatch(n)
        ]
        for below in _FOLDERS:
            if f"{below.split('/', maxsplit=1)[0]}/" in names:
                place = posixpath.join(folder, below)
                only = _BUILD_FILE if below in ("cmake", "make") else _TRANSLATOR
                inner = self._source.names(place)
                found += [
                    posixpath.join(place, n)
                    for n in inner
                    if only.fullmatch(n) or _TRANSLATOR.fullmatch(n) or n == "builder.py"
                ]
        return found[:_MOST_FILES]

    def _of_folder(self, folder: str) -> Said:
        found: set[Translator] = set()
        is_mentioned = False
        as_hip: list[str] = []
        folders: list[str] = []
        forced: list[str] = []
        for path, data in self.files(folder):
            surely, mentions = _who(path, data)
            found |= surely
            is_mentioned = is_mentioned or mentions
            for one in _AS_HIP.finditer(data):
                as_hip += [w for w in _words(one[1]) if "." in w]
            # What a file in cmake/ names relative to itself is as a rule meant from above.
            folders += (_place(folder, one) for one in _include_folders(data))
            forced += (_plain(one) for one in _forced(data))
        # Who only speaks of hipify says nothing where another file of the folder says which one it is.
        if is_mentioned and not found:
            found.add(Translator.OWN)
        return Said(
            frozenset(found),
            tuple(as_hip),
            tuple(dict.fromkeys(folders)),
            tuple(dict.fromkeys(filter(None, forced))),
        )


def _who(path: str, data: bytes) -> tuple[frozenset[Translator], bool]:
    name = posixpath.basename(path)
    is_script = _TRANSLATOR.fullmatch(name) is not None and not name.endswith(".cmake")
    who, is_mentioned = translators.said(data, is_python=path.endswith(".py"), is_script=is_script)
    return who, is_mentioned or (_TRANSLATOR.fullmatch(name) is not None and b"hip" in data)


def _include_folders(data: bytes) -> Iterator[str]:
    for found in _INCLUDE_DIRS.finditer(data):
        yield from _words(found[1])
    for found in _PYTHON_DIRS.finditer(data):
        # os.path.join(here, "csrc", "include"): its literals in a row are one path.
        for joined in re.findall(rb"join\(([^()]*)\)", found[1]):
            yield "/".join(m.decode() for m in _QUOTED.findall(joined))
        yield from (m.decode() for m in _QUOTED.findall(found[1]))
    for found in _FLAG_DIR.finditer(data):
        yield found[1].decode()


def _forced(data: bytes) -> Iterator[str]:
    for found in _FORCED.finditer(data):
        yield found[1].decode()
    # Two literals in a row, as in a list of extra_compile_args.
    for found in re.finditer(rb"[\"']-include[\"']\s*,\s*(?:[\w.]*\(.*?)?[\"']([\w./-]+)[\"']", data):
        yield found[1].decode()
    for found in _PRECOMPILED.finditer(data):
        yield from (w.strip("<>") for w in _words(found[1]) if "." in w)


def _words(data: bytes) -> list[str]:
    return [w.decode("utf-8", "replace") for w in _WORD.findall(data)]


def _plain(text: str) -> str:
    """A path as written in a build file without the variables that stand for folders of the project."""
    text = re.sub(r"\$<(?:BUILD_INTERFACE|INSTALL_INTERFACE):([^>]*)>", r"\1", text)
    return _VARIABLE.sub("", text).strip("/ ")


def _place(folder: str, written: str) -> str:
    """The folder of the project that an include folder means; `${PROJECT_SOURCE_DIR}` may be further up."""
    plain = _plain(written)
    return posixpath.normpath(posixpath.join(folder, plain)) if plain else folder


def _above(path: str) -> Iterator[str]:
    """The folders around a path, the nearest first, "" for the root."""
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""
