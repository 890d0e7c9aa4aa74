"""May this tag be released? What the release workflow asks, and prints for it.

    check v1.2.3 [--notes FILE]   says what is wrong; the notes come from CHANGELOG.md
    floating v1.2.3               prints `v1` when it is to follow this tag, else nothing
    same v1 v1.2.3                fails unless both name one commit

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).resolve().parents[1]
_TAG = re.compile(r"v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_OURS = re.compile(r"org/rocm-ci[\w./-]*@(v\d+)\b")
_IMAGE = re.compile(r"^ARG \w+_IMAGE=(.*)$", re.MULTILINE)
_DIGEST = re.compile(r"\S+@sha256:[0-9a-f]{64}")


def numbers(tag: str) -> tuple[int, int, int] | None:
    """(major, minor, patch) of `vX.Y.Z`; None for any other tag."""
    found = _TAG.fullmatch(tag)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def problems(root: Path, tag: str, tags: Iterable[str]) -> list[str]:
    """Why `tag` may not be released from the tree at `root`; `tags` are those that are there already."""
    wanted = numbers(tag)
    if wanted is None:
        return [f"{tag} is no tag of the form vX.Y.Z"]
    found = []
    version = tag[1:]
    stated = re.search(r'__version__ = "([^"]+)"', (root / "rocm_ci" / "__init__.py").read_text())
    if stated is None or stated[1] != version:
        found.append(f"rocm_ci/__init__.py says {stated[1] if stated else 'nothing'}, the tag {version}")
    if not notes(root, version):
        found.append(f"CHANGELOG.md has no section «## {version}», or an empty one")
    if notes(root, "Unreleased"):
        found.append("CHANGELOG.md has changes under «## Unreleased» that this release would not mention")
    later = [
        other
        for other in tags
        if other != tag and (numbers(other) or ()) > wanted and _same_minor(other, tag)
    ]
    if later:
        found.append(f"{later[0]} is out already, so {tag} would be no step ahead")
    for path, major in sorted(_shown_majors(root)):
        if major != f"v{wanted[0]}":
            found.append(f"{path} tells people to use {major}")
    found += [
        f"Dockerfile: {image} is not named by digest"
        for image in _IMAGE.findall((root / "Dockerfile").read_text())
        if not _DIGEST.fullmatch(image)
    ]
    return found


def notes(root: Path, version: str) -> str:
    """The section of the changelog about a version, without its heading; empty when there is none."""
    text = (root / "CHANGELOG.md").read_text()
    heading = rf"^## {re.escape(version)}(?: [^\n]*)?\n"
    found = re.search(rf"{heading}(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def floating(tag: str, tags: Iterable[str]) -> str:
    """The tag `vX` when `tag` is the newest of its major version; a repair of an older one moves nothing."""
    wanted = numbers(tag)
    if wanted is None:
        return ""
    same = [found for found in map(numbers, tags) if found is not None and found[0] == wanted[0]]
    return f"v{wanted[0]}" if wanted >= max(same, default=wanted) else ""


def _same_minor(one: str, other: str) -> bool:
    return (numbers(one) or ())[:2] == (numbers(other) or ())[:2]


def _shown_majors(root: Path) -> set[tuple[str, str]]:
    """(file, major) of every `org/rocm-ci…@vN` that people copy."""
    files = [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("docs/workflows/*.yml")]
    files += root.glob(".github/workflows/*.yml")
    return {
        (path.relative_to(root).as_posix(), major)
        for path in files
        for major in _OURS.findall(path.read_text())
    }


def main(argv: Sequence[str], root: Path = ROOT) -> int:
    """0 when the answer is yes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    check = verbs.add_parser("check")
    check.add_argument("tag")
    check.add_argument("--notes", type=Path)
    verbs.add_parser("floating").add_argument("tag")
    verbs.add_parser("same").add_argument("refs", nargs=2)
    given = parser.parse_args(argv)
    if given.verb == "floating":
        print(floating(given.tag, _git(root, "tag", "--list").split()))
        return 0
    if given.verb == "same":
        commits = {_git(root, "rev-parse", "--verify", f"{ref}^{{commit}}") for ref in given.refs}
        if len(commits) > 1:
            sys.stderr.write(f"{given.refs[0]} and {given.refs[1]} name different commits\n")
        return int(len(commits) > 1)
    found = problems(root, given.tag, _git(root, "tag", "--list").split())
    sys.stderr.writelines(f"{problem}\n" for problem in found)
    if given.notes and not found:
        given.notes.write_text(notes(root, given.tag[1:]) + "\n")
    return int(bool(found))


def _git(root: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
