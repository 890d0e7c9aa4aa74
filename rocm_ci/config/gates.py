"""What guards the branch, and which side of a change decides it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rocm_ci.config.options import Config

# Whatever weakens a gate: taken from the merge base when the head is not trusted.
GATES = ("require-gpu", "inconclusive", "flaky", "mask", "stages", "arch", "scan")
# A step is guarded as a whole. `run: "true"`, five retries, another metric, a longer timeout, a
# smaller list of artifacts or no step at all: each would turn a red run green.
GUARDED_STEPS = ("build", "test", "perf")


def with_base_gates(head: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """The head's tree with every gate replaced by the base's (or dropped to its default).

    A build, suite or benchmark that exists at the base keeps its whole definition and its place;
    the head may only add further ones. A build is not even added where the base has none: there
    it is detected, and a stranger's own would take the place of that.
    """
    merged = {k: v for k, v in head.items() if k not in (*GATES, *GUARDED_STEPS)}
    merged |= {gate: base[gate] for gate in GATES if gate in base}
    for kind in GUARDED_STEPS:
        guarded = base.get(kind) or []
        names = {step["name"] for step in guarded}
        added = [step for step in head.get(kind) or [] if step["name"] not in names]
        if kind == "build" and not guarded:
            added = []
        if guarded or added:
            merged[kind] = [*guarded, *added]
    return merged


def differing_gates(head: Config, guarded: Config) -> list[str]:
    """What the head says otherwise than its own tree `with_base_gates`: `scan`, `test (unit, io)`."""
    different = [gate for gate in GATES if _option(head, gate) != _option(guarded, gate)]
    for kind in GUARDED_STEPS:
        now = {step.name: step for step in getattr(head, kind)}
        then = {step.name: step for step in getattr(guarded, kind)}
        names = [name for name in {**then, **now} if now.get(name) != then.get(name)]
        if names:
            different.append(f"{kind} ({', '.join(names)})")
    return different


def _option(config: Config, name: str) -> object:
    return getattr(config, name.replace("-", "_"))
