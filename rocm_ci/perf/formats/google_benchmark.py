"""google-benchmark's JSON (`--benchmark_out=FILE --benchmark_out_format=json`).

Source of the layout: google/benchmark docs/user_guide.md and src/json_reporter.cc. Aggregates (mean,
median, stddev, cv) repeat what the iterations say and are left out unless nothing else is there.
"""

from __future__ import annotations

from rocm_ci.model.perf import Better
from rocm_ci.perf.formats.base import Format, FormatError, Measurement, decoded, number

_RATES = ("bytes_per_second", "items_per_second")


class GoogleBenchmark:
    """Real time per iteration, lower is better; rates a benchmark reports become series of their own."""

    name = "google-benchmark"

    def claims(self, text: str) -> bool:
        """Its entries have a `run_type` or `real_time`."""
        return '"benchmarks"' in text and '"real_time"' in text

    def read(self, text: str) -> tuple[Measurement, ...]:
        """See `Format.read`."""
        entries = [e for e in decoded(text, self.name)["benchmarks"] if isinstance(e, dict)]
        samples = [e for e in entries if e.get("run_type", "iteration") == "iteration"]
        # With --benchmark_report_aggregates_only only aggregates are left: one value per process.
        samples = samples or [e for e in entries if e.get("aggregate_name") == "median"]
        values: dict[tuple[str, str, Better], list[float]] = {}
        for entry in samples:
            name = str(entry.get("run_name") or entry.get("name") or "")
            if not name or entry.get("error_occurred") or entry.get("skipped"):
                continue
            took = number(entry.get("real_time"))
            if took is not None:
                values.setdefault((name, str(entry.get("time_unit", "ns")), Better.LOWER), []).append(took)
            for rate in _RATES:
                figure = number(entry.get(rate))
                if figure is not None:
                    unit = "B/s" if rate.startswith("bytes") else "items/s"
                    values.setdefault((f"{name} {rate}", unit, Better.HIGHER), []).append(figure)
        if not values:
            raise FormatError(
                "the google-benchmark result holds no measurement",
                hint="check --benchmark_filter and the log",
            )
        return tuple(
            Measurement(name=name, unit=unit, better=better, values=tuple(figures))
            for (name, unit, better), figures in values.items()
        )


FORMAT: Format = GoogleBenchmark()
