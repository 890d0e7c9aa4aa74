from __future__ import annotations

import json

import pytest

from rocm_ci.gpu.checks import sensors
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.checks.sensors import Sensors
from rocm_ci.model.facts import Facts, Gpu, GpuState
from rocm_ci.model.verdict import Verdict
from tests.fakes import MemoryReader

BUS = "0000:0c:00.0"
TWO = Facts(
    gpus=(Gpu(index=0, name="AMD Instinct MI300X", bus=BUS), Gpu(index=1, name="AMD Instinct MI300X"))
)
FIRST = "GPU 0 (AMD Instinct MI300X, 0000:0c:00.0)"


def machine(first: Sensors, second: Sensors | None = None) -> Machine:
    return Machine(facts=TWO, sensors={0: first, 1: second or first})


def wants(count: int) -> Needs:
    return Needs(wanted={"suite": count})


def test_error_counters_and_caps_are_read_from_sysfs() -> None:
    folder = f"/sys/bus/pci/devices/{BUS}"
    reader = MemoryReader(
        files={
            f"{folder}/ras/umc_err_count": "ue: 2\nce: 17\n",
            f"{folder}/ras/gfx_err_count": "ue: 0\nce: 0\n",
            f"{folder}/ras/features": "feature mask: 0x1\n",
            f"{folder}/ras/gpu_vram_bad_pages": "0x00000001 : 0x00001000 : R\n0x00000002 : 0x00001000 : P\n",
            f"{folder}/hwmon/hwmon4/temp2_crit": "100000\n",
            f"{folder}/hwmon/hwmon4/power1_cap": "550000000\n",
            f"{folder}/hwmon/hwmon4/power1_cap_default": "750000000\n",
        }
    )
    facts = Facts(gpus=(Gpu(index=0, bus=BUS, state=GpuState(temperature_c=41.0)),))

    assert sensors.look(facts, reader)[0] == Sensors(
        temperature_c=41.0,
        critical_c=100.0,
        errors={"gfx": 0, "umc": 2},
        corrected=17,
        retired_pages=2,
        cap_w=(550, 750),
    )


@pytest.mark.parametrize(
    ("said", "throttled"),
    [("ACTIVE", ("ppt",)), ("NOT ACTIVE", ()), ("TRUE", ("ppt",)), ("FALSE", ()), ("N/A", None)],
)
def test_throttling_is_read_in_the_words_of_every_release(
    said: str, throttled: tuple[str, ...] | None
) -> None:
    listed = json.dumps([{"gpu": 0, "bdf": BUS}])
    measured = json.dumps([{"gpu": 0, "throttle": {"ppt_violation_status": said}}])
    facts = Facts(gpus=(Gpu(index=0, bus=BUS),))

    assert sensors.look(facts, MemoryReader(recordings=(listed, measured)))[0].throttled == throttled


def test_the_files_of_newer_drivers_count_and_no_error_counts_twice() -> None:
    ras = f"/sys/bus/pci/devices/{BUS}/ras"
    facts = Facts(gpus=(Gpu(index=0, bus=BUS),))

    def look(**files: str) -> Sensors:
        return sensors.look(facts, MemoryReader(files={f"{ras}/{n}": t for n, t in files.items()}))[0]

    newer = look(aca_umc="ue: 2\nce: 3\nde: 0\n")
    both = look(aca_umc="ue: 2\nce: 3\nde: 0\n", umc_err_count="ue: 0\nce: 3\n")

    assert (newer.errors, newer.corrected) == (both.errors, both.corrected) == ({"umc": 2}, 3)


def test_what_sysfs_does_not_tell_comes_from_amd_smi_by_bus_address() -> None:
    listed = json.dumps([{"gpu": 0, "bdf": "0000:22:00.0"}, {"gpu": 1, "bdf": BUS}])
    measured = json.dumps(
        {
            "gpu_data": [
                {"gpu": 0, "throttle": {"ppt_violation_status": "NOT ACTIVE"}},
                {
                    "gpu": 1,
                    "ecc": {"total_correctable_count": 5, "total_uncorrectable_count": 1},
                    "temperature": {"hotspot": {"value": 48, "unit": "C"}},
                    "throttle": {
                        "prochot_violation_status": "NOT ACTIVE",
                        "socket_thermal_violation_status": "ACTIVE",
                        "hbm_thermal_violation_status": "N/A",
                    },
                },
            ]
        }
    )
    facts = Facts(gpus=(Gpu(index=0, bus=BUS),))

    found = sensors.look(facts, MemoryReader(recordings=(listed, measured)))[0]

    assert found.temperature_c == 48
    assert (found.errors, found.corrected) == ({"all parts": 1}, 5)
    assert found.throttled == ("socket thermal",)


def test_the_older_word_for_throttling_is_understood_and_no_word_is_not() -> None:
    def throttled(power: dict[str, str]) -> tuple[str, ...] | None:
        recording = json.dumps([{"gpu": 0, "bdf": BUS, "power": power}])
        return sensors.look(TWO, MemoryReader(recordings=(recording,)))[0].throttled

    assert throttled({"throttle_status": "UNTHROTTLED"}) == ()
    assert throttled({"throttle_status": "THROTTLED"}) == ("its power or heat",)
    assert throttled({"throttle_status": "N/A"}) is None


