"""The bot understands every published payload of its two events, and answers none that is no command."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rocm_ci.bot import event
from tests.contract.description import published

pytestmark = pytest.mark.contract


def examples(name: str) -> list[Any]:
    return next(entry["examples"] for entry in published("webhooks.json") if entry["name"] == name)


def test_every_published_comment_is_understood() -> None:
    for body in examples("issue_comment"):
        found = event.read("issue_comment", json.dumps(body).encode())

        assert isinstance(found, event.Said)
        assert (found.action, found.comment) == (body["action"], body["comment"]["id"])
        assert found.default_branch == body["repository"]["default_branch"]


def test_every_published_check_run_is_understood() -> None:
    for body in examples("check_run"):
        found = event.read("check_run", json.dumps(body).encode())

        assert isinstance(found, event.Pressed)
        assert found.head == body["check_run"]["head_sha"]
