from __future__ import annotations

from rocm_ci.gpu.checks import compatibility
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.model.facts import Driver, Facts, Gpu, Host, Rocm
from rocm_ci.model.verdict import Verdict

CARD = (Gpu(index=0, gfx="gfx942"),)


def machine(
    rocm: str | None,
    *,
    module: str | None = "6.16.13",
    os: str = "Ubuntu 24.04.3 LTS",
    gpus: tuple[Gpu, ...] = CARD,
) -> Machine:
    built_in = None if module else False
    return Machine(
        facts=Facts(
            host=Host(os=os, kernel="6.8.0-79-generic"),
            driver=Driver(loaded=True, version=module, built_in=built_in),
            rocm=Rocm(version=rocm),
            gpus=gpus,
        )
    )


def test_a_driver_that_goes_with_the_rocm_passes_with_both_of_its_numbers() -> None:
    check = compatibility.driver(machine("7.2.1"), Needs())

    assert check.status is Verdict.PASS
    assert check.seen.startswith("driver 30.30 (module 6.16.13): ROCm 7.2 is supported with")


def test_a_driver_too_old_for_the_rocm_is_advice_with_source_and_fix() -> None:
    check = compatibility.driver(machine("7.2.1", module="6.8.5"), Needs())

    assert check.status is Verdict.NEUTRAL
    assert "too old: driver 6.2 (module 6.8.5)" in check.seen
    assert "compatibility matrix of 7.2.3" in check.seen
    assert check.fix


def test_what_is_not_known_is_left_open_and_says_where_to_look() -> None:
    for found in (machine("10.0.0"), machine(None), machine("7.2.1", module=None), machine("7.2.1", gpus=())):
        check = compatibility.driver(found, Needs())
        assert check.status is Verdict.SKIPPED
        assert check.fix
        assert check.seen


def test_the_wheel_tells_the_rocm_where_none_is_installed() -> None:
    found = machine(None)
    facts = Facts(
        driver=found.facts.driver, gpus=CARD, rocm=Rocm(torch="2.9.0+rocm7.0", torch_hip="7.0.51831")
    )

    assert "ROCm 7.0" in compatibility.driver(Machine(facts=facts), Needs()).seen


def test_an_operating_system_that_was_dropped_is_advice() -> None:
    check = compatibility.system(machine("6.4.1", os="Ubuntu 20.04.6 LTS"), Needs())

    assert check.status is Verdict.NEUTRAL
    assert "ROCm 6.4 no longer supports ubuntu 20.04" in check.seen


def test_an_operating_system_that_is_named_passes_with_its_kernel() -> None:
    check = compatibility.system(machine("7.2.1"), Needs())

    assert check.status is Verdict.PASS
    assert check.seen == (
        "ROCm 7.2 is supported on ubuntu 24.04; kernel 6.8.0-79-generic; ubuntu 24.04 comes with 6.8"
    )


def test_an_unlisted_or_unknown_system_is_left_open() -> None:
    for os in ("Fedora Linux 43 (Server Edition)", "Arch Linux"):
        assert compatibility.system(machine("7.2.1", os=os), Needs()).status is Verdict.SKIPPED


def test_a_card_that_came_after_the_rocm_is_advice() -> None:
    newer = (Gpu(index=0, gfx="gfx942"), Gpu(index=1, gfx="gfx950"))

    check = compatibility.targets(machine("6.4.1", gpus=newer), Needs())

    assert check.status is Verdict.NEUTRAL
    assert check.seen.startswith("gfx950 came with ROCm 7.0.0, installed is 6.4.1")


def test_supported_cards_pass_and_hidden_ones_do_not_count() -> None:
    hidden = Gpu(index=1, gfx="gfx950", visible=False)

    assert compatibility.targets(machine("6.4.1", gpus=(*CARD, hidden)), Needs()).status is Verdict.PASS


def test_a_wheel_without_code_for_the_card_is_told_though_rocm_supports_it() -> None:
    found = machine("7.14.0", gpus=(Gpu(index=0, gfx="gfx1103"),))
    assert compatibility.targets(found, Needs()).status is Verdict.PASS

    rocm = Rocm(version="7.14.0", torch="2.9.0+rocm7.2", torch_hip="7.2.26015")
    facts = Facts(driver=found.facts.driver, gpus=found.facts.gpus, rocm=rocm)
    check = compatibility.targets(Machine(facts=facts), Needs())

    assert check.status is Verdict.SKIPPED
    assert check.seen == "gfx1103 is not among the targets of PyTorch's wheels for ROCm 7.2"


def test_a_driver_of_the_kernels_own_tree_is_named_as_one() -> None:
    check = compatibility.driver(machine("7.2.1", module=None), Needs())

    assert check.seen == "the driver is the kernel's own, which AMD's matrix does not number"
