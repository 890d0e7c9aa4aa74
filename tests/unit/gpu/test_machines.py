"""Whole recorded machines → facts. The recordings are our own, in the formats that the tools print."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rocm_ci.gpu.collect import inventory
from rocm_ci.gpu.replay import ReplayReader
from rocm_ci.gpu.summary import document
from rocm_ci.model.facts import Facts

MACHINES = sorted(p for p in (Path(__file__).parents[2] / "data" / "machines").iterdir() if p.is_dir())


def recorded(machine: Path, into: Path) -> Path:
    """A copy without the expectation, which is JSON too."""
    return Path(shutil.copytree(machine, into / machine.name, ignore=shutil.ignore_patterns("expect.json")))


def missing(want: Any, got: Any, path: str = "") -> list[str]:
    """Where `got` does not hold what `want` says."""
    if isinstance(want, dict) and isinstance(got, dict):
        return [m for key, value in want.items() for m in missing(value, got.get(key), f"{path}.{key}")]
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [m for n, value in enumerate(want) for m in missing(value, got[n], f"{path}[{n}]")]
    return [] if want == got else [f"{path}: {got!r} instead of {want!r}"]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda p: p.name)
def test_a_recorded_machine_is_understood(machine: Path, tmp_path: Path) -> None:
    want = json.loads((machine / "expect.json").read_text())
    reasons = want.pop("unknown_starts", {})

    found = inventory(ReplayReader(recorded(machine, tmp_path)))

    got = msgspec.json.decode(msgspec.json.encode(document(found, identities=True)))
    assert missing(want, got) == []
    said = {u.name: u.reason for u in found.facts.unknown}
    assert [name for name, start in reasons.items() if not said.get(name, "").startswith(start)] == []


@pytest.mark.parametrize("machine", MACHINES, ids=lambda p: p.name)
def test_facts_of_a_recorded_machine_survive_a_report_file_and_hold_no_serial(
    machine: Path, tmp_path: Path
) -> None:
    facts = inventory(ReplayReader(recorded(machine, tmp_path))).facts

    text = msgspec.json.encode(facts)

    assert msgspec.json.decode(text, type=Facts) == facts
    for secret in (b"c0ffee", b"0123456789abcdef", b"6924", b"A1B2C3D4", b"PCB0000", b"1122334455667788"):
        assert secret.lower() not in text.lower()
    for host_name in (b"gpu-runner", b"node:/"):
        assert host_name not in text


@pytest.mark.parametrize("machine", MACHINES, ids=lambda p: p.name)
def test_every_missing_fact_has_a_reason(machine: Path, tmp_path: Path) -> None:
    facts = inventory(ReplayReader(recorded(machine, tmp_path))).facts

    assert all(u.reason for u in facts.unknown)
    named = {u.name for u in facts.unknown}
    for gpu in facts.gpus:
        for field in ("gfx", "vram_bytes", "vbios", "compute_partition", "power_cap_w"):
            if getattr(gpu, field) is None:
                assert named & {f"gpus[{gpu.index}].{field}", f"gpus[*].{field}"}


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_recording_is_told_from_as_far_as_it_goes(seed: int, tmp_path: Path) -> None:
    """No collector gives up, whatever was cut, doubled, turned to noise or made too big to be true."""
    rnd = random.Random(seed)
    folder = recorded(rnd.choice(MACHINES), tmp_path)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in rnd.sample(files, min(len(files), 3)):
        path.write_bytes(damaged(path.read_bytes(), rnd))

    found = inventory(ReplayReader(folder))

    assert not [note for note in found.facts.notes if "could not understand" in note]
    assert msgspec.json.decode(msgspec.json.encode(found.facts), type=Facts) == found.facts


def damaged(data: bytes, rnd: random.Random) -> bytes:
    return rnd.choice(
        [
            data[: rnd.randrange(len(data) + 1)],
            bytes(rnd.randrange(256) if rnd.random() < 0.02 else byte for byte in data),
            data + data,
            data.replace(b"0", b"99999999999999999999"),
            data.replace(b": ", rnd.choice([b": -", b":: ", b": {", b": null "])),
            b"\xff\xfe" + data,
        ]
    )
