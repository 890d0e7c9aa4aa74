"""What was measured as a Markdown page: times, memory, ratios and the bars we hold ourselves to."""

from __future__ import annotations

from typing import Any

Rows = dict[str, dict[str, Any]]


def markdown(document: dict[str, Any]) -> str:
    rows: Rows = {one["name"]: one for one in document["measured"] if one["seconds"]}
    machine = document["machine"]
    where = f"{machine['processor']}, {machine['processors']} processors, {machine['memory_gb']} GB"
    system = f"{machine['system']}, Python {machine['python']}; load {machine['load_before'][0]} before"
    load = f"{document['load_after']} after"
    lines = [
        f"{document['date']}, commit {document['commit']}; {where}; {system}, {load}.",
        f"Rounds: {document['rounds']} after one that is not counted; seed {document['seed']}.",
        "Versions: " + ", ".join(f"{k} {v}" for k, v in document["versions"].items()) + ".",
        *(f"Left out: {name} ({why})." for name, why in document["absent"].items()),
        "",
        "| contender | corpus | files | MB | min s | median s | max s | runs | MB/s | peak MB |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(_row(one, document["corpora"].get(one["corpus"], {})) for one in rows.values()),
        "",
        "| what | bar | measured | held |",
        "|---|---|---|---|",
        *(
            f"| {what} | {bar} | {seen} | {'yes' if held else '**no**'} |"
            for what, bar, seen, held in _bars(rows)
        ),
        "",
        *(f"* {line}" for line in _ratios(rows)),
    ]
    return "\n".join(lines) + "\n"


def _row(one: dict[str, Any], corpus: dict[str, float]) -> str:
    size = corpus.get("mb")
    speed = f"{size / one['median_s']:.3g}" if size else "-"
    cells = [
        one["name"],
        one["corpus"],
        str(corpus.get("files", "-")),
        f"{size:.3g}" if size else "-",
        *(f"{one[key]:.3f}" for key in ("min_s", "median_s", "max_s")),
        str(len(one["seconds"])),
        speed,
        "-" if one["peak_mb"] is None else f"{one['peak_mb']:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def _bars(rows: Rows) -> list[tuple[str, str, str, bool]]:
    found = []
    for name, most in (("rocm-ci, pull request", 0.5), ("rocm-ci, vllm", 6.0)):
        if name in rows:
            median = rows[name]["median_s"]
            found.append((name, f"under {most:g} s", f"{median:.2f} s", median < most))
    found += [
        (name, "under 0.2 s", f"{one['median_s']:.3f} s", one["median_s"] < 0.2)
        for name, one in rows.items()
        if "first line" in name
    ]
    if "rocm-ci, vllm" in rows and rows["rocm-ci, vllm"]["peak_mb"]:
        peak = rows["rocm-ci, vllm"]["peak_mb"]
        found.append(("rocm-ci, vllm: memory of all processes", "under 300 MB", f"{peak:.0f} MB", peak < 300))
    if {"rocm-ci, vllm", "ripgrep, vllm"} <= rows.keys():
        times = rows["rocm-ci, vllm"]["median_s"] / rows["ripgrep, vllm"]["median_s"]
        found.append(("rocm-ci, vllm against ripgrep", "within 2×", f"{times:.1f}×", times <= 2))
    if {"rocm-ci, some CUDA files", "hipify-perl, some CUDA files"} <= rows.keys():
        times = (
            rows["hipify-perl, some CUDA files"]["median_s"] / rows["rocm-ci, some CUDA files"]["median_s"]
        )
        found.append(("against hipify-perl -examine", "over 100×", f"{times:.0f}×", times > 100))
    return found


def _ratios(rows: Rows) -> list[str]:
    """Every peer against us on the same files; below 1 it is faster."""
    lines = []
    for name, one in rows.items():
        if name.startswith("rocm-ci"):
            continue
        word = one["corpus"].split(" ")[0] if name.startswith("ripgrep") else one["corpus"]
        word = name.rpartition(", ")[2] if name.startswith("ripgrep") else word
        ours = rows.get(f"rocm-ci, {word}")
        if ours is not None:
            ratio = one["median_s"] / ours["median_s"]
            lines.append(
                f"{name}: {ratio:.3g} times our time ({one['median_s']:.2f} s to {ours['median_s']:.2f} s)"
            )
    return lines
