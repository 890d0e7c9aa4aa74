"""The words by which people name a GPU vendor, and what a path made of such words means.

Everything a language decides about guards rests on this vocabulary: `USE_ROCM`, `is_hip`,
`docker-compose.cuda.yml`, `runs-on: mi300x`. A word counts only whole, so `amd64`, `ship` and
`custom` say nothing.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable

_AMD = (
    r"amd|amdgpu|amdgcn|amdsmi|amdhip64|amdclang|radeon|instinct|rocm\d*|rocmsmi|roc|hip\d*|hipcc|hipclang|hiprtc|hipify"
    r"|hsa|rccl|miopen|rocblas|rocprof|rocprofv3|rocminfo|gfx\d\w*|gfx|mi\d{2,3}[xa]?|cdna\d?|rdna\d?|(?:vega|navi)\d*|fnuz|aiter"
    r"|lumi|tioga|setonix|tuolumne"
)
_NVIDIA = (
    r"nvidia|nv|cuda\d*|cu1[0-9]\d?|cudart|cudatoolkit|nvcc|nvml|pynvml|nvrtc|nvshmem|nvtx|tensorrt|trt|trtllm|cudnn"
    r"|cutlass|cuvs|rapids|rapidsai|cudf|cuml|cufftmp|cusparselt|cudss|cufile|nvcomp|optix|cublas|cublaslt|flashinfer|sm\d{2,3}a?|gencode|ptxas|cubin|(?:hopper|ampere|blackwell|turing|volta|lovelace)\d*|(?:pascal|maxwell|kepler|ada)\d+|rubin|nvhpc|gdrcopy|gdrapi|[hab]100|[hb]200|b300|gb[23]00|gh200"
    r"|rtx\w*|jetson|orin|perlmutter|juwels|lassen"
)
# Neither vendor: code for these is never reached on AMD either, which is all that counts here.
_OTHER = r"hpu|gaudi|npu|ascend|xpu|tpu|mps|musa|mlu|gcu|maca|xla|neuron|trainium|darwin|macos"
# Runner labels only: too short to mean anything elsewhere.
_NVIDIA_LABELS = r"l4|l40s?|t4|a10g?|v100|p100|g[456]|p[45]"
_AMD_WORD = re.compile(_AMD)
_NVIDIA_WORD = re.compile(f"{_NVIDIA}|{_OTHER}")
_NVIDIA_LABEL = re.compile(_NVIDIA_LABELS)
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*[a-z]?(?![a-z])|[A-Z]+\d*|[a-z0-9]+|\d+")
_NEGATION = frozenset({"no", "not", "non", "without", "disable", "disabled", "skip", "exclude", "except"})
# `NO_CUDA`, `BUILD_NO_CUDA`, `SKIP_CUDA_BUILD` switch all GPU code off, that for AMD with it.
_OFF = frozenset({"no", "without", "disable", "disabled"})
_SKIPPED = frozenset({"build", "ext", "extension", "extensions"})
# Folders that hold one thing for each vendor, or what is run for one of them only.
_CHOICES = frozenset({
    "backend", "backends", "vendor", "vendors", "platform", "platforms", "provider", "providers", "arch",
    "target", "targets", "device", "devices", "accelerator", "accelerators", "runtime", "runtimes", "test",
    "tests", "testing", "benchmark", "benchmarks", "bench", "example", "examples", "docker", "ci",
})  # fmt: skip
_BOTH = frozenset({"alike", "like", "compat", "compatible", "agnostic"})


def words(text: str) -> list[str]:
    """The words of an identifier or a label, in lower case: `isRocm_6` → `is`, `rocm`, `6`."""
    found: list[str] = []
    for part in re.split(r"[^A-Za-z0-9]+", text):
        if not part:
            continue
        lower = part.lower()
        if part.islower() or part.isupper() or _is_vendor(lower):
            found.append(lower)
        else:
            found += [w.lower() for w in _WORD.findall(part)]
    return found


def _is_vendor(word: str) -> bool:
    return bool(_AMD_WORD.fullmatch(word) or _NVIDIA_WORD.fullmatch(word))


def of(text: str, *, labels: bool = False) -> Guard:
    """AMD or NVIDIA when the words of `text` name one vendor, else NONE.

    `labels` also accepts the short names of GPUs that CI runners carry (`l4`, `t4`).
    """
    return of_words(words(text), labels=labels)


def of_words(found: list[str], *, labels: bool = False) -> Guard:
    """The vendor that a list of lower-case words names; a negation before it turns it round."""
    if _BOTH & set(found):
        return Guard.NONE
    amd = any(_AMD_WORD.fullmatch(w) for w in found)
    nvidia = any(_NVIDIA_WORD.fullmatch(w) or (labels and _NVIDIA_LABEL.fullmatch(w)) for w in found)
    if amd == nvidia or (nvidia and _means_no_gpu(found)):
        return Guard.NONE
    return (
        opposite(Guard.AMD if amd else Guard.NVIDIA)
        if _NEGATION & set(found)
        else (Guard.AMD if amd else Guard.NVIDIA)
    )


def _means_no_gpu(found: list[str]) -> bool:
    """Whether words switch all GPU code off by the name of CUDA, as those of torch projects do."""
    if any(w != "cuda" and _NVIDIA_WORD.fullmatch(w) for w in found):
        return False
    return not _OFF.isdisjoint(found) or ("skip" in found and not _SKIPPED.isdisjoint(found))


def opposite(guard: Guard) -> Guard:
    """What holds where `guard` does not: the other vendor; nothing for the rest."""
    return {Guard.AMD: Guard.NVIDIA, Guard.NVIDIA: Guard.AMD}.get(guard, Guard.NONE)


def both(outer: Guard, inner: Guard) -> Guard:
    """The guard of a region inside two guards. A contradiction is dead code: NVIDIA, not our business."""
    if outer is inner or inner is Guard.NONE:
        return outer
    if outer is Guard.NONE:
        return inner
    return Guard.NVIDIA if Guard.NVIDIA in (outer, inner) else Guard.EITHER


def either(one: Guard, other: Guard) -> Guard:
    """The guard of a region that is reached when at least one of two holds."""
    if one is other:
        return one
    return Guard.EITHER if {one, other} == {Guard.NVIDIA, Guard.EITHER} else Guard.NONE


def of_path(
    path: str,
    *,
    beside: Callable[[str], bool] | None = None,
    code: bool = False,
    exists: Callable[[str], bool] | None = None,
) -> Guard:
    """The vendor that a file is for, by its name or by a folder named after one.

    `Dockerfile.cuda`, `requirements/rocm.txt`, `tests/cuda/x.py`, `backends/nvidia/y.py`. `beside`
    tells whether a file of some name stands in the same folder: a `Dockerfile` next to a
    `Dockerfile.rocm` is the NVIDIA one. With `code` (program text, where `foo_cuda.py` may well be
    the shared file of a torch project) the word `cuda` in a file's own name counts only beside a
    file of the other vendor. With `exists`, which tells whether there is a file of a path, a folder
    `cuda` of program text counts only where its place or a folder for the other vendor says so.
    """
    pure = PurePosixPath(path)
    own = of(pure.stem if code else pure.name)
    if own is Guard.NVIDIA and code and not _explicit(pure.stem) and not _has_twin(pure.name, beside):
        own = Guard.NONE
    if own is not Guard.NONE:
        return own
    for depth in range(len(pure.parts) - 2, -1, -1):
        folder = pure.parts[depth]
        verdict = of(folder)
        if code and exists is not None and folder == "cuda" and _is_shared(pure, depth, exists):
            continue
        if verdict is not Guard.NONE and (not code or len(words(folder)) == 1 or _explicit(folder)):
            return verdict
    return Guard.NVIDIA if beside is not None and not code and _amd_twin_exists(pure, beside) else Guard.NONE


def _explicit(name: str) -> bool:
    """Whether a name says more than `cuda`: that word alone also names shared torch code."""
    return name == "cuda" or any(_NVIDIA_WORD.fullmatch(w) and w not in ("cuda", "cu") for w in words(name))


def _is_shared(pure: PurePosixPath, depth: int, exists: Callable[[str], bool]) -> bool:
    """Whether a folder `cuda` may hold what torch's ROCm build runs as well, which knows no other name."""
    above, rest = pure.parts[:depth], pure.parts[depth + 1 :]
    if any(not _CHOICES.isdisjoint(words(part)) for part in above):
        return False
    beside = (PurePosixPath(*above, amd) for amd in ("rocm", "hip", "amd"))
    return not any(
        exists(str(twin / "__init__.py")) or exists(str(twin.joinpath(*rest))) or exists(f"{twin}.py")
        for twin in beside
    )


def _has_twin(name: str, beside: Callable[[str], bool] | None) -> bool:
    return beside is not None and any(beside(name.replace("cuda", amd)) for amd in ("rocm", "hip", "amd"))


def _amd_twin_exists(pure: PurePosixPath, beside: Callable[[str], bool]) -> bool:
    ends = [f"{joint}{amd}" for amd in ("rocm", "amd", "hip") for joint in ("-", "_", ".")]
    # Beside `Dockerfile.rocm` all others are for NVIDIA: `Dockerfile`, `Dockerfile.efa`.
    names = {pure.name, "Dockerfile"} if pure.name.startswith("Dockerfile") else {pure.name}
    return any(
        beside(f"{pure.stem}{end}{pure.suffix}") or any(beside(f"{n}{end}") for n in names) for end in ends
    )
