from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.gpu.checks import quarantine
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.ledger import Entry, Ledger
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

BUS = "0000:0c:00.0"
ONE = Facts(gpus=(Gpu(index=0, name="AMD Instinct MI300X", bus=BUS),))
NOW = "2026-01-01T12:00:00Z"
KEPT = ("GPU 0 is in quarantine",)


def check(kept: tuple[str, ...] | None, wanted: int = 1, environment: dict[str, str] | None = None) -> Check:
    machine = Machine(facts=ONE, quarantined=kept, environment=environment or {})
    return quarantine.quarantine(machine, Needs(wanted={"suite": wanted} if wanted else {}))


def faults(state: Path, gpu: str, count: int = 3) -> None:
    ledger = Ledger(state, {}, host=state)
    for number in range(count):
        ledger.add(Entry(time=NOW, gpu=gpu, label="GPU 0 (MI300X)", kind="gpu-hang", run=f"run {number}"))


def test_the_ledger_says_which_of_the_gpus_here_are_kept_out(tmp_path: Path) -> None:
    faults(tmp_path, BUS)
    faults(tmp_path, "0000:ff:00.0")

    (found,) = quarantine.look(ONE, tmp_path, {}, NOW, tmp_path)

    assert found.startswith("GPU 0 (MI300X) is in quarantine: faults in 3 runs or steps within 7 days")
    assert quarantine.look(ONE, tmp_path, {"ROCM_CI_QUARANTINE": "off"}, NOW, tmp_path) == ()


def test_a_host_without_a_ledger_keeps_nothing_out(tmp_path: Path) -> None:
    assert quarantine.look(ONE, tmp_path, {}, NOW, tmp_path) == ()


def test_a_ledger_that_may_not_be_read_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults(tmp_path, BUS)
    monkeypatch.setattr("os.access", lambda *_args: False)

    with pytest.raises(PermissionError, match="may not be read"):
        quarantine.look(ONE, tmp_path, {}, NOW, tmp_path)


def test_a_gpu_in_quarantine_is_told_and_counts_as_none() -> None:
    assert check(()).status is Verdict.PASS
    assert check(KEPT).status is Verdict.ERROR
    assert check(KEPT, wanted=0).status is Verdict.NEUTRAL
    assert check(None).status is Verdict.SKIPPED


def test_a_rule_that_is_off_or_cannot_be_read_is_told() -> None:
    off, odd = ({"ROCM_CI_QUARANTINE": value} for value in ("off", "three"))

    assert check((), environment=off).seen == "none: switched off by ROCM_CI_QUARANTINE"
    assert check((), environment=odd).status is Verdict.NEUTRAL
    assert "ROCM_CI_QUARANTINE=three is not read" in check((), environment=odd).seen
