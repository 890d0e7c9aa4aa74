"""Programs called rocminfo, amd-smi, … that print what the real ones print on an AMD machine."""

from __future__ import annotations

import shlex
from pathlib import Path


def put(
    folder: Path, name: str, *, stdout: str = "", stderr: str = "", code: int = 0, sleep_s: int = 0
) -> None:
    """One fake tool in a folder that a test puts first on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / f".{name}.out"
    out.write_text(stdout)
    script = folder / name
    script.write_text(
        "#!/bin/sh\n"
        f"[ {sleep_s} = 0 ] || sleep {sleep_s}\n"
        f"cat {shlex.quote(str(out))}\n"
        f"printf '%s' {shlex.quote(stderr)} >&2\n"
        f"exit {code}\n"
    )
    script.chmod(0o755)
