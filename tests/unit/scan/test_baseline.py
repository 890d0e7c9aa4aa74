"""Known findings: counted, found again when lines move, and never an excuse for a new one."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.errors import ConfigError
from rocm_ci.model.changes import ChangeKind, Changes, FileChange
from rocm_ci.model.finding import SilencedBy
from rocm_ci.scan import baseline as module
from rocm_ci.scan.baseline import NO_BASELINE, Baseline, Entry
from rocm_ci.scan.inspection import Inspection, chosen_baseline
from rocm_ci.scan.scanned import Scanned
from tests.unit.scan.trees import BOOK, Tree, scan_all

WHERE = ".github/rocm-ci-baseline.json"
OLD = "int a = cudaFree(0);\n"


def baseline_of(files: dict[str, str]) -> Baseline:
    return module.of(scan_all(files).findings, WHERE)


def inspect(
    files: dict[str, str],
    baseline: Baseline,
    changes: Changes | None = None,
    renames: dict[str, str] | None = None,
    options: ScanOptions | None = None,
) -> tuple[Scanned, tuple[Entry, ...]]:
    inspection = Inspection(
        source=Tree(files),
        options=options or ScanOptions(),
        archs=("gfx90a",),
        book=BOOK,
        baseline=baseline,
        renames=lambda: renames or {},
    )
    return inspection.scan(changes or whole_tree(tuple(files)))


def change(path: str, *ranges: tuple[int, int], old: str | None = None) -> Changes:
    kind = ChangeKind.RENAMED if old else ChangeKind.MODIFIED
    return Changes(files=(FileChange(path=path, kind=kind, added=ranges, old_path=old),))


@pytest.mark.parametrize(
    "now",
    [
        OLD,
        "// new\n\n\n" + OLD,
        "\t\t" + OLD,
        "int a=cudaFree( 0 );\n",
        OLD.replace("\n", "\r\n"),
    ],
    ids=["the same", "moved", "indented", "formatted", "other line ends"],
)
def test_a_known_finding_does_not_count(now: str) -> None:
    scanned, stale = inspect({"a.cpp": now}, baseline_of({"a.cpp": OLD}))

    assert (scanned.findings, scanned.baselined, scanned.suppressed, stale) == ((), 1, 0, ())
    assert [f.silenced.by for f in scanned.silenced if f.silenced] == [SilencedBy.BASELINE]


@pytest.mark.parametrize(
    "files",
    [{"a.cpp": "int b = cudaFree(0);\n"}, {"b.cpp": OLD}, {"a.cpp": "int a = cudaMalloc(0);\n"}],
    ids=["another line", "another file", "another name"],
)
def test_anything_else_counts(files: dict[str, str]) -> None:
    scanned, _ = inspect(files, baseline_of({"a.cpp": OLD}))

    assert [f.rule for f in scanned.findings if f.rule != "stale-baseline"] == ["cuda-runtime-api"]


def test_equal_findings_are_counted() -> None:
    known = baseline_of({"a.cpp": OLD * 2})
    scanned, _ = inspect({"a.cpp": OLD * 3}, known)

    assert [entry.count for entry in known.entries] == [2]
    assert ([f.line for f in scanned.findings], scanned.baselined) == ([3], 2)


def test_a_copy_of_an_old_line_is_new_in_a_change_too() -> None:
    scanned, _ = inspect(
        {"a.cpp": OLD + "int b;\n" + OLD}, baseline_of({"a.cpp": OLD}), change("a.cpp", (3, 3))
    )

    assert [f.line for f in scanned.findings] == [3]


def test_a_moved_line_is_old_in_a_change_too() -> None:
    scanned, stale = inspect(
        {"a.cpp": "int b;\n" + OLD}, baseline_of({"a.cpp": OLD}), change("a.cpp", (2, 2))
    )

    assert (scanned.findings, scanned.baselined, stale) == ((), 1, ())


def test_a_change_that_renames_a_file_takes_its_entries_along() -> None:
    known = baseline_of({"a.cpp": OLD})
    scanned, stale = inspect({"b.cpp": OLD}, known, change("b.cpp", (1, 1), old="a.cpp"))

    assert (scanned.findings, scanned.baselined, stale) == ((), 1, ())


def test_a_file_that_was_renamed_since_is_looked_up() -> None:
    scanned, stale = inspect({"b.cpp": OLD}, baseline_of({"a.cpp": OLD}), renames={"a.cpp": "b.cpp"})

    assert (scanned.findings, scanned.baselined, stale) == ((), 1, ())


def test_what_is_gone_is_a_note_with_the_command_that_shrinks_the_file() -> None:
    known = baseline_of({"a.cpp": OLD * 3, "b.cpp": OLD})
    scanned, stale = inspect({"a.cpp": OLD}, known)

    assert [(entry.path, entry.count) for entry in stale] == [("a.cpp", 2), ("b.cpp", 1)]
    (note,) = scanned.findings
    assert (note.rule, note.severity.value, note.path) == ("stale-baseline", "note", WHERE)
    assert note.message == "3 known findings are gone: a.cpp, b.cpp"
    assert "--shrink-baseline" in (note.fix or "")
    shrunk = module.shrunk(known, stale)
    assert [(entry.path, entry.count) for entry in shrunk.entries] == [("a.cpp", 1)]


def test_a_change_tells_what_is_gone_in_its_own_files_only() -> None:
    known = baseline_of({"a.cpp": OLD, "b.cpp": OLD})
    _, stale = inspect({"a.cpp": "int x;\n", "b.cpp": "int y;\n"}, known, change("a.cpp", (1, 1)))
    deleted = Changes(files=(FileChange(path="a.cpp", kind=ChangeKind.DELETED),))
    _, gone = inspect({"b.cpp": OLD}, known, deleted)

    assert [entry.path for entry in stale] == ["a.cpp"]
    assert [entry.path for entry in gone] == ["a.cpp"]


def test_a_scan_of_some_paths_does_not_call_the_others_gone() -> None:
    known = baseline_of({"a.cpp": OLD, "b.cpp": OLD})
    _, stale = inspect({"a.cpp": OLD, "b.cpp": OLD}, known, whole_tree(("a.cpp",)))

    assert stale == ()


def test_the_file_is_one_entry_a_line_and_reads_back() -> None:
    known = baseline_of({"a.cpp": OLD, "ü \u2028.cpp": OLD + "int z = cudaMalloc(0);\n"})
    text = module.written(known)

    assert module.read(text.encode(), WHERE) == known
    assert json.loads(text)["version"] == 1
    assert sum('"path"' in line for line in text.splitlines()) >= 3
    assert module.read(module.written(NO_BASELINE).encode(), "x") == Baseline((), "x")


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[]", b"{", b"\xff", b'{"version": 2}', b'{"version": 1, "extra": 1}',
        b'{"version":1,"findings":[{"path":"a","rule":"r","fingerprint":"../../x","count":1}]}',
        b'{"version":1,"findings":[{"path":"a","rule":"r","fingerprint":"0123456789abcdef-01234567","count":0}]}',
        b'{"version":1,"findings":' + b"[" * 50_000,
    ],
)  # fmt: skip
def test_what_is_no_baseline_is_a_clear_error(text: bytes) -> None:
    with pytest.raises(ConfigError, match="is no baseline") as error:
        module.read(text, WHERE)

    assert "--write-baseline" in error.value.hint


@given(st.binary(max_size=300))
def test_any_bytes_are_a_baseline_or_a_clear_error(data: bytes) -> None:
    with contextlib.suppress(ConfigError):
        module.read(data, WHERE)


def test_suppressions_that_are_wrong_are_not_written_into_a_baseline() -> None:
    assert baseline_of({"a.cpp": "int x; // rocm-ci: allow nonsense here\n"}).entries == ()


def test_an_untrusted_head_gets_the_baseline_of_the_base() -> None:
    base, head = (module.written(baseline_of({"a.cpp": OLD * n})).encode() for n in (1, 5))

    chosen, notices = chosen_baseline(head, base, WHERE, trusted=False)
    assert chosen.total == 1
    assert "taken from the merge base" in notices[0]
    assert chosen_baseline(base, base, WHERE, trusted=False)[1] == ()
    nothing, told = chosen_baseline(head, None, WHERE, trusted=False)
    assert (nothing.total, len(told)) == (0, 1)
    assert chosen_baseline(b"broken", base, WHERE, trusted=False)[0].total == 1


def test_a_trusted_change_of_the_baseline_is_said() -> None:
    base, head = (module.written(baseline_of({"a.cpp": OLD * n})).encode() for n in (1, 5))

    assert chosen_baseline(head, base, WHERE, trusted=True)[1] == (
        f"This change alters {WHERE}: it knows 4 findings more.",
    )
    assert chosen_baseline(base, head, WHERE, trusted=True)[1] == (
        f"This change alters {WHERE}: it knows 4 findings fewer.",
    )
    assert chosen_baseline(head, head, WHERE, trusted=True)[1] == ()
    chosen, told = chosen_baseline(head, b"broken", WHERE, trusted=True)
    assert (chosen.total, "could not be compared" in told[0]) == (5, True)


def test_an_unknown_name_in_the_configuration_is_a_note_with_the_nearest_one() -> None:
    options = ScanOptions(
        rules={"cuda-runtime-apis": "off", "unused-suppression": "off"},
        per_path={"tests/**": {"cuda-ap": "note", "*": "note", "warp-size": "off"}},
    )
    scanned, _ = inspect({"a.cpp": "int x;\n"}, NO_BASELINE, options=options)

    assert [f.message for f in scanned.findings] == [
        "scan.rules: no rule is called `cuda-runtime-apis`; did you mean `cuda-runtime-api`?",
        "scan.per-path['tests/**']: no rule is called `cuda-ap`; did you mean `cuda-api`?",
    ]
    assert {f.path for f in scanned.findings} == {".github/rocm-ci.yml"}
