"""The operating system, the CPU, memory and the container, from /proc and /etc."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu import cgroup
from rocm_ci.gpu.observation import Collector, Observation, Value
from rocm_ci.gpu.quantity import size_bytes, word
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

_UNAME = re.compile(r"^Linux \S+ (\d\S*) .*?\b(x86_64|aarch64|ppc64le|riscv64)\b", re.MULTILINE)
_PROC_VERSION = re.compile(r"^Linux version (\d\S*)", re.MULTILINE)
_HOSTNAMECTL = re.compile(r"^ *Kernel: Linux (\d\S{0,80})$", re.MULTILINE)

# These are files or run by nobody on a live machine; in a recording they may lie under any name.
OS_RELEASE = Tool(
    name="os-release",
    commands=(),
    recognise=lambda t: bool(
        re.search(r"(?m)^(?:VERSION_ID=|NAME=\"|Distributor ID:|OS *: \S|Operating System: )", t)
    ),
)
UNAME = Tool(
    name="uname",
    commands=(),
    recognise=lambda t: any(p.search(t[:4000]) for p in (_UNAME, _PROC_VERSION, _HOSTNAMECTL)),
)
# `lscpu` speaks the language of the machine.
_MODEL = (
    r"(?:[Mm]odel name|Modellname|Nom de mod\S{1,4}|Nombre del modelo|Nome (?:do )?modello?|型号名称|"
    r"モデル名|Имя модели)"
)
LSCPU = Tool(name="lscpu", commands=(), recognise=lambda t: bool(re.search(rf"(?m)^\s*{_MODEL}\s*[:：]", t)))
# Only a transcript says what its number is.
NPROC = Tool(name="nproc", commands=(), recognise=lambda _: False)
MEMINFO = Tool(name="meminfo", commands=(), recognise=lambda t: bool(re.search(r"(?m)^MemTotal:", t)))


def collect(reader: Reader) -> Observation:
    """Host facts. The host's name is not among them."""
    kernel = _kernel(reader)
    cpuinfo = _text(reader, "/proc/cpuinfo", LSCPU)
    total = len(re.findall(r"(?m)^processor\s*:", cpuinfo)) or _lscpu_count(cpuinfo) or _nproc(reader)
    memory = re.search(r"(?m)^MemTotal:\s*(\d{1,15} kB)", _text(reader, "/proc/meminfo", MEMINFO))
    allowed = cgroup.cpus(reader)
    host: dict[str, Value] = {
        "os": _os_name(_text(reader, "/etc/os-release", OS_RELEASE)),
        "kernel": kernel,
        "architecture": _architecture(reader, cpuinfo),
        "cpu": _cpu(cpuinfo),
        "cpus_total": total or None,
        "cpus": min(allowed, total) if allowed and total else allowed or total or None,
        "memory_bytes": size_bytes(memory.group(1)) if memory else None,
        "memory_limit_bytes": cgroup.memory_bytes(reader),
        "container": _container(reader),
    }
    return Observation(source="proc", host={k: v for k, v in host.items() if v is not None})


def _text(reader: Reader, path: str, tool: Tool) -> str:
    text = reader.text(path)
    if text is None:
        outputs = reader.ask(tool).outputs
        text = outputs[0].text if outputs else ""
    return text


def _os_name(text: str) -> str | None:
    """From /etc/os-release, whole or two lines of it, `lsb_release -a`, or PyTorch's report."""
    values = dict(re.findall(r"(?m)(?:^|(?<= ))([A-Z_]{1,40})=\"?([^\"\n]{0,200})\"?(?= |$)", text))
    if "NAME" in values or "PRETTY_NAME" in values:
        # The code name stands in brackets: `22.04.5 LTS (Jammy Jellyfish)`.
        number = values.get("VERSION", "").partition(" (")[0] or values.get("VERSION_ID", "")
        return word(values.get("PRETTY_NAME") or f"{values.get('NAME', '')} {number}")
    found = re.search(
        r"(?m)^ *(?:Description|OS|Operating System) *:[ \t]*(\S[^\n]{0,100}?)[ \t]*(?:\([\w ]+\))?$", text
    )
    return word(found.group(1)) if found else None


def _kernel(reader: Reader) -> str | None:
    text = reader.text("/proc/sys/kernel/osrelease")
    if text:
        return word(text)
    text = _text(reader, "/proc/version", UNAME)
    found = _UNAME.search(text) or _PROC_VERSION.search(text) or _HOSTNAMECTL.search(text)
    return found.group(1) if found else None


def _architecture(reader: Reader, cpuinfo: str) -> str | None:
    machine = word(reader.text("/proc/sys/kernel/arch"))
    if machine:
        return machine
    for text in (cpuinfo, *(o.text for o in reader.ask(UNAME).outputs)):
        found = re.search(r"(?m)^Architecture:\s*(\S{1,20})", text) or re.search(
            r"\b(x86_64|aarch64|ppc64le|riscv64)\b", text
        )
        if found:
            return found.group(1)
    # Only x86-64 processors can run in long mode.
    return "x86_64" if re.search(r"(?m)^flags\s*:.*\blm\b", cpuinfo) else None


def _cpu(text: str) -> str | None:
    found = re.search(rf"(?m)^\s*{_MODEL}\s*[:：]\s*(.+)$", text)
    return word(found.group(1)) if found else None


def _lscpu_count(text: str) -> int:
    found = re.search(r"(?m)^CPU\(s\):\s*(\d{1,6})", text)
    return int(found.group(1)) if found else 0


def _nproc(reader: Reader) -> int:
    for output in reader.ask(NPROC).outputs:
        found = re.fullmatch(r"\s*(\d{1,6})\s*", output.text)
        if found:
            return int(found.group(1))
    return 0


def _container(reader: Reader) -> str | None:
    """The kind of container we run in; None outside of one."""
    groups = (reader.text("/proc/1/cgroup") or "") + (reader.text("/proc/self/cgroup") or "")
    if reader.environment.get("KUBERNETES_SERVICE_HOST") or "kubepods" in groups:
        return "kubernetes"
    if reader.text("/run/.containerenv") is not None:
        return "podman"
    if reader.text("/.dockerenv") is not None or "/docker" in groups:
        return "docker"
    if "/lxc" in groups:
        return "lxc"
    return word(reader.environment.get("container"))


COLLECTOR: Collector = Collector(name="host", collect=collect)
