"""Other readers of JUnit XML, each as short as its manual shows it: `peers.py lxml|junitparser FILE`."""

from __future__ import annotations

import json
import sys


def with_lxml(path: str) -> dict[str, int]:
    """Streaming, and only counting: a lower bound for any reader that parses with libxml2."""
    from lxml import etree  # noqa: PLC0415 - each process loads one library

    tests = failures = 0
    for _, case in etree.iterparse(path, tag="testcase", huge_tree=True, resolve_entities=False):
        tests += 1
        failures += case.find("failure") is not None
        case.clear()
        while case.getprevious() is not None:
            del case.getparent()[0]
    return {"tests": tests, "failures": failures}


def with_junitparser(path: str) -> dict[str, int]:
    """The library that most scripts use."""
    from junitparser import Failure, JUnitXml  # noqa: PLC0415 - as above

    tests = failures = 0
    for suite in JUnitXml.fromfile(path):
        for case in suite:
            tests += 1
            failures += any(isinstance(result, Failure) for result in case.result)
    return {"tests": tests, "failures": failures}


if __name__ == "__main__":
    print(json.dumps({"lxml": with_lxml, "junitparser": with_junitparser}[sys.argv[1]](sys.argv[2])))
