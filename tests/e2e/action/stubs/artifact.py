"""The protocol of actions/upload-artifact and download-artifact (version 4), as far as act's server speaks it."""

from __future__ import annotations

import fnmatch
import io
import json
import os
import sys
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

SERVICE = "twirp/github.actions.results.api.v1.ArtifactService"
RUN = {"workflow_run_backend_id": os.environ["GITHUB_RUN_ID"], "workflow_job_run_backend_id": "1"}


def call(method: str, **told: Any) -> dict[str, Any]:
    url = f"{os.environ['ACTIONS_RESULTS_URL'].rstrip('/')}/{SERVICE}/{method}"
    answer = send("POST", url, json.dumps({**RUN, **told}).encode(), {"Content-Type": "application/json"})
    result: dict[str, Any] = json.loads(answer)
    return result


def send(method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> bytes:
    token = {"Authorization": f"Bearer {os.environ['ACTIONS_RUNTIME_TOKEN']}"}
    with urllib.request.urlopen(
        urllib.request.Request(url, body, {**token, **(headers or {})}, method=method), timeout=30
    ) as answer:
        content: bytes = answer.read()
    return content


def upload(name: str, what: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in [what] if what.is_file() else sorted(what.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(what if what.is_dir() else what.parent))
    url = call("CreateArtifact", name=name, version=4)["signedUploadUrl"]
    send("PUT", f"{url}&comp=block", packed.getvalue())
    send("PUT", f"{url}&comp=blocklist", b"")
    call("FinalizeArtifact", name=name, size=str(len(packed.getvalue())))


def download(name: str, pattern: str, folder: Path) -> None:
    there = [artifact["name"] for artifact in call("ListArtifacts").get("artifacts", [])]
    wanted = [one for one in there if one == name or (pattern and fnmatch.fnmatch(one, pattern))]
    if name and not wanted:
        sys.exit(f"there is no artifact {name}, only {there}")
    for one in wanted:
        content = send("GET", call("GetSignedArtifactURL", name=one)["signedUrl"])
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(folder / one if pattern else folder)


if __name__ == "__main__":
    if sys.argv[1] == "upload":
        upload(os.environ["NAME"], Path(os.environ["WHAT"]))
    else:
        download(os.environ["NAME"], os.environ["PATTERN"], Path(os.environ["WHAT"]))
