"""Signs in a build log that the machine, not the change, is at fault. Pure."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field


class Fault(enum.Enum):
    """What can be wrong with a machine; the value is how it is said."""

    DISK = "the disk is full"
    MEMORY = "a compiler was killed: not enough memory"
    NETWORK = "the network failed"
    TOOL = "a build tool is missing"
    ROCM = "the ROCm installation is incomplete"
    PLATFORM = "hipcc works for NVIDIA here"
    CACHE = "the compiler cache cannot be used"


HINTS = {
    Fault.DISK: "free space on the runner, then run again",
    Fault.MEMORY: "lower `jobs` in the configuration or give the runner more memory, then run again",
    Fault.NETWORK: "run again; if it stays, bring the files in the runner's image",
    Fault.TOOL: "install it in the runner's image",
    Fault.ROCM: "install the ROCm development packages (HIP runtime headers and device libraries)",
    Fault.PLATFORM: "set HIP_PLATFORM=amd and check that the build does not unset it",
    Fault.CACHE: "give the runner's user its own cache folder (CCACHE_DIR)",
}

SIGNS = {
    Fault.DISK: r"No space left on device|Disk quota exceeded|out of disk space",
    Fault.MEMORY: (
        r"Killed signal terminated program|unable to execute command: Killed|line \d+: +\d+ Killed"
        r"|virtual memory exhausted|Cannot allocate memory|out of memory allocating \d+ bytes|std::bad_alloc"
        r"|LLVM ERROR: out of memory|\bError 137\b|exit(?:ed with)? (?:code|status) 137\b|^Killed$"
    ),
    Fault.NETWORK: (
        r"Temporary failure in name resolution|Could not resolve host|Name or service not known"
        r"|NewConnectionError|Max retries exceeded with url|Connection (?:timed out|reset by peer|refused)$"
        r"|ReadTimeoutError|ConnectTimeoutError|Failed to connect to \S+ port|Network is unreachable"
        r"|The requested URL returned error: 5\d\d|early EOF$|RPC failed; |SSL_ERROR_SYSCALL"
        r"|status_string: \"(?:Couldn't|Could not) (?:resolve|connect)"
    ),
    Fault.TOOL: (
        r"(?:^|[\s/'\"])(?:hipcc|hipconfig|cmake|ninja|make|g\+\+|gcc|cc|c\+\+|clang(?:\+\+)?|ld\.lld|python3?"
        r"|pip3?|git|perl|ccache)['\"]?: (?:command not found|not found$|No such file or directory$)"
        r"|unable to find a build program corresponding to|CMAKE_MAKE_PROGRAM is not set"
        r"|No CMAKE_(?:HIP|CXX|C)_COMPILER could be found"
    ),
    Fault.ROCM: (
        r"cannot find ROCm device library; provide its path|cannot find HIP runtime; provide its path"
        r"|does not contain the HIP runtime CMake package|Failed to find (?:ROCm root directory|HIP)"
        r"|'hip/hip_(?:runtime|runtime_api|version)\.h' file not found"
    ),
    Fault.PLATFORM: r"nvcc fatal\s*: Unknown option '--?(?:offload-arch|amdgpu-target)",
    Fault.CACHE: r"ccache: error: (?:[Ff]ailed to create|open|.*[Pp]ermission denied)",
}
_ANY = re.compile("|".join(f"(?P<{fault.name}>{sign})" for fault, sign in SIGNS.items()))
_ARCH = re.compile(
    r"cannot find ROCm device library for (?P<library>gfx[\w:+-]+)"
    r"|invalid target ID '(?P<target>gfx[\w:+-]+)'"
    r"|(?:unsupported|unknown|invalid) (?:HIP |GPU |HIP gpu )?arch(?:itecture)?:? '?(?P<arch>gfx[\w:+-]+)",
)
# Only a call that compiles: linking and asking for the version need no target.
_HIPCC = re.compile(r"(?:^|[\s/;&(\"'])hipcc(?:\.pl|\.bin)?\"?\s(?P<arguments>.*)$")
_SOURCE = re.compile(r"\.(?:hip|cu|cpp|cc|cxx|c)\b[\"']?(?:\s|$|;)")
_TARGETED = re.compile(r"--(?:offload-arch|amdgpu-target|cuda-gpu-arch|version|help)|(?:^|\s)-E\s|[@$`]")
_ECHO = re.compile(r"^\s*(?:\+ |\[\d+/\d+\] |:? ?&& |cd \S+ && |ccache |(?:\S*/)?hipcc)")
MAX_ARCHS = 16


def untargeted(command: str) -> str | None:
    """The first call of hipcc in a shell command that compiles for no named GPU.

    hipcc then builds for the GPU it finds, or for gfx803 when there is none, and succeeds.
    A call with a variable, a response file or HCC_AMDGPU_TARGET is given the benefit of the doubt.
    """
    if "HCC_AMDGPU_TARGET" in command:
        return None
    for part in re.split(r"[;\n]|&&|\|\|?", command):
        found = _HIPCC.search(part)
        if found and _SOURCE.search(found["arguments"]) and not _TARGETED.search(found["arguments"]):
            return part.strip()[:200]
    return None


@dataclass
class Evidence:
    """What was seen so far: the first line for each fault, the refused targets, untargeted calls."""

    faults: dict[Fault, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    untargeted: str | None = None
    looked_for_gpus: int | None = None

    def feed(self, line: str, number: int) -> None:
        """Look at one plain line."""
        found = _ANY.search(line)
        if found and found.lastgroup:
            self.faults.setdefault(Fault[found.lastgroup], f"{line.strip()[:300]} (log line {number})")
        if "gfx" in line:
            arch = _ARCH.search(line)
            if arch and len(self.refused) < MAX_ARCHS:
                name = arch["library"] or arch["target"] or arch["arch"]
                self.refused.setdefault(name.rstrip(";:,"), line.strip()[:300])
        if self.untargeted is None and "hipcc" in line and _ECHO.match(line):
            call = untargeted(line)
            self.untargeted = f"{call} (log line {number})" if call else None

    def asked_for_gpus(self, number: int) -> None:
        """hipcc asked the machine which GPUs it has, and got no answer."""
        self.looked_for_gpus = self.looked_for_gpus or number
