"""What guards the branch, and which side of a change decides it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rocm_ci.config.options import Config

# Whatever weakens a gate: taken from the merge base when the head is not trusted.
GATES = ("require-gpu", "inconclusive", "stages", "arch", "scan", "perf.min-effect")


def differing_gates(head: Config, base: Config) -> list[str]:
    """Names of the gates that differ between the two sides."""
    different = []
    for gate in GATES:
        if gate == "perf.min-effect":
            effects = {p.name: p.min_effect for p in base.perf}
            now = {p.name: p.min_effect for p in head.perf}
            if any(now.get(name) != effect for name, effect in effects.items()):
                different.append("perf")
        elif getattr(head, gate.replace("-", "_")) != getattr(base, gate.replace("-", "_")):
            different.append(gate)
    return different


def with_base_gates(head: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """The head's tree with every gate replaced by the base's (or dropped to its default)."""
    merged = {k: v for k, v in head.items() if k not in GATES}
    merged |= {gate: base[gate] for gate in GATES if gate in base}
    # A benchmark that exists at the base keeps its whole definition: command, rounds and bound.
    guarded = {p["name"]: p for p in base.get("perf") or () if "name" in p}
    own = [p for p in head.get("perf") or () if p.get("name") not in guarded]
    if guarded or own:
        merged["perf"] = [*guarded.values(), *own]
    return merged
