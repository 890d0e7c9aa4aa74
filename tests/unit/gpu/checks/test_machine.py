from __future__ import annotations

from pathlib import Path

from rocm_ci.gpu.checks.machine import Needs, survey
from rocm_ci.gpu.checks.run import run_checks, trouble, verdict
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.verdict import Verdict

ONE = Facts(gpus=(Gpu(index=0, render="renderD128"), Gpu(index=1)))


def test_device_files_are_looked_at_only_where_there_is_a_gpu(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "kfd").touch()

    with_gpu = survey(ONE, {}, {}, dev=tmp_path / "dev")
    without = survey(Facts(), {}, {}, dev=tmp_path / "dev")

    assert [(n.path, n.exists) for n in with_gpu.nodes] == [
        ("/dev/kfd", True),
        ("/dev/dri/renderD128", False),
    ]
    assert with_gpu.nodes[0].gid == (tmp_path / "dev" / "kfd").stat().st_gid
    assert without.nodes == ()


def test_free_space_is_that_of_the_nearest_folder_that_exists(tmp_path: Path) -> None:
    machine = survey(Facts(), {}, {"results": tmp_path / "not" / "yet"})

    assert machine.free_bytes["results"] > 0


def test_the_verdict_is_the_worst_check_and_the_trouble_is_in_words(tmp_path: Path) -> None:
    machine = survey(Facts(), {}, {"here": tmp_path})

    checks = run_checks(machine, Needs(wanted={"suite unit": 1}))

    assert verdict(checks) is Verdict.ERROR
    assert "gpus: needs 1 GPU(s): suite unit wants 1, saw 0 GPU(s)" in trouble(checks)


def test_checks_that_do_not_apply_leave_a_pass() -> None:
    assert verdict(()) is Verdict.PASS
