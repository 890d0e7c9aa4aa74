from __future__ import annotations

from rocm_ci.gpu.checks import versions
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.model.facts import Conflict, Driver, Facts, Gpu, Host, Rocm
from rocm_ci.model.verdict import Verdict


def card(index: int, *, vbios: str | None = "113-M3000100-102", **firmware: str) -> Gpu:
    return Gpu(index=index, name="AMD Instinct MI300X", gfx="gfx942", vbios=vbios, firmware=firmware)


def test_one_firmware_on_all_cards_passes_and_the_wanted_bundle_is_told() -> None:
    facts = Facts(rocm=Rocm(version="7.14.1"), gpus=(card(0, SMC="85.116.0"), card(1, SMC="85.116.0")))

    check = versions.firmware(Machine(facts=facts), Needs())

    assert check.status is Verdict.PASS
    assert "VBIOS 113-M3000100-102" in check.seen
    assert "01.26.00.04 or 01.25.06.05" in check.seen


def test_a_card_with_other_firmware_than_its_neighbours_is_named() -> None:
    facts = Facts(gpus=(card(0, SMC="85.116.0"), card(1, SMC="85.112.0"), card(2, SMC="85.116.0")))

    check = versions.firmware(Machine(facts=facts), Needs())

    assert check.status is Verdict.NEUTRAL
    assert check.seen == "AMD Instinct MI300X: SMC is 85.112.0 on GPU 1, 85.116.0 on GPU 0, 2"
    assert check.fix


def test_a_card_with_another_vbios_is_named_too() -> None:
    facts = Facts(gpus=(card(0), card(1, vbios="113-M3000100-103")))

    check = versions.firmware(Machine(facts=facts), Needs())

    assert check.status is Verdict.NEUTRAL
    assert "VBIOS is 113-M3000100-102 on GPU 0, 113-M3000100-103 on GPU 1" in check.seen


def test_cards_of_two_kinds_are_not_compared() -> None:
    other = Gpu(index=1, name="AMD Radeon RX 7900 XTX", vbios="113-D7020100-102")

    assert versions.firmware(Machine(facts=Facts(gpus=(card(0), other))), Needs()).status is Verdict.PASS


def test_firmware_that_nobody_tells_is_skipped() -> None:
    assert versions.firmware(Machine(facts=Facts()), Needs()).seen == "there is no GPU to look at"
    unknown = Facts(gpus=(card(0, vbios=None),))
    assert versions.firmware(Machine(facts=unknown), Needs()).status is Verdict.SKIPPED


def test_two_releases_on_path_are_pointed_out() -> None:
    clash = Conflict(name="rocm.version", said={"rocm": "10.0.0", "amd-smi": "7.2.1"})

    check = versions.tools(Machine(facts=Facts(conflicts=(clash,))), Needs())

    assert check.status is Verdict.NEUTRAL
    assert "two releases of ROCm on PATH: rocm says 10.0.0, amd-smi says 7.2.1" in check.seen


def test_a_patch_apart_is_no_matter() -> None:
    clash = Conflict(name="rocm.version", said={"rocm": "7.2.1", "amd-smi": "7.2.3"})
    facts = Facts(conflicts=(clash,), rocm=Rocm(amd_smi="26.2.2"))

    assert versions.tools(Machine(facts=facts), Needs()).status is Verdict.PASS


def test_an_old_cmake_matters_only_to_a_build_that_uses_it() -> None:
    found = Machine(facts=Facts(tools={"cmake": "3.16.3"}))

    old = versions.tools(found, Needs(builds=True, commands=("cmake -B build",)))

    assert old.status is Verdict.NEUTRAL
    assert old.seen == "cmake 3.16.3"
    assert versions.tools(found, Needs(builds=True, commands=("pip install .",))).status is Verdict.PASS


def test_a_partitioned_card_wants_newer_tools_than_a_whole_one() -> None:
    part = Gpu(index=0, gfx="gfx942", compute_partition="CPX")
    whole = Gpu(index=0, gfx="gfx942", compute_partition="SPX")
    host, driver, rocm = (
        Host(kernel="5.14.0-427"),
        Driver(loaded=True, version="6.10.5"),
        Rocm(amd_smi="24.7.1"),
    )

    def seen(gpu: Gpu) -> str:
        facts = Facts(host=host, driver=driver, rocm=rocm, gpus=(gpu,))
        return versions.tools(Machine(facts=facts), Needs()).seen

    assert seen(part) == (
        "kernel 5.14.0-427 with a partitioned card; amdgpu 6.10.5 with a partitioned card; "
        "amd-smi 24.7.1 with a partitioned card"
    )
    assert seen(whole) == "amd-smi 24.7.1"
