from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from rocm_ci.model.finding import Severity
from rocm_ci.report import sarif
from rocm_ci.report.tally import tally
from tests import reports, require

SCHEMA = Path(__file__).parents[3] / ".tools" / "contract" / "sarif-2.1.0.json"


def run_of(*findings: Any) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(sarif.render_findings(findings))["runs"][0]
    return run


def three() -> tuple[Any, ...]:
    return (
        reports.finding(),
        reports.finding(line=52),
        reports.finding(rule="hardcoded-cuda-path", severity=Severity.NOTE, docs=None, replacement=None),
    )


def test_the_log_is_valid_against_the_published_schema() -> None:
    if not SCHEMA.is_file():
        require.missing("the SARIF schema", "python tools/fetch_contract.py")
    validator = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))

    hostile = tally(reports.with_every_text(reports.red(), "a]({0}\x00<b>")).findings
    for findings in ((), three(), hostile):
        validator.validate(json.loads(sarif.render_findings(findings)))


def test_an_empty_log_has_a_run_so_that_old_alerts_close() -> None:
    assert run_of()["results"] == []


def test_each_rule_is_described_once_and_results_point_to_it() -> None:
    run = run_of(*three())
    rules = run["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == ["warp-mask-32", "hardcoded-cuda-path"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    assert rules[0]["helpUri"].endswith("docs/rules/warp-mask-32.md")
    assert "helpUri" not in rules[1]
    assert all(rule["help"]["text"] for rule in rules)


def test_a_mechanical_repair_is_a_fix() -> None:
    result = run_of(reports.finding())["results"][0]

    change = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["deletedRegion"] == {"startLine": 41, "startColumn": 27, "endColumn": 37}
    assert change["insertedContent"]["text"] == "0xffffffffffffffffull"


def test_a_fingerprint_stays_when_lines_move() -> None:
    before = [reports.finding(line=10), reports.finding(line=20)]
    after = [reports.finding(line=110), reports.finding(line=120)]

    assert sarif.fingerprints(before) == sarif.fingerprints(after)
    assert len(set(sarif.fingerprints(before))) == 2


def test_a_fingerprint_tells_rules_paths_and_words_apart() -> None:
    others = [
        reports.finding(),
        reports.finding(rule="x"),
        reports.finding(path="x"),
        reports.finding(message="x"),
    ]

    assert len(set(sarif.fingerprints(others))) == 4


def test_the_worst_stay_when_there_are_too_many() -> None:
    notes = [reports.finding(severity=Severity.NOTE, line=n) for n in range(sarif.MAX_RESULTS)]

    run = run_of(*notes, reports.finding(severity=Severity.ERROR))

    assert len(run["results"]) == sarif.MAX_RESULTS
    assert run["results"][0]["level"] == "error"
    assert run["properties"]["leftOut"] == 1


def test_a_message_holds_no_link_and_no_placeholder() -> None:
    said = run_of(reports.finding(message="see [this](https://evil.example) {0} {x}", fix=None))["results"][
        0
    ]["message"]["text"]

    assert said == "see [this] (https://evil.example) { 0} {x}"


def test_a_path_stays_a_relative_reference_inside_the_checkout() -> None:
    paths = ("a b/c%d.hip", "/etc/passwd", "../../x", "https://evil.example/x", "a\udcff")
    uris = [
        run_of(reports.finding(path=path))["results"][0]["locations"][0]["physicalLocation"][
            "artifactLocation"
        ]["uri"]
        for path in paths
    ]

    assert uris == ["a%20b/c%25d.hip", "etc/passwd", "x", "https%3A/evil.example/x", "a%3F"]


def test_a_place_that_cannot_be_is_moved_to_one_that_can() -> None:
    odd = msgspec.structs.replace(reports.finding(), line=0, column=-3, end=-9)

    region = run_of(odd)["results"][0]["locations"][0]["physicalLocation"]["region"]

    assert region == {"startLine": 1, "startColumn": 1, "endColumn": 2}
