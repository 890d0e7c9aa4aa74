"""When a pull request gets a comment at all."""

from __future__ import annotations

from typing import Literal

CommentMode = Literal["always", "changes", "failures", "off"]
