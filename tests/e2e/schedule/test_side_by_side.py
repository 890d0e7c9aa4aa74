"""Several suites on four pretended GPUs: who runs beside whom, who waits, and what each of them sees."""

from __future__ import annotations

import contextlib
import re
import signal
from pathlib import Path

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.command import Outcome
from tests.e2e.schedule.host import GUARD_S, Host, host, lines_of, suites


@pytest.fixture
def machine(tmp_path: Path) -> Host:
    return host(tmp_path)


def test_suites_run_side_by_side_each_on_gpus_of_its_own(machine: Host) -> None:
    machine.configure(
        "name: a, gpus: 1, run: '{step} a meet=b,c,lint'",
        "name: b, gpus: 2, run: '{step} b meet=a,c,lint'",
        "name: c, gpus: 1, run: '{step} c meet=a,b,lint'",
        "name: lint, run: '{step} lint meet=a,b,c'",
    )
    done = machine.run()

    assert done.code == 0, done.err
    assert {one.verdict for one in suites(done).values()} == {Verdict.PASS}
    leased = [re.findall(r"\d+", machine.seen(name).split("|")[0]) for name in "abc"]
    assert sorted(gpu for gpus in leased for gpu in gpus) == ["0", "1", "2", "3"]
    assert [len(gpus) for gpus in leased] == [1, 2, 1]
    assert machine.seen("lint") == "-1|-1", "it asked for none and sees none"
    assert machine.free()


def test_one_at_a_time_means_in_the_configured_order(machine: Host) -> None:
    machine.configure(
        *(
            f"name: {name}, gpus: {gpus}, run: '{{step}} {name} not={others}'"
            for name, gpus, others in [("c", 1, "a,b"), ("a", 0, "b,c"), ("b", 4, "a,c")]
        ),
        more="parallel: 1\n",
    )
    done = machine.run()

    assert done.code == 0, done.err
    assert machine.order() == ["c", "a", "b"]


def test_after_and_alone_are_kept(machine: Host) -> None:
    machine.configure(
        "name: second, gpus: 1, after: [first], run: '{step} second not=first,solo'",
        "name: solo, gpus: 1, alone: true, run: '{step} solo not=first,second,other'",
        "name: first, gpus: 1, run: '{step} first not=second,solo'",
        "name: other, gpus: 1, run: '{step} other not=solo'",
    )
    done = machine.run()

    assert done.code == 0, done.err
    assert machine.order().index("first") < machine.order().index("second")


def test_a_suite_that_wants_more_gpus_than_there_are_costs_only_itself(machine: Host) -> None:
    machine.configure(
        "name: huge, gpus: 5, run: '{step} huge'",
        "name: small, gpus: 1, run: '{step} small'",
    )
    done = machine.run()

    assert done.code == 3
    assert "needs 5 GPU(s), 4 seen" in suites(done)["huge"].reason
    assert suites(done)["small"].verdict is Verdict.PASS
    assert "huge" not in machine.order()


def test_gpus_of_another_run_are_waited_for_with_its_name(machine: Host) -> None:
    machine.configure("name: a, gpus: 4, run: '{step} a'", "name: lint, run: '{step} lint'")
    holder = machine.start("lease", "--gpus", "3", "--name", "nightly of team B", "--", "sleep", str(GUARD_S))
    while machine.free():
        assert holder.poll() is None
    running = machine.start("run", "--local", "--base", "main")
    with lines_of(running, lambda line: "a waits for 4 GPU(s) that other runs hold" in line) as log:
        holder.terminate()
        holder.communicate()

    assert running.returncode == 0, log
    assert "nightly of team B" in "".join(log)
    assert sorted(machine.order()) == ["a", "lint"]


