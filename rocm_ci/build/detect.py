"""How a project without `build:` in its configuration is built, from its own files."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.build import walk
from rocm_ci.config.options import BuildOptions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MAX_BYTES = 1_000_000
MAX_HIP_FILES = 2000
MAX_DEPTH = 2
OUTPUT = "build/rocm-ci"
_TIMEOUT = "1h"
_ASIDE = {"test", "tests", "doc", "docs", "example", "examples", "sample", "samples", "bench", "benchmarks"}

_HIP_IN_CMAKE = re.compile(
    r"\benable_language\s*\([^)]*\bHIP\b|\bproject\s*\([^)]*\bHIP\b|\bfind_package\s*\(\s*(?:hip|HIP|HIPCC)\b"
    r"|\bhip_add_(?:executable|library)\b|\bhip::(?:device|host|amdhip64)\b|\bLANGUAGE\s+HIP\b"
    r"|\bCMAKE_HIP_ARCHITECTURES\b|\bhipcc\b",
)
_HIP_LANGUAGE = re.compile(r"\benable_language\s*\([^)]*\bHIP\b|\bproject\s*\([^)]*\bHIP\b")
_SETS_COMPILER = re.compile(
    r"CMAKE_CXX_COMPILER\s+\S*hipcc|\bhip_add_(?:executable|library)\b|HIPCC_EXECUTABLE"
)
_PROJECT = re.compile(r"^\s*project\s*\(", re.MULTILINE | re.IGNORECASE)
# The switch that turns the HIP part on: USE_HIP, GGML_HIP, WITH_ROCM …
_SWITCH = re.compile(
    r"^\s*(?:cmake_dependent_)?option\s*\(\s*((?:\w+_)?(?:HIP|ROCM))\s", re.MULTILINE | re.IGNORECASE
)
_COMMENT = re.compile(r"#(?!\[\[).*")
_TORCH = re.compile(
    r"\b(?:CUDAExtension|CppExtension|BuildExtension|torch\.utils\.cpp_extension|HIPExtension)\b"
)
_TORCH_GPU = re.compile(r"\b(?:CUDAExtension|HIPExtension|CUDA_HOME|ROCM_HOME)\b|\.(?:cu|hip)\b")
_CUDA_IN_CMAKE = re.compile(
    r"\benable_language\s*\([^)]*\bCUDA\b|\bproject\s*\([^)]*\bCUDA\b|\bfind_package\s*\(\s*CUDA",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Detected:
    """A build that was found: its kind, from which file, and the steps.

    `torch`: it needs PyTorch. `gpu`: it compiles for GPUs, so that hipcc (and torch for ROCm) must be there.
    """

    kind: str
    source: str
    steps: tuple[BuildOptions, ...]
    torch: bool = False
    gpu: bool = True

    @property
    def text(self) -> str:
        """For the report."""
        return f"{self.kind} ({self.source})"


@dataclass(frozen=True, kw_only=True)
class Nothing:
    """No HIP build, and what was there instead."""

    reason: str


def detect(root: Path) -> Detected | Nothing:
    """Look at the project's files: a torch extension, then CMake with HIP, then loose `.hip` files.

    A setup script of an extension comes first: where there is a CMake project beside it, it drives that.
    """
    listed = list(walk.files(root))
    return (
        _torch(root)
        or _cmake(root, listed)
        or _hip_files(root, listed)
        or Nothing(reason=_reason(root, listed))
    )


def _cmake(root: Path, listed: Iterable[Path]) -> Detected | None:
    texts = {
        p: _COMMENT.sub("", _text(p)) for p in listed if p.name == "CMakeLists.txt" or p.suffix == ".cmake"
    }
    # `walk` gives shallow folders first: the outermost project that has HIP below it.
    for path, text in texts.items():
        folder = path.parent
        if path.name != "CMakeLists.txt" or not _PROJECT.search(text):
            continue
        parts = folder.relative_to(root).parts
        if len(parts) > MAX_DEPTH or _ASIDE & set(parts):
            continue
        below = [t for p, t in texts.items() if p.is_relative_to(folder)]
        if any(_HIP_IN_CMAKE.search(t) for t in below):
            return _cmake_steps(root, folder, text, below)
    return None


def _cmake_steps(root: Path, folder: Path, text: str, below: list[str]) -> Detected:
    source = folder.relative_to(root).as_posix()
    prefix = "" if source == "." else f"{source}/"
    build = f"{prefix}build"
    if (
        (root / build).is_dir()
        and not (root / build / "CMakeCache.txt").is_file()
        and any((root / build).iterdir())
    ):
        # A source folder that happens to be called build is not ours to fill.
        build = f"{prefix}build-rocm-ci"
    flags = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_HIP_ARCHITECTURES={arch;}"]
    flags += ["-DGPU_TARGETS={arch;}", "-DAMDGPU_TARGETS={arch;}", "--no-warn-unused-cli"]
    flags += [f"-D{switch}=ON" for switch in dict.fromkeys(_SWITCH.findall(text))]
    language = any(_HIP_LANGUAGE.search(t) for t in below)
    if not language and not any(_SETS_COMPILER.search(t) for t in below):
        # Without the HIP language, device code is C++ that only hipcc understands.
        flags.append("-DCMAKE_CXX_COMPILER=hipcc")
    ninja = "$(command -v ninja >/dev/null && echo '-G Ninja')"
    where, into = shlex.quote(source), shlex.quote(build)
    # A cache of an earlier run keeps its generator.
    configure = (
        f"if [ -f {into}/CMakeCache.txt ]; then G=; else G={ninja}; fi; "
        f"cmake -S {where} -B {into} $G {' '.join(flags)}"
    )
    steps = (
        BuildOptions(name="configure", run=configure, timeout="15m"),
        BuildOptions(name="compile", run=f"cmake --build {into} -j{{jobs}}", timeout=_TIMEOUT),
    )
    return Detected(kind="CMake with HIP", source=f"{prefix}CMakeLists.txt", steps=steps)


def _torch(root: Path) -> Detected | None:
    setup, project = root / "setup.py", root / "pyproject.toml"
    script = _text(setup) if setup.is_file() else ""
    if _TORCH.search(script):
        run = "python3 setup.py build_ext --inplace"
        step = BuildOptions(name="extension", run=run, timeout=_TIMEOUT)
        gpu = bool(_TORCH_GPU.search(script))
        return Detected(kind="torch extension", source="setup.py", steps=(step,), torch=True, gpu=gpu)
    text = _text(project) if project.is_file() else ""
    if re.search(r"^\s*ext-modules\s*=", text, re.MULTILINE) and re.search(r"['\"]torch\b", text):
        run = (
            "python3 -m pip install --no-build-isolation --no-deps --disable-pip-version-check -v "
            f"--target {OUTPUT}/site ."
        )
        step = BuildOptions(name="extension", run=run, timeout=_TIMEOUT)
        return Detected(kind="torch extension", source="pyproject.toml", steps=(step,), torch=True)
    return None


def _hip_files(root: Path, listed: Iterable[Path]) -> Detected | None:
    files = [
        p.relative_to(root).as_posix() for p in listed if p.suffix == ".hip" and OUTPUT not in p.as_posix()
    ]
    files = [f for f in files if not f.startswith("build/")][:MAX_HIP_FILES]
    if not files:
        return None
    # `./` in front, so that a name with a leading dash is no option.
    names = " ".join(_quoted(f"./{name}") for name in files)
    include = " ".join(f"-I{folder}" for folder in (".", "include", "src") if (root / folder).is_dir())
    run = (
        f"printf '%s\\0' {names} | xargs -0 -P{{jobs}} -n1 sh -c "
        f'\'mkdir -p "$0/$(dirname "$1")" && hipcc $ROCM_CI_OFFLOAD_FLAGS -O2 {include} '
        f'-c "$1" -o "$0/$1.o"\' {OUTPUT}'
    )
    step = BuildOptions(name="hip files", run=run, artifacts=(f"{OUTPUT}/**/*.o",), timeout=_TIMEOUT)
    what = files[0] if len(files) == 1 else f"{len(files)} files"
    return Detected(kind="folder of .hip files", source=what, steps=(step,))


def _quoted(name: str) -> str:
    """For bash; braces are written as numbers, or `{jobs}.hip` would be taken for a placeholder."""
    if "{" not in name:
        return shlex.quote(name)
    return "$'" + "".join(c if c.isalnum() or c in "./_-" else _octal(c) for c in name) + "'"


def _octal(character: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))


def _reason(root: Path, listed: Iterable[Path]) -> str:
    for path in listed:
        if path.name == "CMakeLists.txt" and _CUDA_IN_CMAKE.search(_COMMENT.sub("", _text(path))):
            return f"no HIP build was found; {path.relative_to(root).as_posix()} builds with CUDA only"
    return "no HIP build was found: no CMake project with HIP, torch extension or .hip file"


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            return ""
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
