"""Bring GitHub's published API description and webhook examples into `.tools/contract/`.

Run it once: `python tools/fetch_contract.py`. The contract tests read what it leaves:
`openapi.json` (the paths we use, a few percent of the whole), `graphql.json` (the types we use),
`webhooks.json` and `sarif-2.1.0.json`. Versions and hashes stand in `tools/contract/package-lock.json`;
the packages come through the machine's own npm.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "tools" / "contract"
TARGET = ROOT / ".tools" / "contract"
PATHS = {
    "/user": {"get"},
    "/repos/{owner}/{repo}": {"get"},
    "/repos/{owner}/{repo}/pulls": {"get"},
    "/repos/{owner}/{repo}/pulls/{pull_number}": {"get"},
    "/repos/{owner}/{repo}/pulls/{pull_number}/files": {"get"},
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews": {"get", "post"},
    "/repos/{owner}/{repo}/pulls/{pull_number}/comments": {"get"},
    "/repos/{owner}/{repo}/pulls/comments/{comment_id}": {"get", "patch"},
    "/repos/{owner}/{repo}/commits/{commit_sha}/pulls": {"get"},
    "/repos/{owner}/{repo}/commits/{ref}/check-runs": {"get"},
    "/repos/{owner}/{repo}/commits/{ref}/status": {"get"},
    "/repos/{owner}/{repo}/commits/{ref}/statuses": {"get"},
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": {"get", "post"},
    "/repos/{owner}/{repo}/issues/{issue_number}/events": {"get"},
    "/repos/{owner}/{repo}/issues/comments/{comment_id}": {"get", "patch", "delete"},
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions": {"get", "post"},
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}": {"delete"},
    "/repos/{owner}/{repo}/statuses/{sha}": {"post"},
    "/repos/{owner}/{repo}/check-runs": {"post"},
    "/repos/{owner}/{repo}/check-runs/{check_run_id}": {"get", "patch"},
    "/repos/{owner}/{repo}/code-scanning/sarifs": {"post"},
    "/repos/{owner}/{repo}/collaborators/{username}/permission": {"get"},
    "/repos/{owner}/{repo}/actions/runs": {"get"},
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs": {"get"},
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches": {"post"},
    "/repos/{owner}/{repo}/actions/runs/{run_id}": {"get"},
    "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts": {"get"},
    "/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs": {"get"},
    "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun": {"post"},
    "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs": {"post"},
    "/repos/{owner}/{repo}/actions/runs/{run_id}/cancel": {"post"},
    "/repos/{owner}/{repo}/actions/runs/{run_id}/approve": {"post"},
    "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}": {"get"},
}

GRAPHQL_TYPES = (
    "Query",
    "Mutation",
    "ResolveReviewThreadInput",
    "ResolveReviewThreadPayload",
    "User",
    "Actor",
    "Repository",
    "PullRequest",
    "PullRequestReviewThreadConnection",
    "PullRequestReviewThread",
    "PullRequestReviewCommentConnection",
    "PullRequestReviewComment",
    "PageInfo",
)


def main() -> int:
    """Install, trim, keep; nothing is done when the same versions are there already."""
    lock = (SOURCE / "package-lock.json").read_text()
    wanted = lock + Path(__file__).read_text()
    stamp = TARGET / "lock"
    if stamp.is_file() and stamp.read_text() == wanted:
        return 0
    npm = shutil.which("npm")
    if npm is None:
        sys.stderr.write(
            "npm is not here: install Node.js (Debian: apt-get install npm), then run this again\n"
        )
        return 3
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TARGET.parent, prefix="contract-") as scratch:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(SOURCE / name, scratch)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        code = subprocess.run(command, cwd=scratch, check=False).returncode
        if code:
            sys.stderr.write(f"npm ci ended with {code}: check the network and try again\n")
            return 3
        modules = Path(scratch) / "node_modules"
        packages = modules / "@octokit"
        whole = json.loads((packages / "openapi" / "generated" / "api.github.com.json").read_bytes())
        (TARGET / "openapi.json").write_text(json.dumps(trimmed(whole)))
        schema = json.loads((packages / "graphql-schema" / "schema.json").read_bytes())
        (TARGET / "graphql.json").write_text(json.dumps(types_of(schema["__schema"])))
        shutil.copy(
            packages / "webhooks-examples" / "api.github.com" / "index.json", TARGET / "webhooks.json"
        )
        schemas = modules / "@microsoft" / "jest-sarif" / "lib" / "schemas"
        shutil.copy(schemas / "sarif-2.1.0-rtm.5.json", TARGET / "sarif-2.1.0.json")
    stamp.write_text(wanted)
    return 0


def trimmed(whole: dict[str, Any]) -> dict[str, Any]:
    """The description with `PATHS` only, and the components they reach."""
    paths = {
        path: {
            key: _lean(value)
            for key, value in whole["paths"][path].items()
            if key in verbs or key == "parameters"
        }
        for path, verbs in PATHS.items()
    }
    components: dict[str, dict[str, Any]] = {}
    todo = [paths]
    while todo:
        for reference in _references(todo.pop()):
            _, _, kind, name = reference.split("/", 3)
            if name not in components.setdefault(kind, {}):
                components[kind][name] = _lean(whole["components"][kind][name])
                todo.append(components[kind][name])
    return {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "servers": whole["servers"],
        "paths": paths,
        "components": components,
    }


def types_of(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """For each of `GRAPHQL_TYPES` its fields: the type of each, and those of its arguments."""
    found = {}
    for one in schema["types"]:
        if one["name"] in GRAPHQL_TYPES:
            fields = one.get("fields") or one.get("inputFields") or []
            found[one["name"]] = {
                field["name"]: {
                    "type": _written(field["type"]),
                    "args": {arg["name"]: _written(arg["type"]) for arg in field.get("args") or []},
                }
                for field in fields
            }
    return found


def _written(kind: dict[str, Any]) -> str:
    """A type as one writes it: `[String!]!`."""
    match kind["kind"]:
        case "NON_NULL":
            return _written(kind["ofType"]) + "!"
        case "LIST":
            return f"[{_written(kind['ofType'])}]"
        case _:
            return str(kind["name"])


def _lean(value: Any) -> Any:
    """Without examples and GitHub's own extensions, which no validator reads; null where it may be."""
    if isinstance(value, dict):
        # A schema may have a property called "example"; there the value is a schema again.
        lean = {
            key: _lean(part)
            for key, part in value.items()
            if not key.startswith("x-") and not (key in ("example", "examples") and not _is_schema(part))
        }
        if value.get("nullable") is True and isinstance(value.get("enum"), list):
            # OpenAPI 3.0.3 asks for null in the list itself; GitHub's description leaves it out.
            lean["enum"] = [*value["enum"], *([] if None in value["enum"] else [None])]
        return lean
    return [_lean(part) for part in value] if isinstance(value, list) else value


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict) and ("type" in value or "$ref" in value)


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for part in value.values() for found in _references(part)]
    return [found for part in value for found in _references(part)] if isinstance(value, list) else []


if __name__ == "__main__":
    sys.exit(main())
