"""`amd-smi`: static facts, firmware, partitions, and metrics where they were recorded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu.amdsmi_records import Record, looks_like, records
from rocm_ci.gpu.observation import MAX_DEVICES, Collector, Device, Observation, Value, bus_address
from rocm_ci.gpu.quantity import gfx, hex_id, number, size_bytes, version, whole, word
from rocm_ci.gpu.reader import Answer, Reader, Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

AMD_SMI = Tool(
    name="amd-smi",
    commands=(
        ("amd-smi", "version"),
        ("amd-smi", "static", "--json"),
        ("amd-smi", "list", "--json"),
        ("amd-smi", "firmware", "--json"),
        ("amd-smi", "partition", "--current", "--json"),
    ),
    recognise=looks_like,
    timeout_s=15.0,
)


def _mib(text: object) -> int | None:
    return size_bytes(text, "mb")


# Field → reader of the text and the paths it was seen under, newest release first.
_FIELDS: tuple[tuple[str, Callable[[object], Value], tuple[str, ...]], ...] = (
    ("name", word, ("asic.market_name", "market_name", "board.product_name")),
    ("gfx", gfx, ("asic.target_graphics_version", "target_graphics_version")),
    ("compute_units", whole, ("asic.num_compute_units", "num_compute_units", "asic.num_of_compute_units")),
    ("device_id", hex_id, ("asic.device_id", "device_id")),
    ("revision", word, ("asic.rev_id", "rev_id")),
    ("bus", bus_address, ("bus.bdf", "bdf", "gpu_bdf")),
    ("uuid", word, ("uuid", "gpu_uuid")),
    ("node", whole, ("node_id",)),
    ("kfd_id", whole, ("kfd_id",)),
    ("partition", whole, ("partition_id", "partition.partition_id")),
    ("numa_node", whole, ("numa.node", "node")),
    # The part number is what sysfs and rocm-smi call the version.
    ("vbios", word, ("vbios.part_number", "ifwi.part_number", "vbios.version", "ifwi.version")),
    ("vram_bytes", _mib, (
        "vram.size", "vram.vram_size", "mem_usage.total_vram", "vram_size", "size",
        "monitor.total_vram",
    )),
    ("vram_used_bytes", _mib, (
        "mem_usage.used_vram", "mem_info.vram_used", "vram_used", "vram_used_mb", "monitor.used_vram",
    )),
    ("compute_partition", word, (
        "partition.accelerator_partition", "partition.compute_partition", "accelerator_type",
        "accelerator_partition", "compute_partition",
    )),
    ("memory_partition", word, ("partition.memory_partition", "memory_partition", "memory")),
    ("power_cap_w", whole, (
        "limit.ppt0.socket_power_limit", "limit.ppt.socket_power_limit", "limit.socket_power_limit",
        "limit.socket_power", "limit.power_cap", "limit.current_power_cap", "limit.current_power",
        "socket_power_limit", "limit.ppt0.max_power_limit", "limit.max_power",
    )),
    ("power_w", number, ("power.socket_power", "power.current_socket_power", "power.average_socket_power")),
    ("temperature_c", number, ("temperature.hotspot", "temperature.edge")),
    ("sclk_mhz", whole, ("clock.gfx_0.clk", "clock.gfx.clk", "clock.gfx_0.cur_clk")),
    ("mclk_mhz", whole, ("clock.mem_0.clk", "clock.mem.clk", "clock.mem_0.cur_clk")),
    ("busy_pct", number, ("usage.gfx_activity", "usage.gfx_usage")),
    ("performance_level", word, ("perf_level",)),
    ("ecc_correctable", whole, ("ecc.total_correctable_count", "ecc.total_correctable")),
    ("ecc_uncorrectable", whole, ("ecc.total_uncorrectable_count", "ecc.total_uncorrectable")),
)  # fmt: skip
_PARTITION_FIELDS = ("compute_partition", "memory_partition")


def collect(reader: Reader) -> Observation:
    """Devices of all recorded subcommands joined by amd-smi's own device number."""
    answer = reader.ask(AMD_SMI)
    driver: dict[str, Value] = {}
    rocm: dict[str, Value] = {}
    host: dict[str, Value] = {}
    devices: dict[int, Record] = {}
    firmware: dict[int, dict[str, str]] = {}
    for output in answer.outputs:
        _read_version(output.text, driver, rocm)
        for record in records(output.text):
            ordinal = whole(_first(record, ("gpu", "gpu_id")))
            if ordinal is None:
                _read_versions(record, driver, rocm)
            elif 0 <= ordinal < MAX_DEVICES:
                _join(devices.setdefault(ordinal, {}), record)
                firmware.setdefault(ordinal, {}).update(_firmware(record))
                _read_driver(record, driver)
                kernel = word(record.get("driver.os_kernel_version"))
                host |= {"kernel": kernel} if kernel else {}
    return Observation(
        source="amd-smi",
        host=host,
        driver=driver,
        rocm=rocm,
        notes=_cut_off(answer, devices),
        devices=tuple(
            Device(values=_values(devices[n]), firmware=firmware.get(n, {})) for n in sorted(devices)
        ),
        problem=answer.problem,
    )