def test_gpus_that_are_never_given_back_are_the_machines_fault(machine: Host) -> None:
    machine.configure(
        "name: a, gpus: 4, run: '{step} a'", "name: lint, run: '{step} lint'", more="lease-wait: 1s\n"
    )
    holder = machine.start("lease", "--gpus", "1", "--name", "nightly of team B", "--", "sleep", str(GUARD_S))
    while machine.free():
        assert holder.poll() is None
    done = machine.run()
    holder.terminate()
    holder.communicate()

    assert done.code == 3
    assert suites(done)["a"].verdict is Verdict.ERROR
    assert re.search(
        r"machine: waited .* GPU\(s\) that other runs hold: .*nightly of team B", suites(done)["a"].reason
    )
    assert suites(done)["lint"].verdict is Verdict.PASS


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all_that_run_and_keeps_what_had_ended(machine: Host, number: int) -> None:
    machine.configure(
        "name: quick, run: '{step} quick'",
        "name: a, gpus: 1, after: [quick], run: '{step} a meet=b hold'",
        "name: b, gpus: 2, after: [quick], run: '{step} b meet=a hold'",
        "name: never, gpus: 4, run: '{step} never', after: [a]",
    )
    running = machine.start("run", "--local", "--base", "main")
    with lines_of(running, lambda line: "running: " in line and " a on" in line and " b on" in line):
        while not all((machine.meeting / f"{name}.met").exists() for name in "ab"):
            assert running.poll() is None
        running.send_signal(number)
    done = Outcome(code=running.returncode, out="", err="", folder=machine.repo.root)

    assert running.returncode == 130
    found = suites(done)
    assert found["quick"].verdict is Verdict.PASS
    assert {found[name].verdict for name in ("a", "b", "never")} == {Verdict.ERROR}
    assert all("interrupted" in found[name].reason for name in ("a", "b", "never"))
    assert "never" not in machine.order()
    assert machine.free()
    assert not left_over(machine), "no process outlives the run"


def left_over(machine: Host) -> list[str]:
    """What still runs in the project."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() == machine.repo.root:
                found.append((entry / "cmdline").read_text())
    return found


def test_in_a_workflow_each_line_has_its_suite_and_no_group_is_in_another(machine: Host) -> None:
    noisy = "for n in 1 2 3 4 5 6 7 8 9; do echo ::error::trap $n; echo ::endgroup::; done; "
    machine.configure(
        f"name: a, gpus: 1, run: '{noisy} {{step}} a meet=b'",
        f"name: b, gpus: 1, run: '{noisy} {{step}} b meet=a'",
    )
    done = machine.run(GITHUB_ACTIONS="true")

    assert done.code == 0, done.err
    depth, stopped = 0, ""
    for line in done.err.splitlines():
        if stopped:
            if line == f"::{stopped}::":
                stopped = ""
            continue
        assert not re.match(r"  [ab] \|", line), "what they print stands behind the fence"
        if found := re.fullmatch(r"::stop-commands::(\w+)", line):
            stopped = found[1]
        depth += line.startswith("::group::") - line.startswith("::endgroup::")
        assert depth in (0, 1)
    assert (depth, stopped) == (0, "")
    said = re.findall(r"^  ([ab]) \| ::error::trap \d$", done.err, re.MULTILINE)
    assert (said.count("a"), said.count("b")) == (9, 9)


def test_a_warm_up_has_a_time_of_its_own(machine: Host) -> None:
    machine.configure(
        "name: a, gpus: 1, timeout: 2s, warm-up: 'sleep 3; touch warm', run: 'test -f warm && {step} a'"
    )
    done = machine.run()

    assert done.code == 0, done.err
    (warm, first) = suites(done)["a"].tries
    assert (warm.why, warm.outcome) == ("warm-up", "")
    assert suites(done)["a"].duration_s < warm.duration_s
    assert first.gpus == warm.gpus


def test_what_took_how_long_is_known_the_next_time(machine: Host) -> None:
    machine.configure("name: a, gpus: 1, run: '{step} a'", "name: b, gpus: 1, run: '{step} b'")
    first = machine.run()
    second = machine.run()

    assert "left" not in first.err
    assert " left" in second.err or "about to end" in second.err
    assert set(machine.times()["suites"]) == {"a", "b"}  # type: ignore[call-overload]


def test_the_times_of_a_report_serve_a_machine_that_has_none(machine: Host, tmp_path: Path) -> None:
    machine.configure("name: a, gpus: 1, run: '{step} a'")
    machine.run("--output", "rocm-ci-out-first")
    fresh = str(tmp_path / "fresh")
    report = str(machine.repo.root / "rocm-ci-out-first" / "report.json")

    done = machine.run("--times", report, ROCM_CI_STATE=fresh)
    refused = machine.run("--times", "step.py", ROCM_CI_STATE=fresh)

    assert " left" in done.err or "about to end" in done.err
    assert (refused.code, "report.json of an earlier run" in refused.err) == (2, True)
