"""Where a node of a Python tree stands in its file, as a detector tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.language import Match, Parsed
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_strings import column_of

if TYPE_CHECKING:
    import ast


def match_of(node: ast.expr | ast.stmt | ast.arg | ast.keyword, parsed: Parsed) -> Match:
    """The place of an expression, cut at the end of its first line."""
    lines = parsed.source.lines
    start = column_of(lines, node.lineno, node.col_offset)
    line = lines[node.lineno - 1]
    same = node.end_lineno == node.lineno
    stop = column_of(lines, node.lineno, node.end_col_offset or 0) if same else len(line.rstrip())
    return placed(parsed, node.lineno, start, line[start:stop])


def placed(parsed: Parsed, line: int, start: int, text: str) -> Match:
    """A text at a 0-based offset of a line; in a notebook, where the file has it."""
    column, end = start + 1, start + 1 + len(text)
    columns = parsed.tree.columns.get(line, ()) if isinstance(parsed.tree, PythonTree) else ()
    if columns:
        last = len(columns) - 1
        column, end = columns[min(start, last)], columns[min(max(end - 2, 0), last)] + 1
    return Match(line, column, end, text)
