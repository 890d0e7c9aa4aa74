"""Bring Mermaid, which draws the charts of a comment as GitHub does, into `.tools/mermaid/`.

Run it once: `python tools/fetch_mermaid.py`. One file of the package is all that the browser tests and
`tools/picture.py` need, and it has no dependencies; the package comes through the machine's own npm and is
held against the hash below.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "11.12.0"
SHA512 = "ZudVx73BwrMJfCFmSSJT84y6u5brEoV8DOItdHomNLz32uBjNrelm7mg95X7g+C6UoQH/W6mBLGDEDv73JdxBg=="
MEMBER = "package/dist/mermaid.min.js"
TARGET = Path(__file__).resolve().parents[1] / ".tools" / "mermaid"
SCRIPT = TARGET / "mermaid.min.js"


def main() -> int:
    """Fetch, check, keep; nothing is done when the same version is there already."""
    stamp = TARGET / "version"
    if SCRIPT.is_file() and stamp.is_file() and stamp.read_text() == SHA512:
        return 0
    npm = shutil.which("npm")
    if npm is None:
        sys.stderr.write(
            "npm is not here: install Node.js (Debian: apt-get install npm), then run this again\n"
        )
        return 3
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TARGET, prefix="fetch-") as scratch:
        command = [npm, "pack", f"mermaid@{VERSION}", "--ignore-scripts", "--silent"]
        code = subprocess.run(command, cwd=scratch, check=False, stdout=subprocess.DEVNULL).returncode
        packed = next(Path(scratch).glob("*.tgz"), None)
        if code or packed is None:
            sys.stderr.write(f"npm pack ended with {code}: check the network and try again\n")
            return 3
        data = packed.read_bytes()
        if base64.b64encode(hashlib.sha512(data).digest()).decode() != SHA512:
            sys.stderr.write(f"mermaid {VERSION} is not what it was: its hash differs, nothing was kept\n")
            return 3
        with tarfile.open(packed) as archive:
            member = archive.extractfile(MEMBER)
            if member is None:
                sys.stderr.write(f"mermaid {VERSION} holds no {MEMBER}\n")
                return 3
            SCRIPT.write_bytes(member.read())
    stamp.write_text(SHA512)
    return 0


if __name__ == "__main__":
    sys.exit(main())
