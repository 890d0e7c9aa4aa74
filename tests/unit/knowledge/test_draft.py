"""A skeleton entry made of a log that nobody knows."""

from __future__ import annotations

import io

import yaml

from rocm_ci.knowledge.diagnosing import explain
from rocm_ci.knowledge.draft import draft, masked, pattern
from rocm_ci.knowledge.entry import decode
from rocm_ci.knowledge.library import Library
from rocm_ci.model.diagnostic import Category

LOG = """\
[1/4] Building HIP object CMakeFiles/flux.dir/flux.hip.o
fluxcore: engine 3 of host 10.2.3.4 refused plan 0x7f22ab01 of /home/ann/flux/plans/a.plan
flux::Error: plan 17 does not fit (mail ann@example.com)
ninja: build stopped: subcommand failed.
""".splitlines(keepends=True)


def filled(text: str) -> str:
    """As somebody would fill it in."""
    for blank, value in (
        ("SHORT-NAME-OF-THE-ERROR", "plan-does-not-fit"),
        ("WHAT IT IS, IN ONE LINE", "The plan does not fit"),
        ("OWNER/REPOSITORY#NUMBER", "example/flux#12"),
    ):
        text = text.replace(blank, value)
    return text


def test_the_line_that_names_the_error_is_proposed_and_not_the_one_that_follows() -> None:
    made = draft(LOG)

    assert made.line == 3
    assert "ninja" not in yaml.safe_load(made.text)["signatures"][0]["pattern"]


def test_a_filled_skeleton_is_an_entry_that_recognises_its_own_sample_and_the_next_run() -> None:
    entry = decode(filled(draft(LOG).text), "x.yaml", Category.RUNTIME)
    library = Library([entry])

    (own,) = explain(io.BytesIO(entry.samples[0].log.encode()), library)
    (other,) = explain(io.BytesIO("".join(LOG).replace("plan 17", "plan 4711").encode()), library)

    assert own.line == entry.samples[0].line
    assert other.id == "plan-does-not-fit"


def test_what_names_a_machine_a_place_or_a_person_is_left_out() -> None:
    text = draft(LOG, lambda line: line.replace("fluxcore", "***")).text

    assert not [
        name
        for name in ("10.2.3.4", "0x7f22ab01", "/home/ann", "ann@example.com", "fluxcore")
        if name in text
    ]


def test_numbers_and_masked_parts_may_be_others() -> None:
    made = pattern(masked("rank 3 at 0xdeadbeef10 failed with 12.5 %"))

    assert made == r"rank \d+ at .{0,80} failed with \d+ %"


def test_a_log_without_a_failure_gives_an_empty_skeleton() -> None:
    made = draft(["all is well\n", "12 passed in 0.3s\n"])

    assert made.line == 0
    assert "CAPITALS" not in made.text.split("samples:")[1]


def test_quotes_and_colons_of_a_log_stay_yaml() -> None:
    made = draft(["it's: 'broken' # here: error: {x} [y] \"z\"\n"])

    assert yaml.safe_load(made.text)["signatures"][0]["pattern"].startswith("it's: 'broken'")
