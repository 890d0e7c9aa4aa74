"""What we ask in GraphQL, and what our stand-in knows of it, against GitHub's published schema."""

from __future__ import annotations

from typing import Any

import pytest

from rocm_ci.github import rest_conversation, rest_reviews
from tests.contract.description import published
from tests.standin.graphql import TYPES
from tests.standin.query import Field, Operation, Reader, Variable

pytestmark = pytest.mark.contract

QUESTIONS = (rest_conversation.VIEWER, rest_reviews.THREADS, rest_reviews.RESOLVE)
# What the stand-in calls otherwise.
NAMES = {
    "Resolved": "ResolveReviewThreadPayload",
    "Threads": "PullRequestReviewThreadConnection",
    "Thread": "PullRequestReviewThread",
    "Comments": "PullRequestReviewCommentConnection",
    "Comment": "PullRequestReviewComment",
}


def bare(kind: str) -> str:
    return kind.strip("[]!")


def wrong(operation: Operation) -> list[str]:
    root = "Query" if operation.kind == "query" else "Mutation"
    return [line for one in operation.fields for line in _wrong(one, root, operation)]


def _wrong(one: Field, kind: str, operation: Operation) -> list[str]:
    """What GitHub's schema has against a field of the type `kind` and all below it."""
    if one.name == "__typename":
        return []
    types = published("graphql.json")
    known = types[kind].get(one.name)
    if known is None:
        return [f"{kind} has no {one.name}"]
    found = _wrong_values(one.args, known["args"], f"{kind}.{one.name}", operation)
    for inner in one.fields:
        found += _wrong(inner, bare(known["type"]), operation)
    if not one.fields and bare(known["type"]) in types:
        found.append(f"{kind}.{one.name} needs a selection")
    return found


def _wrong_values(
    given: dict[str, Any], known: dict[str, str], where: str, operation: Operation
) -> list[str]:
    types, found = published("graphql.json"), []
    for name, value in given.items():
        wanted = known.get(name)
        if wanted is None:
            found.append(f"{where} takes no {name}")
        elif isinstance(value, Variable):
            kind, is_required = operation.declared[value.name]
            if kind != bare(wanted) or (wanted.endswith("!") and not is_required):
                found.append(f"{where} wants {wanted} as {name}, not {kind}")
        elif isinstance(value, dict):
            fields = {key: entry["type"] for key, entry in types[bare(wanted)].items()}
            found += _wrong_values(value, fields, f"{where}.{name}", operation)
    missing = {name for name, kind in known.items() if kind.endswith("!")} - set(given)
    return [*found, *(f"{where} needs {name}" for name in sorted(missing))]


@pytest.mark.parametrize("question", QUESTIONS, ids=["viewer", "threads", "resolve"])
def test_every_question_fits_the_schema(question: str) -> None:
    assert wrong(Reader(question).operation()) == []


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("query { viewer { secret } }", "User has no secret"),
        ("query { viewer }", "needs a selection"),
        ("query ($n: String!) { repository(owner: $n, nom: $n) { id } }", "takes no nom"),
        ("query ($n: Int!) { repository(owner: $n, name: $n) { id } }", "wants String! as owner"),
        ("query ($n: String) { repository(owner: $n, name: $n) { id } }", "wants String! as owner"),
        ("mutation { resolveReviewThread(input: {thread: 3}) { thread { id } } }", "takes no thread"),
    ],
)
def test_a_question_that_does_not_fit_is_noticed(question: str, why: str) -> None:
    assert why in "; ".join(wrong(Reader(question).operation()))


def test_the_stand_in_knows_nothing_that_github_does_not() -> None:
    published_types = published("graphql.json")
    for kind, fields in TYPES.items():
        real = published_types[NAMES.get(kind, kind)]
        for name, (arguments, inner) in fields.items():
            assert arguments <= set(real[name]["args"]), f"{kind}.{name}"
            if inner is not None:
                assert bare(real[name]["type"]) == NAMES.get(inner, inner), f"{kind}.{name}"
