from __future__ import annotations

import pytest

from rocm_ci.gpu.checks import resources
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.checks.run import GROUP_OF, GROUPS, run_checks, trouble, verdict
from rocm_ci.model.facts import Driver, Facts, Gpu, Host, Rocm
from rocm_ci.model.verdict import Verdict

WANTS_ONE = Needs(wanted={"suite unit": 1}, builds=True)
SOME = Facts(
    host=Host(kernel="6.8.0", container="docker"),
    driver=Driver(loaded=True),
    rocm=Rocm(version="7.0.0", torch="2.9.0+rocm7.0", torch_hip="7.0"),
    gpus=tuple(Gpu(index=n, gfx="gfx942", render=f"renderD{128 + n}") for n in range(8)),
)


def test_every_check_answers_under_its_own_name_in_the_order_of_the_groups() -> None:
    found = run_checks(Machine(facts=Facts()), Needs())

    assert [check.id for check in found] == [name for names in GROUPS.values() for name in names]
    assert set(GROUP_OF.values()) == {"host", "driver", "devices", "software", "limits", "environment"}


@pytest.mark.parametrize(
    "facts", [Facts(), SOME, Facts(driver=Driver(loaded=False))], ids=["none", "8", "off"]
)
@pytest.mark.parametrize(
    "needs", [Needs(), WANTS_ONE, Needs(curious=True)], ids=["nothing", "one", "curious"]
)
def test_whatever_is_not_green_says_what_to_do(facts: Facts, needs: Needs) -> None:
    for check in run_checks(Machine(facts=facts), needs):
        assert check.seen, check.id
        assert check.needed, check.id
        if check.status is not Verdict.PASS:
            assert check.fix, check.id
        else:
            assert check.fix is None, check.id


def test_a_machine_of_which_nothing_is_known_has_no_green_sensor() -> None:
    unseen = {
        "temperature",
        "ecc",
        "throttling",
        "power-cap",
        "vram",
        "smoke",
        "pcie-atomics",
        "device-nodes",
    }

    for check in run_checks(Machine(facts=SOME), WANTS_ONE):
        if check.id in unseen:
            assert check.status is Verdict.SKIPPED, check.id


def test_nothing_that_is_asked_for_is_missed_without_a_gpu_when_only_a_scan_is_planned() -> None:
    found = run_checks(Machine(facts=Facts(driver=Driver(loaded=False))), Needs())

    assert verdict(found) < Verdict.ERROR


def test_a_check_that_breaks_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_machine: Machine, _needs: Needs) -> None:
        message = "odd"
        raise RuntimeError(message)

    monkeypatch.setitem(GROUPS["host"], "kernel", broken)

    found = {check.id: check for check in run_checks(Machine(facts=SOME), Needs())}

    assert found["kernel"].status is Verdict.SKIPPED
    assert "rocm-ci could not judge it: RuntimeError: odd (broken:" in found["kernel"].seen
    assert found["visible-devices"].status is Verdict.PASS


def test_the_verdict_is_the_worst_check_and_the_trouble_is_in_words() -> None:
    folders = (resources.Folder(name="here", free_bytes=10**12),)

    checks = run_checks(Machine(facts=Facts(), folders=folders), Needs(wanted={"suite unit": 1}))

    assert verdict(checks) is Verdict.ERROR
    assert "gpus: needs 1 GPU(s): suite unit wants 1, saw 0 GPU(s)" in trouble(checks)


def test_checks_that_do_not_apply_leave_a_pass() -> None:
    assert verdict(()) is Verdict.PASS
