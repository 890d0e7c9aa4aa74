"""What this machine keeps to itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rocm_ci.cli import masking

ENV = {
    "PATH": "/usr/bin",
    "HF_TOKEN": "tok-of-mine-1",
    "MY_SECRET_NAME": "value-of-mine",
    "GITHUB_OUTPUT": "/tmp/outputs",
    "RUNNER_NAME": "pool-mi300x-7",
}


def test_the_secrets_are_what_the_commands_of_a_change_do_not_get() -> None:
    assert set(masking.secrets(ENV)) == {"tok-of-mine-1", "value-of-mine"}


def test_the_names_of_the_machine_are_those_of_its_runner_too() -> None:
    assert "pool-mi300x-7" in masking.hosts(ENV)
    assert masking.mask(ENV).text("pool-mi300x-7 has tok-of-mine-1") == "[host] has ***"


def test_result_files_of_test_programs_are_masked_and_still_xml(tmp_path: Path) -> None:
    from lxml import etree

    private = '<t a="in /home/alice: token=abcd1234efgh"><![CDATA[password="hunter2"]]>x=&quot;tok-of-mine-1&quot;</t>'
    files = [tmp_path / "junit" / name for name in ("a.xml", "b.d/c.xml", "plain.xml", "odd.xml")]
    for path, text in zip(files, (private, private, "<t/>", "\x00\x00"), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = files[2].stat().st_ino

    masking.result_files(tmp_path, masking.mask(ENV))

    for path in files[:2]:
        assert etree.fromstring(path.read_bytes()).get("a") == "in ~: token=***"
        assert "hunter2" not in path.read_text()
        assert "tok-of-mine" not in path.read_text()
    assert files[2].stat().st_ino == before


@pytest.mark.attack("4", "a link in the place of a result file")
def test_a_link_in_the_place_of_a_result_file_is_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside.xml"
    outside.write_text("in /home/alice")
    (tmp_path / "out" / "junit").mkdir(parents=True)
    (tmp_path / "out" / "junit" / "a.xml").symlink_to(outside)
    os.mkfifo(tmp_path / "out" / "junit" / "b.xml")

    masking.result_files(tmp_path / "out", masking.mask(ENV))

    assert outside.read_text() == "in /home/alice"


def test_a_run_without_results_is_fine(tmp_path: Path) -> None:
    masking.result_files(tmp_path, masking.mask({}))

    assert list(tmp_path.iterdir()) == []
