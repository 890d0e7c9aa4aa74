"""Source archives of real projects, from the package index that pip is set up for.

`pip download --no-binary` would run each project's build to learn its dependencies, which fails for most
GPU projects without their toolkit; only the archive is wanted here.
"""

from __future__ import annotations

import html.parser
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path


class _Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [value for key, value in attrs if key == "href" and value]


def brought(name: str, version: str, folder: Path) -> Path:
    """The unpacked archive of `name` `version`, downloaded on first use."""
    stems = {f"{form}-{version}" for form in (name, name.replace("-", "_"), name.replace("-", "."))}
    for stem in stems:
        if (folder / stem / ".complete").is_file():
            return folder / stem
    page = f"{_index()}/{name}/"
    links = _Links()
    with urllib.request.urlopen(page, timeout=60) as reply:  # noqa: S310 - the index of pip
        links.feed(reply.read().decode())
    for link in links.found:
        url = urllib.parse.urljoin(page, link).split("#")[0]
        base = urllib.parse.unquote(url.rsplit("/", 1)[1])
        stem = base.removesuffix(".tar.gz")
        if base != stem and stem in stems:
            folder.mkdir(parents=True, exist_ok=True)
            urllib.request.urlretrieve(url, folder / base)  # noqa: S310 - the same
            with tarfile.open(folder / base) as tar:
                tar.extractall(folder, filter="data")
            (folder / base).unlink()
            (folder / stem / ".complete").touch()
            return folder / stem
    raise LookupError(f"the index has no source archive of {name} {version}")


def _index() -> str:
    """The index as pip itself reports it while it looks for something that is not there."""
    argv = [sys.executable, "-m", "pip", "download", "-v", "--no-deps", "-d", "/nonexistent/x", "six==0"]
    shown = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
    for word in shown.replace(",", " ").split():
        address = word.rstrip("/")
        if word.startswith("http") and address.endswith("/simple"):
            return address
        if word.startswith("http") and address.endswith("/simple/six"):
            return address.rsplit("/", 1)[0]
    raise LookupError("pip does not say which index it uses")
