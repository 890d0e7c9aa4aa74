"""The amdgpu driver as all sources together tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu import compat, merge
from rocm_ci.model.facts import Conflict, Driver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.gpu.observation import Observation, Value
    from rocm_ci.model.facts import Host


def installed_driver(observations: Sequence[Observation], host: Host) -> tuple[Driver, list[Conflict]]:
    """The module's version with where it was read; a driver without one is named after its kernel."""
    said = {o.source: o.driver for o in observations}
    versions = {source: facts["version"] for source, facts in said.items() if facts.get("version")}
    version, source = merge.choose("version", versions)
    loaded = [facts["loaded"] for facts in said.values() if facts.get("loaded") is not None]
    on_disk, built_in = (said.get("module", {}).get(key) for key in ("on_disk", "built_in"))
    if version is None and not any(loaded) and on_disk:
        version, source = on_disk, "modinfo: the module on disk"
    elif source == "module":
        source = "/sys/module/amdgpu/version"
    elif version is not None and version == host.kernel:
        source = f"{source}: the kernel's release stands in for a version"
    elif version is None and (built_in is not None or any(d.get("in_tree") for d in said.values())):
        source = f"part of kernel {host.kernel}" if any(loaded) and host.kernel else None
    driver = Driver(
        loaded=True if any(loaded) else False if loaded else None,
        version=str(version) if version is not None else None,
        number=_number(version, said.get("module", {}), host),
        built_in=bool(built_in) if built_in is not None else None,
        source=source,
    )
    clash = merge.conflict("driver.version", "version", versions)
    return driver, [clash] if clash else []


def _number(version: Value, packaged: Mapping[str, Value], host: Host) -> str | None:
    """The driver's own number: as its package says, when that is the module which runs; else by the table."""
    told = packaged.get("number")
    if told and (version is None or str(packaged.get("on_disk")) == str(version)):
        return str(told)
    if version is None or version == host.kernel:
        # A kernel's release may look like a module's number.
        return None
    return compat.driver_number(str(version))
