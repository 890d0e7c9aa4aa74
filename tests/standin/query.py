"""Reading a GraphQL document: enough of the language for what a client like ours sends.

One operation with typed variables, fields with arguments (variables, literals, objects) and selections.
No fragments, aliases, directives or lists: a document with one of them is a syntax error here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r'[\s,]*(?:(\.\.\.|[{}():$!=\[\]@])|("(?:[^"\\]|\\.)*")|(-?\d+)|([A-Za-z_]\w*)|(\S))')


class QueryError(Exception):
    """The document, or what goes with it, is wrong. `kind` is GitHub's word for it."""

    def __init__(self, message: str, kind: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass
class Field:
    name: str
    args: dict[str, Any] = field(default_factory=dict)
    fields: list[Field] = field(default_factory=list)


@dataclass
class Operation:
    kind: str
    declared: dict[str, tuple[str, bool]]
    fields: list[Field]


@dataclass(frozen=True)
class Variable:
    name: str


class Reader:
    """A recursive descent over the tokens."""

    def __init__(self, text: str) -> None:
        self._tokens = [match.group(match.lastindex or 0) for match in _TOKEN.finditer(text.strip())]
        self._at = 0

    def operation(self) -> Operation:
        kind = "query" if self._peek() == "{" else self._name()
        if kind not in ("query", "mutation"):
            raise QueryError(f'Parse error on "{kind}"')
        declared: dict[str, tuple[str, bool]] = {}
        if self._peek() not in ("{", "("):
            self._name()
        if self._take("("):
            while not self._take(")"):
                self._need("$")
                name = self._name()
                self._need(":")
                declared[name] = (self._name(), self._take("!"))
        fields = self._selection()
        if self._at != len(self._tokens):
            raise QueryError(f'Parse error on "{self._peek()}"')
        return Operation(kind, declared, fields)

    def _selection(self) -> list[Field]:
        self._need("{")
        found = []
        while not self._take("}"):
            one = Field(self._name())
            if self._take("("):
                one.args = self._pairs(")")
            if self._peek() == "{":
                one.fields = self._selection()
            found.append(one)
        if not found:
            raise QueryError("a selection is empty")
        return found

    def _pairs(self, end: str) -> dict[str, Any]:
        found = {}
        while not self._take(end):
            name = self._name()
            self._need(":")
            found[name] = self._value()
        return found

    def _value(self) -> Any:
        if self._take("$"):
            return Variable(self._name())
        if self._take("{"):
            return self._pairs("}")
        token = self._next()
        if token.startswith('"') or re.fullmatch(r"-?\d+", token) or token in ("true", "false", "null"):
            return json.loads(token)
        raise QueryError(f'Parse error on "{token}"')

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise QueryError("Unexpected end of document")
        self._at += 1
        return token

    def _take(self, token: str) -> bool:
        if self._peek() == token:
            self._at += 1
            return True
        return False

    def _need(self, token: str) -> None:
        if not self._take(token):
            raise QueryError(f'Parse error on "{self._peek()}" (expected "{token}")')

    def _name(self) -> str:
        token = self._next()
        if not re.fullmatch(r"[A-Za-z_]\w*", token):
            raise QueryError(f'Parse error on "{token}"')
        return token


_SCALARS: dict[str, type] = {"String": str, "ID": str, "Int": int, "Boolean": bool}


def filled(operation: Operation, given: dict[str, Any]) -> list[Field]:
    """The fields with the values of the variables in them, of which each must be declared and of its type."""
    for name, (kind, is_required) in operation.declared.items():
        value = given.get(name)
        wanted = _SCALARS.get(kind)
        if wanted is None:
            raise QueryError(f"{kind} isn't a defined input type (on ${name})")
        if (value is None and is_required) or (value is not None and type(value) is not wanted):
            raise QueryError(f"Variable ${name} of type {kind}{'!' * is_required} was provided invalid value")
    return [_fill(one, operation, given) for one in operation.fields]


def _fill(one: Field, operation: Operation, given: dict[str, Any]) -> Field:
    def value(raw: Any) -> Any:
        if isinstance(raw, Variable):
            if raw.name not in operation.declared:
                raise QueryError(f"Variable ${raw.name} is used by the operation but not declared")
            return given.get(raw.name)
        return {name: value(part) for name, part in raw.items()} if isinstance(raw, dict) else raw

    args = {name: value(raw) for name, raw in one.args.items()}
    return Field(one.name, args, [_fill(inner, operation, given) for inner in one.fields])