def _cut_off(answer: Answer, devices: Mapping[int, object]) -> tuple[str, ...]:
    """Says so when the JSON names devices whose record does not end."""
    named = {int(n) for o in answer.outputs for n in re.findall(r'(?m)^\s*"gpu": (\d{1,4}),?$', o.text)}
    lost = sorted(named - set(devices))
    return (f"amd-smi output is cut off: nothing is known of its GPU {lost[0]}",) if lost else ()


def _first(record: Record, paths: Sequence[str]) -> str | None:
    return next((record[path] for path in paths if path in record), None)


def _join(into: Record, record: Record) -> None:
    """What a later subcommand says wins, unless it is «N/A»."""
    for path, text in record.items():
        if path not in into or word(text) is not None:
            into[path] = text


def _values(record: Record) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for field, read, paths in _FIELDS:
        texts = [record[path] for path in paths if path in record]
        found = next((value for text in texts if (value := read(text)) is not None), None)
        if found is not None:
            values[field] = found
        elif texts or any(path.partition(".")[0] in record for path in paths if "." in path):
            # Asked and answered «N/A», for the value or for its whole section: a reason of its own.
            values.setdefault(field, None)
    for field in _PARTITION_FIELDS:
        mode = values.get(field)
        if isinstance(mode, str):
            values[field] = mode.split("/")[0].upper()
    if word(record.get("vram.type", "")) in ("DDR4", "DDR5", "LPDDR4", "LPDDR5"):
        values["integrated"] = True
    return values


def _firmware(record: Record) -> dict[str, str]:
    """`fw_list.N.fw_id` with `fw_list.N.fw_version`; older text calls them `fw_N`."""
    found: dict[str, str] = {}
    for part in ("vbios", "ifwi"):
        build = word(record.get(f"{part}.version"))
        if build:
            found[part.upper()] = build[:60]
    for path, name in record.items():
        if path.endswith(".fw_id") and len(found) < 64:
            value = word(record.get(path.removesuffix("fw_id") + "fw_version"))
            identity = word(name)
            if value and identity and value not in ("0", "00.00.00.00"):
                found[identity[:40]] = value[:60]
    return found


def _read_driver(record: Record, driver: dict[str, Value]) -> None:
    text = word(_first(record, ("driver.version", "driver.driver_version", "driver_version")))
    if text is None:
        return
    driver.setdefault("loaded", True)
    if text.lower().startswith("linux"):
        # The driver in the kernel's own tree has no version: amd-smi prints /proc/version instead.
        driver.setdefault("in_tree", True)
    else:
        driver.setdefault("version", text)


def _read_version(text: str, driver: dict[str, Value], rocm: dict[str, Value]) -> None:
    """The one-line form: `AMDSMI Tool: … | AMDSMI Library version: … | ROCm version: … | …`."""
    for part in re.findall(r"(?m)^AMD[^\n]{0,40}(?:Tool:|Interface \|)[^\n]{0,400}$", text)[:4]:
        pairs = dict(re.findall(r"([A-Za-z_ ]{2,40}): ([^|\n]{1,100})", part))
        record = {key.strip().lower().replace(" ", "_"): value.strip() for key, value in pairs.items()}
        _read_versions(record, driver, rocm)


def _read_versions(record: Record, driver: dict[str, Value], rocm: dict[str, Value]) -> None:
    for field, paths in (
        ("version", ("rocm_version",)),
        ("amd_smi", ("version", "amdsmi_tool", "amdsmi_library_version")),
    ):
        found = version(_first(record, paths))
        if found:
            rocm.setdefault(field, found)
    if "amdgpu_version" in record:
        _read_driver({"driver_version": record["amdgpu_version"]}, driver)
    platform = word(record.get("platform"))
    if platform and "guest" in platform.lower():
        driver.setdefault("guest", True)


COLLECTOR: Collector = Collector(name="amd_smi", collect=collect)
