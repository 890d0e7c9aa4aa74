"""How long things took in earlier runs."""

from __future__ import annotations

from rocm_ci.model.base import Frozen


class Times(Frozen, frozen=True, kw_only=True):
    """Seconds by suite, and by suite and test id. All of a suite's shards count together."""

    suites: dict[str, float] = {}
    tests: dict[str, dict[str, float]] = {}

    def over(self, other: Times) -> Times:
        """These, and the other's where these have none."""
        names = {**other.tests, **self.tests}
        return Times(
            suites={**other.suites, **self.suites},
            tests={name: {**other.tests.get(name, {}), **self.tests.get(name, {})} for name in names},
        )
