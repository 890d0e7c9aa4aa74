"""PyTorch of the interpreter in use: read from its version file, never imported.

Importing torch costs seconds and initialises the device; its `version.py` says all that we ask.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu.documents import documents
from rocm_ci.gpu.observation import Collector, Device, Observation, Value
from rocm_ci.gpu.quantity import version, word
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

# Runs in the project's interpreter (any Python 3), isolated from the current folder.
_SCRIPT = """
import importlib.util, json, os, platform
found = {"rocm_ci_python": platform.python_version()}
try:
    spec = importlib.util.find_spec("torch")
    places = list(spec.submodule_search_locations or []) if spec else []
except (ImportError, ValueError):
    places = []
for place in places:
    try:
        with open(os.path.join(place, "version.py"), encoding="utf-8", errors="replace") as file:
            found["torch_version_py"] = file.read(20000)
    except OSError:
        found["torch_version_py"] = ""
print(json.dumps(found))
"""
_ENV_REPORT = re.compile(r"(?m)^(?:PyTorch version|ROCM used to build PyTorch|HIP runtime version) *:")
_PIP = re.compile(r"(?m)^(?:torch(?:==|\s+)|Name: torch\nVersion: )(\d\S{0,80})")
# `>>> torch.__version__` and its answer, which may also be printed: `print(torch.__version__)`.
_ASKED = re.compile(
    r"(?m)^>>> (?:print\()?torch\."
    r"(__version__|version\.hip|version\.cuda|cuda\.get_device_name\([^)\n]{0,40}\))\)?[ \t]*\n"
    r"['\"]?(\S[^'\"\n]{0,100})['\"]?$"
)
_WHEEL = re.compile(r"(?m)(?:^|\s)['\"]?(\d{1,2}\.\d{1,3}\.\d{1,3}[\w.]{0,20}\+rocm[\w.]{1,40})")
_DEVICE = re.compile(
    r"(?m)^GPU models and configuration *: *(\S[^(\n]{0,80}?) *"
    r"(?:\((gfx[0-9a-f]{3,5})(?::([a-z+:-]{1,60}))?\))?$"
)

TORCH = Tool(
    name="python3",
    commands=(("python3", "-I", "-c", _SCRIPT),),
    recognise=lambda t: (
        '"rocm_ci_python"' in t or any(p.search(t) for p in (_ENV_REPORT, _PIP, _ASKED, _WHEEL))
    ),
    timeout_s=6.0,
)


def collect(reader: Reader) -> Observation:
    """torch's version and the GPU stack it was built for."""
    answer = reader.ask(TORCH)
    values: dict[str, Value] = {}
    host: dict[str, Value] = {}
    devices: list[Device] = []
    for output in answer.outputs:
        for said in documents(output.text, lambda v: isinstance(v, dict) and "rocm_ci_python" in v):
            host["python"] = version(said.get("rocm_ci_python"))
            values |= _version_file(str(said.get("torch_version_py", "")))
        for key, value in {
            **_pip(output.text),
            **_session(output.text),
            **_environment_report(output.text),
        }.items():
            values.setdefault(key, value)
        for key, value in _reported_host(output.text).items():
            host.setdefault(key, value)
        devices += _devices(output.text)
    problem = answer.problem
    if answer.outputs and not values and not problem:
        problem = "torch is not installed for python3 on PATH"
    return Observation(
        source="torch",
        host={k: v for k, v in host.items() if v},
        rocm=values,
        devices=tuple(devices[:1]),
        problem=problem,
    )


def _version_file(text: str) -> dict[str, Value]:
    """`__version__ = '2.9.0+rocm7.0'`, `hip: Optional[str] = '7.0.51831'`, `cuda = None`."""
    found = dict(
        re.findall(r"(?m)^(__version__|hip|rocm|cuda)\b[^=\n]{0,60}= *['\"]([^'\"\n]{1,80})['\"]", text)
    )
    values = {
        "torch": found.get("__version__"),
        "torch_hip": found.get("hip"),
        "torch_cuda": found.get("cuda"),
    }
    return {key: value for key, value in values.items() if value}


def _environment_report(text: str) -> dict[str, Value]:
    """The output of `python -m torch.utils.collect_env`."""
    wanted = (
        ("torch", "PyTorch version"),
        ("torch_hip", "ROCM used to build PyTorch"),
        ("torch_cuda", "CUDA used to build PyTorch"),
    )
    found: dict[str, Value] = {}
    for field, label in wanted:
        match = re.search(rf"(?m)^{label} *: *(\S{{1,80}})$", text)
        value = word(match.group(1)) if match else None
        if value and value[0].isdigit():
            found[field] = value
    return found


def _reported_host(text: str) -> dict[str, Value]:
    """What the same report says of the system: `Python platform: Linux-5.15.0-139-generic-x86_64-with-…`."""
    if not _ENV_REPORT.search(text):
        return {}
    kernel = re.search(r"(?m)^Python platform *: Linux-(\d\S{1,80}?)-(?:x86_64|aarch64)-", text)
    python = re.search(r"(?m)^Python version *: (\d[\d.]{1,20})", text)
    return {
        "kernel": kernel.group(1) if kernel else None,
        "python": python.group(1) if python else None,
    }


def _devices(text: str) -> list[Device]:
    """The first GPU, the only one that the report and a question without a number tell of."""
    found = _DEVICE.search(text)
    named = next((said for what, said in _ASKED.findall(text) if "get_device_name" in what), None)
    name, target, features = found.groups() if found else (named, None, None)
    if word(name) is None or name in ("Could not collect", "No CUDA"):
        return []
    said: dict[str, Value] = {"name": word(name), "gfx": target, "features": features}
    return [Device(values={key: value for key, value in said.items() if value})]


def _session(text: str) -> dict[str, Value]:
    """Python's prompt with questions to torch, or the version that a line of a shell printed."""
    fields = {"__version__": "torch", "version.hip": "torch_hip", "version.cuda": "torch_cuda"}
    found: dict[str, Value] = {
        fields[what]: said for what, said in _ASKED.findall(text) if what in fields and said[0].isdigit()
    }
    wheel = _WHEEL.search(text)
    return ({"torch": wheel.group(1)} if wheel else {}) | found


def _pip(text: str) -> dict[str, Value]:
    match = _PIP.search(text)
    return {"torch": match.group(1)} if match else {}


COLLECTOR: Collector = Collector(name="torch", collect=collect)
