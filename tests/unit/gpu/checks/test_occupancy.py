from __future__ import annotations

from pathlib import Path

from rocm_ci.gpu.checks import occupancy
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.checks.occupancy import Taken
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

GB = 1_000_000_000
BUS = "0000:0c:00.0"
ONE = Facts(gpus=(Gpu(index=0, name="AMD Instinct MI300X", bus=BUS, kfd_id=4711, render="renderD128"),))


def check(*taken: Taken, wanted: int = 1) -> Check:
    machine = Machine(facts=ONE, taken=dict(enumerate(taken)))
    return occupancy.vram_free(machine, Needs(wanted={"suite": wanted} if wanted else {}))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_process_that_holds_memory_is_found_with_its_name(tmp_path: Path) -> None:
    write(tmp_path / f"sys/bus/pci/devices/{BUS}/mem_info_vram_used", f"{150 * GB}\n")
    write(tmp_path / f"sys/bus/pci/devices/{BUS}/mem_info_vram_total", f"{206 * GB}\n")
    write(tmp_path / "sys/class/kfd/kfd/proc/812/vram_4711", f"{149 * GB}\n")
    write(tmp_path / "proc/812/comm", "python3\n")
    write(tmp_path / "proc/812/stat", "812 (python3) S 1\n")
    (tmp_path / "proc/812/fd").mkdir()
    (tmp_path / "proc/812/fd/5").symlink_to("/dev/kfd")

    found = occupancy.look(ONE, tmp_path)

    assert found[0] == Taken(
        used_bytes=150 * GB, total_bytes=206 * GB, users=("python3 (process 812) with 149 GB",)
    )


def test_memory_of_an_ended_process_is_told_apart(tmp_path: Path) -> None:
    write(tmp_path / f"sys/bus/pci/devices/{BUS}/mem_info_vram_used", f"{46 * GB}\n")
    write(tmp_path / "sys/class/kfd/kfd/proc/99/vram_4711", f"{46 * GB}\n")

    found = occupancy.look(ONE, tmp_path)

    assert found[0].users == ()
    assert found[0].left == (99,)
    assert occupancy.look(Facts(), tmp_path) == {}


def test_free_memory_passes_and_unknown_memory_does_not() -> None:
    assert check(Taken(used_bytes=300_000_000)).status is Verdict.PASS
    assert check(Taken()).status is Verdict.SKIPPED
    assert occupancy.vram_free(Machine(facts=Facts()), Needs()).status is Verdict.SKIPPED


def test_graphics_inside_of_a_processor_shares_the_systems_memory_and_is_never_taken() -> None:
    inside = Facts(gpus=(Gpu(index=0, bus=BUS, integrated=True),))
    machine = Machine(facts=inside, taken={0: Taken(used_bytes=2 * GB, total_bytes=4 * GB)})

    assert occupancy.vram_free(machine, Needs(wanted={"suite": 1})).status is Verdict.PASS


def test_taken_memory_says_by_whom_and_what_to_do() -> None:
    mine = Taken(used_bytes=150 * GB, total_bytes=206 * GB, users=("python3 (process 812) with 149 GB",))

    found = check(mine)

    assert found.status is Verdict.ERROR
    assert found.seen == (
        "GPU 0 (AMD Instinct MI300X, 0000:0c:00.0): 150 GB of 206 GB in use by python3 (process 812) with 149 GB"
    )
    assert "end it if it is yours: python3 (process 812)" in (found.fix or "")


def test_stranded_memory_wants_a_reset_and_unseen_holders_a_look_from_the_host() -> None:
    stranded = check(Taken(used_bytes=46 * GB, total_bytes=262 * GB, left=(99,)))
    unseen = check(Taken(used_bytes=46 * GB, total_bytes=262 * GB))

    assert stranded.status is Verdict.NEUTRAL
    assert "left by ended process 99" in stranded.seen
    assert f"`amd-smi reset --gpureset --gpu {BUS}`, or a restart" in (stranded.fix or "")
    assert "by no process that we can see" in unseen.seen
    assert "fuser" in (unseen.fix or "")


def test_a_full_gpu_is_no_error_where_nothing_wants_it() -> None:
    assert check(Taken(used_bytes=200 * GB, total_bytes=206 * GB), wanted=0).status is Verdict.NEUTRAL


def test_a_gpu_that_does_not_say_how_much_is_in_use_is_not_empty() -> None:
    two = Facts(gpus=(*ONE.gpus, Gpu(index=1, bus="0000:22:00.0")))
    machine = Machine(facts=two, taken={0: Taken(used_bytes=0, total_bytes=206 * GB)})

    found = occupancy.vram_free(machine, Needs())

    assert found.status is Verdict.SKIPPED
    assert found.seen.endswith("not told by GPU 1 (0000:22:00.0)")
