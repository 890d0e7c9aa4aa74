"""The tests of a suite before they run, for it to be cut into parts; and the parts put together again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.runners import judge, warm_up
from rocm_ci.runners.base import Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.context import Context, Lease
    from rocm_ci.model.result import Suite
    from rocm_ci.runners.attempt import Order
    from rocm_ci.runners.base import Listed


def listed(ctx: Context, order: Order, lease: Lease) -> tuple[Listed, ...] | str:
    """The tests of the suite in its order, or why they cannot be known before they run."""
    slot = Slot(
        root=ctx.root,
        xml=ctx.out / "junit" / f"{order.stem}.list.xml",
        folder=ctx.out / "junit" / f"{order.stem}.list.d",
        is_named=False,
        environment={**order.environment, **warm_up.visible(order, lease), **order.options.env},
        run=ctx.run,
    )
    found = order.runner.collect(order.command(slot.xml), slot)
    return f"the runner {order.runner.name} cannot list its tests" if found is None else found


def joined(suites: Sequence[Suite]) -> Suite:
    """The parts as if they had been one run."""
    worse = max(suites, key=lambda one: one.verdict)
    cases = tuple(case for one in suites for case in one.cases)
    verdict = worst(one.verdict for one in suites)
    reasons = [one.reason for one in suites if one.reason not in ("", judge.counted(one.cases))]
    if verdict is not Verdict.PASS:  # what is green in one run needs no count either
        reasons.insert(0, judge.counted(cases))
    return replace(
        worse,
        verdict=verdict,
        duration_s=sum(one.duration_s for one in suites),
        reason="; ".join(dict.fromkeys(reasons)) if cases else worse.reason,
        timed_out=any(one.timed_out for one in suites),
        cases=cases,
        shards=len(suites),
        incidents=tuple(i for one in suites for i in one.incidents),
        tries=tuple(t for one in suites for t in one.tries),
        kept=tuple(k for one in suites for k in one.kept),
    )
