"""How long a report of 100,000 tests takes to become a comment: `python bench/report.py [TESTS]`.

Measures writing, strict reading and rendering, and the peak memory of the process that reads and
renders, which is the one on the trusted plane. Bars: 5 s, 500 MB, 60,000 bytes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rocm_ci.report import codec, junit
from rocm_ci.report.markdown import render_comment
from tests import reports


def write(tests: int, out: Path) -> float:
    report = reports.many(tests)
    began = time.perf_counter()
    out.write_bytes(codec.encode(report))
    return time.perf_counter() - began


def read(source: Path) -> dict[str, float]:
    began = time.perf_counter()
    report = codec.decode(source.read_bytes())
    decoded = time.perf_counter()
    comment = render_comment(report)
    rendered = time.perf_counter()
    document = junit.render(report)
    return {
        "decode_s": round(decoded - began, 3),
        "render_comment_s": round(rendered - decoded, 3),
        "render_junit_s": round(time.perf_counter() - rendered, 3),
        "comment_bytes": len(comment.encode()),
        "junit_bytes": len(document.encode()),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="?", type=int, default=100_000)
    tests = parser.parse_args().tests
    source = Path(tempfile.mkdtemp()) / "report.json"
    # Each side in a process of its own, so that building the input does not count as memory of reading it.
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1) as pool:
        encode_s = pool.apply(write, (tests, source))
    with spawn.Pool(1) as pool:
        figures = pool.apply(read, (source,))
    result = {"tests": tests, "report_bytes": source.stat().st_size, "encode_s": round(encode_s, 3)} | figures
    shutil.rmtree(source.parent)
    print(json.dumps(result, indent=2))
    total = result["encode_s"] + result["decode_s"] + result["render_comment_s"]
    return int(total >= 5 or result["peak_mb"] >= 500 or result["comment_bytes"] > 60_000)


if __name__ == "__main__":
    sys.exit(main())
