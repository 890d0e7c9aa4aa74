from __future__ import annotations

from rocm_ci.gpu.checks import smoke
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.smoke import Smoke
from rocm_ci.gpu.smoke_ending import Ending, Result
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

ONE = Facts(gpus=(Gpu(index=0),))
RIGHT = Result(label="GPU 0", ending=Ending.RIGHT, detail="gfx942, wave 64")
HUNG = Result(label="GPU 1", ending=Ending.HUNG, detail="did not end within 60 s", fix="reset it")
BUSY = Result(label="2 GPU(s)", ending=Ending.BUSY)


def check(*results: Result, needs: Needs | None = None, reason: str = "") -> Check:
    found = Smoke(results=results, tool="hipcc", reason=reason)
    return smoke.smoke(Machine(facts=ONE, smoke=found), needs or Needs(wanted={"suite": 1}))


def test_right_values_on_each_gpu_pass_and_say_how() -> None:
    found = check(RIGHT, BUSY)

    assert found.status is Verdict.PASS
    assert found.seen == "right on 1 GPU(s) with hipcc (gfx942, wave 64); not tried, as in use: 2 GPU(s)"


def test_one_gpu_that_hangs_is_an_error_and_is_named() -> None:
    found = check(RIGHT, HUNG)

    assert found.status is Verdict.ERROR
    assert found.seen == "GPU 1: hung: did not end within 60 s"
    assert "reset" in (found.fix or "")
    assert check(HUNG, needs=Needs(curious=True)).status is Verdict.ERROR
    assert check(HUNG, needs=Needs()).status is Verdict.NEUTRAL


def test_what_was_not_run_is_no_pass() -> None:
    none_free, no_tool = check(BUSY), check(reason="hipcc is not installed")

    assert (none_free.status, none_free.seen) == (Verdict.SKIPPED, "in use by another run: 2 GPU(s)")
    assert (no_tool.status, no_tool.seen) == (Verdict.SKIPPED, "hipcc is not installed")
    not_asked = smoke.smoke(Machine(facts=ONE), Needs())
    assert "without --quick" in (not_asked.fix or "")
    assert smoke.smoke(Machine(facts=Facts()), Needs()).status is Verdict.SKIPPED


def test_a_compiler_that_cannot_build_for_the_gpus_is_advice_and_not_silence() -> None:
    broken = Smoke(reason="hipcc cannot compile for gfx942: odd", fix="one ROCm", is_broken=True)

    found = smoke.smoke(Machine(facts=ONE, smoke=broken), Needs(wanted={"suite": 1}))

    assert (found.status, found.seen, found.fix) == (Verdict.NEUTRAL, broken.reason, "one ROCm")


def test_of_several_faults_the_hang_is_told_first() -> None:
    wrong = Result(label="GPU 0", ending=Ending.WRONG, detail="3 of 5 sums", fix="test its memory")

    found = check(wrong, HUNG)

    assert found.seen == "GPU 1: hung: did not end within 60 s; GPU 0: wrong: 3 of 5 sums"
    assert found.fix == "reset it"
