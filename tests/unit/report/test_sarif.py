from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from rocm_ci.model.edit import Edit
from rocm_ci.model.finding import Severity, Silenced, SilencedBy
from rocm_ci.model.result import ScanResult
from rocm_ci.model.scan_note import NoteKind, ScanNote
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import rule_help, sarif
from rocm_ci.report.tally import tally
from rocm_ci.scan.rulebook import shipped
from tests import reports, require
from tests.unit.scan.trees import scan_all

DOCUMENTED = shipped(documentation=True)

SCHEMA = Path(__file__).parents[3] / ".tools" / "contract" / "sarif-2.1.0.json"


def run_of(*findings: Any) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(sarif.render_findings(findings))["runs"][0]
    return run


def notes() -> tuple[ScanNote, ...]:
    return tuple(
        ScanNote(kind=kind, path="a b/../x\x1b.cpp", reason="a](b) {0}", rule=rule, line=line)
        for kind in NoteKind
        for rule, line in ((None, None), ("warp-mask-32", 0), ("other", 7))
    )


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
        validator.validate(json.loads(sarif.render_findings(findings, notes())))
        silenced = [
            msgspec.structs.replace(f, silenced=Silenced(by=by)) for f in findings for by in SilencedBy
        ]
        validator.validate(json.loads(sarif.render_scan(findings, silenced, notes())))
        validator.validate(json.loads(sarif.render_category(findings, notes(), category="rocm-ci/a/").text))


def test_what_every_rule_example_gives_is_valid_and_described() -> None:
    if not SCHEMA.is_file():
        require.missing("the SARIF schema", "python tools/fetch_contract.py")
    files = {f"{n}/{e.path}": e.text for n, e in enumerate(e for r in DOCUMENTED for e in r.bad)}
    scanned = scan_all(files)
    log = json.loads(sarif.render_scan(scanned.findings, scanned.silenced, scanned.notes))
    jsonschema.Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(log)
    run = log["runs"][0]

    assert len(run["tool"]["driver"]["rules"]) > 80
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["help"]["markdown"].count("\n\n") >= 3, rule["id"]
        assert rule["properties"]["precision"] in ("high", "medium")
        assert len(rule["properties"]["tags"]) <= 20
    assert any(
        len(r["fixes"][0]["artifactChanges"][0]["replacements"]) > 1 for r in run["results"] if "fixes" in r
    )


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


def test_a_fingerprint_stays_when_lines_move_and_are_indented() -> None:
    before = {"a.cpp": "cudaFree(0);\nint x;\ncudaFree(0);\n"}
    after = {"a.cpp": "// new\n\n  cudaFree( 0);\n\tcudaFree(0);\nint x;\n"}
    prints = [sarif.fingerprints(scan_all(files).findings) for files in (before, after)]

    assert prints[0] == prints[1]
    assert len(set(prints[0])) == 2


def test_a_fingerprint_tells_rules_paths_and_lines_apart() -> None:
    text = "cudaFree(0); cuInit(0);\ncudaFree(1);\n"
    found = scan_all({"a.cpp": text, "b.cpp": text}).findings

    assert len(found) == len(set(sarif.fingerprints(found))) == 6


def test_a_finding_without_a_fingerprint_gets_one_of_its_words() -> None:
    others = [
        reports.finding(),
        reports.finding(rule="x"),
        reports.finding(path="x"),
        reports.finding(message="x"),
    ]

    assert len(set(sarif.fingerprints(others))) == 4


def test_columns_count_utf16_units() -> None:
    (found,) = scan_all(
        {"a.cpp": 'puts("\U0001f600é\U0001f600"); cudaFree(0); puts("\U0001f600");\n'}
    ).findings
    run = run_of(found)
    result = run["results"][0]

    assert run["columnKind"] == "utf16CodeUnits"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 16, "endColumn": 24}
    change = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change == {"deletedRegion": region, "insertedContent": {"text": "hipFree"}}


def test_a_repair_of_several_places_is_one_fix_and_says_when_it_is_unsafe() -> None:
    edits = (Edit(line=41, column=3, end=9, text="a"), Edit(line=44, column=5, end=5, text="b"))
    (fix,) = run_of(msgspec.structs.replace(reports.finding(), edits=edits, unsafe=True))["results"][0][
        "fixes"
    ]
    (change,) = fix["artifactChanges"]

    assert [r["deletedRegion"] for r in change["replacements"]] == [
        {"startLine": 41, "startColumn": 3, "endColumn": 9},
        {"startLine": 44, "startColumn": 5, "endColumn": 5},
    ]
    assert fix["description"]["text"].endswith("It may change what the code means on NVIDIA.")


def test_who_silenced_a_finding_is_told_and_what_is_old_is_marked() -> None:
    kinds = {
        by: "inSource" if by in (SilencedBy.COMMENT, SilencedBy.FILE) else "external" for by in SilencedBy
    }
    for by, kind in kinds.items():
        one = msgspec.structs.replace(reports.finding(), silenced=Silenced(by=by, reason="because"))
        results = json.loads(sarif.render_scan([reports.finding(line=1)], [one], ()))["runs"][0]["results"]
        assert "suppressions" not in results[0]
        assert results[1]["suppressions"] == [
            {"kind": kind, "status": "accepted", "justification": "because"}
        ]
        states = [r.get("baselineState") for r in results]
        assert states == (["new", "unchanged"] if by is SilencedBy.BASELINE else [None, None])


def test_code_scanning_gets_no_silenced_finding_for_it_would_open_an_alert() -> None:
    report = reports.report(
        ScanResult(
            verdict=Verdict.PASS,
            duration_s=1.0,
            suppressed=1,
            silenced=(msgspec.structs.replace(reports.finding(), silenced=Silenced(by=SilencedBy.FILE)),),
        )
    )

    assert run_of(*tally(report).findings)["results"] == []


def test_what_was_not_looked_at_is_a_notification() -> None:
    note = ScanNote(
        kind=NoteKind.SKIPPED, path="a b.cpp", reason="larger than 5 MB", rule="warp-mask-32", line=3
    )
    (invocation,) = json.loads(sarif.render_findings(three(), [note]))["runs"][0]["invocations"]

    assert invocation["executionSuccessful"]
    (told,) = invocation["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"]) == ("warning", "larger than 5 MB")
    assert told["associatedRule"] == {"id": "warp-mask-32", "index": 0}
    place = told["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("a%20b.cpp", {"startLine": 3})


def test_a_scan_that_gave_up_a_file_was_no_success() -> None:
    note = ScanNote(kind=NoteKind.UNFINISHED, path="a.cpp", reason="out of time")

    assert not json.loads(sarif.render_findings((), [note]))["runs"][0]["invocations"][0][
        "executionSuccessful"
    ]


def test_a_log_that_github_would_refuse_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_COMPRESSED", 3_000)
    findings = [reports.finding(line=n, message=f"{n * n * 7919:x}" * 20) for n in range(200)]
    text = sarif.render_findings(findings)
    run = json.loads(text)["runs"][0]

    assert len(gzip.compress(text.encode())) <= 3_000
    assert run["properties"]["leftOut"] + len(run["results"]) == 200


@pytest.mark.parametrize("rule", ["../../x", "cuda-header/../x", "x" * 300, "", "a\nb"])
def test_the_name_of_a_rule_leads_to_no_other_file(rule: str) -> None:
    assert rule_help.why(reports.finding(rule=rule)) == ""


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
