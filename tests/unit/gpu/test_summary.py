from __future__ import annotations

from rocm_ci.gpu.collect import Inventory
from rocm_ci.gpu.summary import document, text
from rocm_ci.model.facts import Conflict, Driver, Facts, Gpu, Host, Rocm, Unknown

CARD = Gpu(index=0, name="AMD Instinct MI300X", gfx="gfx942", lds_bytes=65536, bus="0000:0c:00.0")
FACTS = Facts(
    host=Host(os="Ubuntu 24.04", cpus=32, cpus_total=64),
    driver=Driver(loaded=True, version="6.12.12"),
    rocm=Rocm(version="6.4.1", root="/opt/rocm"),
    gpus=(CARD, Gpu(index=1, name="AMD Instinct MI300X", gfx="gfx942", lds_bytes=65536, bus="0000:0c:00.1")),
    hardware_key="the key",
    unknown=(Unknown(name="rocm.torch", reason="torch is not installed"),),
    conflicts=(Conflict(name="gpu count", said={"kfd": "2", "amd-smi": "1"}),),
)
INVENTORY = Inventory(facts=FACTS, uuids=("GPU-1", None), called=({}, {"amd-smi": "MI300X"}))


def test_equal_gpus_share_a_line() -> None:
    lines = text(FACTS).splitlines()

    assert "GPU       0-1: AMD Instinct MI300X · gfx942" in lines
    assert "cpu       32 of 64 CPUs" in lines
    assert "conflict  gpu count: kfd says 2, amd-smi says 1" in lines
    assert "unknown   rocm.torch: torch is not installed" in lines


def test_a_machine_without_anything_known_fits_on_a_screen() -> None:
    many = tuple(Unknown(name=f"x{n}", reason="r") for n in range(100))

    lines = text(Facts(unknown=many)).splitlines()

    assert len(lines) < 25
    assert "88 more" in lines[-1]


def test_the_document_counts_devices_and_cards() -> None:
    found = document(INVENTORY, identities=False)

    assert (found["gpu_count"], found["card_count"], found["primary_gfx"]) == (2, 1, "gfx942")
    assert found["gpus"][0]["lds_kib"] == 64
    assert found["gpus"][1]["called"] == {"amd-smi": "MI300X"}


def test_ids_are_shown_only_where_asked() -> None:
    assert "uuid" not in document(INVENTORY, identities=False)["gpus"][0]
    assert document(INVENTORY, identities=True)["gpus"][0]["uuid"] == "GPU-1"


def test_dies_of_one_card_and_its_partitions_are_one_card() -> None:
    dies = tuple(Gpu(index=n, bus=f"0000:{n:02x}:00.0", device_id="0x7408") for n in range(4))
    partitions = tuple(Gpu(index=n, bus=f"0000:c1:00.{n}", device_id="0x74a1") for n in range(4))
    unplaced = (Gpu(index=0), Gpu(index=1))

    counts = [
        document(
            Inventory(facts=Facts(gpus=gpus), uuids=(None,) * len(gpus), called=({},) * len(gpus)),
            identities=False,
        )["card_count"]
        for gpus in (dies, partitions, unplaced)
    ]

    assert counts == [2, 1, 2]
