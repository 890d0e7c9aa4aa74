"""The text of a configuration → its tree, with every reason why YAML cannot be read told as one error."""

from __future__ import annotations

from typing import Any

import yaml

from rocm_ci.errors import ConfigError

_TEXT, _BOOL = "tag:yaml.org,2002:str", "tag:yaml.org,2002:bool"


class _Loader(yaml.SafeLoader):
    """SafeLoader that refuses aliases (an alias bomb costs memory) and keys that are doubled or no text."""

    # YAML 1.1 takes `off` for false, but `rules: {some-rule: off}` means the word.
    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in known if tag != _BOOL or first not in "oO"]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not supported", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != _TEXT:
                raise yaml.MarkedYAMLError(problem="a key must be plain text", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"key {key.value!r} is given twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def parsed(text: str, path: str) -> Any:
    """What a document says, whatever it is. Raises `ConfigError` with the place."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - _Loader is a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}" if mark else path
        message = f"{where}: not valid YAML: {error.problem or error.context}"
        raise ConfigError(message, hint="check the indentation and quotes there") from error
    except (yaml.YAMLError, RecursionError) as error:
        message = f"{path}: not valid YAML: {' '.join(str(error).split())}"
        raise ConfigError(message, hint="save it as UTF-8 text") from error
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        # PyYAML lets these out for a date, number or tagged value that cannot be: `2020-99-99`, `!!int x`.
        message = f"{path}: a value cannot be read: {str(error)[:200]}"
        raise ConfigError(message, hint="quote it if it is meant as text") from error
