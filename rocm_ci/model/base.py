"""The one base class of all boundary types."""

import msgspec


class Frozen(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Immutable, keyword-only, decoded strictly. Copy with `msgspec.structs.replace`.

    Subclasses repeat `frozen=True, kw_only=True`: keyword-only is not inherited, and type
    checkers want to see both. Refusing unknown fields is inherited.
    """
