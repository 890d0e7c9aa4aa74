"""The stored event payloads are published ones, and all published ones of our triggers are understood."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rocm_ci import event
from rocm_ci.errors import EventError
from rocm_ci.github import trigger
from tests.contract.description import published

pytestmark = pytest.mark.contract

STORED = Path(__file__).resolve().parents[1] / "data" / "events"


def examples(name: str) -> list[Any]:
    return next(entry["examples"] for entry in published("webhooks.json") if entry["name"] == name)


def test_the_stored_payloads_are_published_ones() -> None:
    for path in sorted(STORED.glob("*.json")):
        assert json.loads(path.read_bytes()) in examples(path.name.split(".")[0]), path.name


def test_every_published_payload_of_our_triggers_is_understood() -> None:
    understood = 0
    for name in ("pull_request", "push", "merge_group", "workflow_dispatch"):
        env = {"GITHUB_SHA": "a" * 40, "GITHUB_EVENT_NAME": name}
        for body in examples(name):
            payload = json.dumps(body).encode()
            if body.get("deleted"):
                with pytest.raises(EventError, match="deletes"):
                    event.parse(env, payload)
                continue
            assert event.parse(env, payload).repository == body["repository"]["full_name"]
            understood += 1

    assert understood == 36


def test_every_published_workflow_run_is_understood() -> None:
    for body in examples("workflow_run"):
        found = trigger.finished_run(json.dumps(body).encode())

        assert found.head == body["workflow_run"]["head_sha"]
        assert found.run_id == body["workflow_run"]["id"]
