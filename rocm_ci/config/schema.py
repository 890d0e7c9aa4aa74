"""The JSON schema of the configuration, derived from the types. `make gen` writes it to docs/."""

from __future__ import annotations

from typing import Any

import msgspec

from rocm_ci.config.options import TOLD, Config


def schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `.github/rocm-ci.yml`."""
    document = msgspec.json.schema(Config)
    for name, told in TOLD.items():
        for option, text in told.items():
            document["$defs"][name]["properties"][option]["description"] = text
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rocm-ci configuration",
        **document,
    }
