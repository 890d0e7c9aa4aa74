"""Big reports from a seed, written as a stream. The layout is pytest's; sizes of texts vary widely."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from pathlib import Path

KINDS = ("well-formed", "damaged", "one-output")
_WORDS = (
    "copy",
    "reduce",
    "gemm",
    "softmax",
    "stream",
    "graph",
    "wave64",
    "fp8",
    "tile",
    "atomics",
    "gfx942",
)


def write(path: Path, kind: str, size: int, chance: random.Random) -> tuple[int, int]:
    """Write about `size` bytes; how many tests and how many failures there are."""
    tests = bad = 0
    with path.open("w", encoding="utf-8") as out:
        out.write("<?xml version='1.0' encoding='utf-8'?>\n<testsuites><testsuite name='pytest'>\n")
        if kind == "one-output":
            out.write(
                "<testcase classname='a' name='loud'><failure message='m'>why</failure><system-out><![CDATA["
            )
            line = "step 17: loss 0.3301, 412.7 TFLOP/s, &amp; <tensor> …\n"
            while out.tell() < size:
                out.write(line * 20_000)
            out.write("]]></system-out></testcase>\n")
            tests, bad = 1, 1
        while out.tell() < size:
            for _ in range(1_000):
                is_bad = chance.random() < 0.01
                out.write(_test(tests, chance, is_bad=is_bad))
                tests, bad = tests + 1, bad + is_bad
            if kind == "damaged":
                out.write(f"<testcase classname='a' name='R&D {tests}'/>\n")
                tests += 1
        out.write("</testsuite></testsuites>\n")
    return tests, bad


def _test(number: int, chance: random.Random, *, is_bad: bool) -> str:
    words = "_".join(chance.choices(_WORDS, k=3))
    name = f"classname='tests.unit.test_{words}' name='test_{words}[{number}-float16]'"
    head = f"<testcase {name} time='0.{number % 1000:03}'"
    if is_bad:
        text = f"tests/unit/test_{words}.py:{number % 400}: AssertionError\n" * chance.randint(1, 200)
        return f"{head}><failure message='assert {number} == 0'>{text}</failure></testcase>\n"
    if number % 4:
        return f"{head}/>\n"
    printed = f"step {number}: 412.7 TFLOP/s on {words}\n" * chance.randint(1, 20)
    return f"{head}><system-out>{printed}</system-out></testcase>\n"
