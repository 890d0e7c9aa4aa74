"""pytest-benchmark's JSON (`--benchmark-json=FILE`).

Source of the layout: ionelmc/pytest-benchmark docs/usage.rst. With `--benchmark-save-data` every
round is there; without it one process gives one value, the median of its rounds. Times are seconds.
"""

from __future__ import annotations

from rocm_ci.model.perf import Better
from rocm_ci.perf.formats.base import Format, FormatError, Measurement, decoded, number


class PytestBenchmark:
    """Seconds per round, lower is better."""

    name = "pytest-benchmark"

    def claims(self, text: str) -> bool:
        """It always writes its machine and its commit."""
        return '"machine_info"' in text and '"benchmarks"' in text

    def read(self, text: str) -> tuple[Measurement, ...]:
        """See `Format.read`."""
        found = []
        for entry in decoded(text, self.name)["benchmarks"]:
            stats = entry.get("stats") if isinstance(entry, dict) else None
            if not isinstance(stats, dict):
                continue
            rounds = stats.get("data")
            figures = [number(v) for v in rounds] if isinstance(rounds, list) and rounds else []
            values = [v for v in figures if v is not None]
            median = number(stats.get("median"))
            if not values and median is not None:
                values = [median]
            name = str(entry.get("fullname") or entry.get("name") or "")
            if name and values:
                found.append(Measurement(name=name, unit="s", better=Better.LOWER, values=tuple(values)))
        if not found:
            raise FormatError(
                "the pytest-benchmark result holds no measurement",
                hint="check that the benchmarks were collected",
            )
        return tuple(found)


FORMAT: Format = PytestBenchmark()
