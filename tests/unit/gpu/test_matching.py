from __future__ import annotations

from rocm_ci.gpu.matching import match
from rocm_ci.gpu.observation import Device, Observation, Value, Values


def source(name: str, *devices: Values) -> Observation:
    return Observation(source=name, devices=tuple(Device(values=d) for d in devices))


def paired(source_name: str, *observations: Observation, key: str = "mark") -> list[Value]:
    """What `source_name` says of `key`, in the order of the defining source."""
    matched = match(observations)
    return [g.said[source_name].values.get(key) if source_name in g.said else None for g in matched.groups]


def test_devices_are_joined_by_address_when_the_tools_order_them_differently() -> None:
    kernel = source("kfd", {"bus": "0000:0c:00.0"}, {"bus": "0000:22:00.0"})
    tool = source("rocm-smi", {"bus": "0000:22:00.0", "mark": "b"}, {"bus": "0000:0c:00.0", "mark": "a"})

    assert paired("rocm-smi", kernel, tool) == ["a", "b"]


def test_devices_are_joined_by_topology_node_and_by_driver_id() -> None:
    kernel = source("kfd", {"node": 1, "kfd_id": 77}, {"node": 2, "kfd_id": 88})

    assert paired(
        "rocminfo", kernel, source("rocminfo", {"node": 2, "mark": "b"}, {"node": 1, "mark": "a"})
    ) == [
        "a",
        "b",
    ]
    assert paired("rocm-smi", kernel, source("rocm-smi", {"kfd_id": 88, "mark": "b"})) == [None, "b"]


def test_equally_many_devices_without_any_key_are_joined_by_order() -> None:
    kernel = source("kfd", {"gfx": "gfx942"}, {"gfx": "gfx942"})
    tool = source("rocm-smi", {"mark": "a"}, {"mark": "b"})

    assert paired("rocm-smi", kernel, tool) == ["a", "b"]


def test_order_is_not_trusted_against_an_identifying_value() -> None:
    kernel = source("kfd", {"gfx": "gfx1036"}, {"gfx": "gfx1201"})
    tool = source("rocm-smi", {"gfx": "gfx1201", "mark": "card"}, {"gfx": "gfx1036", "mark": "apu"})

    assert paired("rocm-smi", kernel, tool) == [None, None]


def test_partitions_of_one_card_are_joined_in_their_order() -> None:
    nodes: list[Values] = [{"bus": f"0000:0c:00.{n}", "node": n + 1} for n in range(4)]
    parts: list[Values] = [{"bus": "0000:0c:00.0", "mark": n} for n in range(4)]
    kernel, tool = source("kfd", *nodes), source("amd-smi", *parts)

    assert paired("amd-smi", kernel, tool) == [0, 1, 2, 3]


def test_the_bus_shows_a_card_once_for_all_its_partitions() -> None:
    kernel = source("kfd", *({"bus": f"0000:0c:00.{n}"} for n in range(4)))
    bus = source("sysfs", {"bus": "0000:0c:00.0", "mark": "CPX"})

    assert paired("sysfs", kernel, bus) == ["CPX"] * 4


def test_a_device_that_only_the_bus_shows_is_a_stray() -> None:
    kernel = source("kfd", {"bus": "0000:0c:00.0"})
    bus = source("sysfs", {"bus": "0000:0c:00.0"}, {"bus": "0000:22:00.0"})

    matched = match([kernel, bus])

    assert [d.values["bus"] for _, d in matched.strays] == ["0000:22:00.0"]
    assert len(matched.groups) == 1


def test_a_bus_without_a_driver_defines_no_gpu() -> None:
    assert match([source("lspci", {"bus": "0000:0c:00.0"})]).groups == ()
    assert len(match([source("lspci", {"bus": "0000:0c:00.0", "driver": "amdgpu"})]).groups) == 1


def test_counts_of_all_listing_sources_are_kept() -> None:
    matched = match([source("kfd", {"node": 1}, {"node": 2}), source("rocminfo", {"node": 1})])

    assert matched.counts == {"kfd": 2, "rocminfo": 1}


def test_hearsay_counts_only_where_nobody_else_lists_a_gpu() -> None:
    told = source("torch", {"name": "AMD Instinct MI300X"})
    kernel = source("kfd", {"node": 1}, {"node": 2})
    unused = source("lspci", {"bus": "0000:0c:00.0", "driver": "vfio-pci"})

    assert match([told]).base == "torch"
    assert match([told, unused]).base == "torch"
    alone = match([told, kernel])
    assert (alone.base, len(alone.groups), alone.counts) == ("kfd", 2, {"kfd": 2})


def test_equally_many_devices_at_other_addresses_are_other_devices() -> None:
    kernel = source("kfd", {"bus": "0000:0c:00.0"})
    tool = source("amd-smi", {"bus": "0000:22:00.0", "mark": "b"})

    matched = match([kernel, tool])

    assert paired("amd-smi", kernel, tool) == [None]
    assert [name for name, _ in matched.strays] == ["amd-smi"]
