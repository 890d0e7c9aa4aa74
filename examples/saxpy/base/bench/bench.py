"""Times each function of the library and writes the results in google-benchmark's JSON layout."""

import argparse
import ctypes
import json
import time
from pathlib import Path

N = 1 << 17
ROWS = 256


def measure(call, repetitions, iterations):
    """Nanoseconds per call, one figure per repetition."""
    for _ in range(iterations):  # warm up: page in the code and the arrays
        call()
    figures = []
    for _ in range(repetitions):
        began = time.perf_counter_ns()
        for _ in range(iterations):
            call()
        figures.append((time.perf_counter_ns() - began) / iterations)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=200)
    options = parser.parse_args()
    library = ctypes.CDLL(str(Path(options.library).resolve()))
    library.saxpy_max_abs.restype = ctypes.c_float
    x = (ctypes.c_float * N)(*([0.5] * N))
    y = (ctypes.c_float * N)()
    sums = (ctypes.c_float * ROWS)()
    size, rows, columns = ctypes.c_size_t(N), ctypes.c_size_t(ROWS), ctypes.c_size_t(N // ROWS)
    calls = {
        "saxpy/131072": lambda: library.saxpy(size, ctypes.c_float(1.0001), x, y),
        "row_sum/256x512": lambda: library.saxpy_row_sum(rows, columns, x, sums),
        "max_abs/131072": lambda: library.saxpy_max_abs(size, x),
    }
    entries = [
        {
            "name": name,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": options.repetitions,
            "repetition_index": index,
            "iterations": options.iterations,
            "real_time": figure,
            "cpu_time": figure,
            "time_unit": "ns",
        }
        for name, call in calls.items()
        for index, figure in enumerate(measure(call, options.repetitions, options.iterations))
    ]
    document = {"context": {"executable": "bench.py", "num_cpus": 1}, "benchmarks": entries}
    Path(options.out).write_text(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