def test_garbage_in_every_file_leaves_everything_unknown() -> None:
    folder = f"/sys/bus/pci/devices/{BUS}"
    names = ("ras/umc_err_count", "hwmon/hwmon1/temp2_crit", "hwmon/hwmon1/power1_cap")
    reader = MemoryReader(files={f"{folder}/{name}": "\x00 nonsense" for name in names})

    assert sensors.look(TWO, reader)[0] == Sensors()


def test_a_gpu_that_is_too_warm_before_work_begins_is_named() -> None:
    hot = sensors.temperature(machine(Sensors(temperature_c=93), Sensors(temperature_c=40)), wants(2))

    assert hot.status is Verdict.NEUTRAL
    assert hot.seen == f"{FIRST} has 93 °C"
    assert hot.fix
    fine = sensors.temperature(machine(Sensors(temperature_c=90)), wants(2))
    assert (fine.status, fine.seen) == (Verdict.PASS, "2 GPU(s), the warmest 90 °C")


def test_a_gpu_at_its_critical_temperature_counts_as_none() -> None:
    burning = machine(Sensors(temperature_c=101, critical_c=100), Sensors(temperature_c=40))

    assert sensors.temperature(burning, wants(2)).status is Verdict.ERROR
    assert sensors.temperature(burning, wants(1)).status is Verdict.NEUTRAL
    assert sensors.temperature(burning, Needs()).status is Verdict.NEUTRAL


def test_an_uncorrectable_error_takes_the_gpu_out_of_the_count() -> None:
    bad = machine(Sensors(errors={"umc": 2, "gfx": 0}), Sensors(errors={"umc": 0}))

    check = sensors.ecc(bad, wants(2))

    assert check.status is Verdict.ERROR
    assert check.seen == f"{FIRST}: uncorrectable errors: 2 in umc"
    assert "out of use" in (check.fix or "")
    assert sensors.ecc(bad, wants(1)).status is Verdict.NEUTRAL


def test_corrected_errors_are_told_and_pass() -> None:
    check = sensors.ecc(machine(Sensors(errors={"umc": 0}, corrected=17, retired_pages=1)), wants(2))

    assert check.status is Verdict.PASS
    assert check.seen == "none on 2 GPU(s), 34 corrected, 2 memory pages retired"


def test_a_clock_that_is_held_back_is_told_with_the_reason() -> None:
    held = sensors.throttling(machine(Sensors(throttled=("ppt",)), Sensors(throttled=())), wants(1))

    assert held.status is Verdict.NEUTRAL
    assert held.seen == f"{FIRST}: ppt"
    assert sensors.throttling(machine(Sensors(throttled=())), wants(1)).status is Verdict.PASS


def test_a_power_limit_that_was_turned_down_is_found() -> None:
    low = sensors.power_cap(machine(Sensors(cap_w=(550, 750)), Sensors(cap_w=(750, 750))), wants(1))

    assert low.status is Verdict.NEUTRAL
    assert low.seen == f"{FIRST}: 550 W of 750 W"
    assert "resetpoweroverdrive" in (low.fix or "")
    assert sensors.power_cap(machine(Sensors(cap_w=(750, 750))), wants(1)).status is Verdict.PASS


def test_what_nobody_tells_is_no_pass() -> None:
    for check in (sensors.temperature, sensors.ecc, sensors.throttling, sensors.power_cap):
        with_gpu, without = check(machine(Sensors()), wants(1)), check(Machine(facts=Facts()), Needs())

        assert with_gpu.status is Verdict.SKIPPED
        assert "amd-smi" in (with_gpu.fix or "")
        assert without.status is Verdict.SKIPPED
        assert without.seen == "there is no GPU to look at"


def test_a_gpu_that_tells_nothing_is_no_cool_one() -> None:
    good = Sensors(temperature_c=40, errors={"umc": 0}, throttled=(), cap_w=(750, 750))
    some_told, all_told = machine(good, Sensors()), machine(good)

    for check in (sensors.temperature, sensors.ecc, sensors.throttling, sensors.power_cap):
        found = check(some_told, wants(1))
        assert found.status is Verdict.SKIPPED, found
        assert found.seen.endswith("not told by GPU 1 (AMD Instinct MI300X)")
        assert check(all_told, wants(1)).status is Verdict.PASS


def test_partitions_have_the_values_of_their_card_and_processor_graphics_need_none() -> None:
    halves = tuple(Gpu(index=n, bus=f"0000:0c:00.{n}", partition=n) for n in range(2))
    inside = Gpu(index=2, bus="0000:e0:00.0", integrated=True)
    found = Machine(facts=Facts(gpus=(*halves, inside)), sensors={0: Sensors(temperature_c=40)})

    assert sensors.temperature(found, wants(1)).status is Verdict.PASS
    functions = tuple(Gpu(index=n, bus=f"0000:0c:00.{n}", virtual_function=True) for n in range(2))
    apart = Machine(facts=Facts(gpus=functions), sensors={0: Sensors(temperature_c=40)})
    assert sensors.temperature(apart, wants(1)).status is Verdict.SKIPPED
