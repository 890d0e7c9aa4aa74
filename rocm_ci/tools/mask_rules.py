"""What must not be shown: secrets, homes, hosts, serial numbers. One rule for each way of writing them.

Every rule names `needles`, small letters of which one stands in each text it could match: to look for these
is a hundred times faster than any pattern. Formats: the publishers' own descriptions of their tokens
(GitHub "token formats", AWS IAM "unique identifiers", Slack "token types", PyPI macaroons, RFC 7519), and
recorded output of rocm-smi, amd-smi and rocminfo.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HIDDEN = "***"
HOME = "~"
HOST = "[host]"
ADDRESS = "[address]"


@dataclass(frozen=True)
class Rule:
    """`pattern` hides its group `value`, or all that it matched; `allows` looks at a match and lets it be."""

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    shown: str = HIDDEN
    allows: Callable[[re.Match[str]], bool] | None = None

    def applied(self, text: str) -> str:
        """The text without what this rule hides."""
        return self.pattern.sub(self._hide, text)

    def _hide(self, match: re.Match[str]) -> str:
        if self.allows is not None and self.allows(match):
            return match[0]
        if "value" not in self.pattern.groupindex:
            return self.shown
        start, end = match.start("value") - match.start(), match.end("value") - match.start()
        return match[0][:start] + self.shown + match[0][end:]


# What stands in the place of a secret where none is: types, variables, words of a sentence.
_STAND_IN = re.compile(
    r"(?:none|null|nil|true|false|str|string|bytes|int|bool|any|optional|required|missing|empty|unset|not|is"
    r"|x{3,}|\*+|\.{3}|redacted|changeme|env|undefined)\b|[$%<{(\[*\\&]|os\.|self\.|process\.|args\.|std::",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[-+]?(?:0x[0-9a-f]*|[0-9][0-9.,_e+-]*[a-zµ%/]{0,12})\Z", re.IGNORECASE)
_BEFORE_A_PATH = re.compile(
    r"(?:^|[^\w.~)}\]>*$%/@-]|[\s\"']-[ILBF]|^-[ILBF]|//|\\[nrt]|isystem|[0-9]m|\x1b\[[mK])\Z"
)
_BEFORE_AN_ADDRESS = re.compile(r"(?://|@|inet |(?:ADDR|HOST|_IP|addr|host)=)\Z")
_IN_A_WORD = re.compile(r"[\w.=-]\Z")
# Tokens of text, which language models and compilers talk about all day.
_OF_TEXT = re.compile(
    r"(?:eos|bos|pad|unk|sep|cls|mask|stop|start|end|first|last|next|prev|per|image|special|chat|new|expected"
    r"|unexpected|invalid|unknown|preprocessing|each|this|of)[ _-]\Z",
    re.IGNORECASE,
)


def _is_no_password(match: re.Match[str]) -> bool:
    value = str(match["value"])
    if _STAND_IN.match(value) or value.startswith("/"):
        return True
    # «Password: incorrect» is a sentence; `password=incorrect` is not.
    return ":" in str(match["sign"]) and match["quote"] is None and value.isalpha() and value.islower()


def _is_no_key(match: re.Match[str]) -> bool:
    value = str(match["value"])
    if len(value) < 8 or _STAND_IN.match(value) or _AMOUNT.match(value) or "(" in value or "::" in value:
        return True
    if value.startswith(("/", "./", "~")) or _OF_TEXT.search(
        match.string, max(0, match.start() - 16), match.start()
    ):
        return True
    has_digit = any(c.isdigit() for c in value)
    mixed = value != value.lower() and value != value.upper()
    return not (has_digit and any(c.isalpha() for c in value)) and not (mixed and len(value) >= 16)


def _is_no_serial(match: re.Match[str]) -> bool:
    return sum(c.isdigit() for c in str(match["value"])) < 4


def _is_slug(match: re.Match[str]) -> bool:
    """`sk-learn-contrib-and-so-on`: words, where a key has digits and capitals."""
    return not any(c.isdigit() for c in match[0]) or match[0] == match[0].lower()


def _is_inner_path(match: re.Match[str]) -> bool:
    """`/home` in the middle of a path or an address is nobody's home; behind `-I` or a colour it is."""
    before = match.string[max(0, match.start() - 8) : match.start()]
    return not _BEFORE_A_PATH.search(before)


def _is_version(match: re.Match[str]) -> bool:
    """`10.3.2.106` is one, unless something says that it is an address."""
    before = match.string[max(0, match.start() - 8) : match.start()]
    if _BEFORE_AN_ADDRESS.search(before):
        return False
    return match["port"] is None or bool(_IN_A_WORD.search(before))


def _is_no_host(match: re.Match[str]) -> bool:
    """Modules and layers are called `torch.internal` and `block1.local`, too."""
    name = match[0].lower()
    if name.endswith(".cluster.local"):
        return False
    return "-" not in name and (name.endswith(".local") or not any(c.isdigit() for c in name))


def _starts_low(*prefixes: str) -> tuple[str, ...]:
    return tuple(prefix.lower() for prefix in prefixes)


def _token(needle: str | tuple[str, ...], pattern: str, *, glued: bool = False) -> Rule:
    """A token by its beginning; `glued` when that is odd enough to be one behind a letter, too."""
    needles = (needle,) if isinstance(needle, str) else needle
    return Rule(_starts_low(*needles), re.compile(rf"{'' if glued else _EDGE}(?:{pattern})"))


def _before_a_value(*words: str) -> tuple[str, ...]:
    """What follows a name that is given a value: `tokenizer` and `test_token_ids` are not looked at."""
    return tuple(word + sign for word in words for sign in "=: \t\"'\\&")


# Also behind a line break as JSON and Python write it.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
# Quotes as they stand in a log, in JSON inside of JSON, and in XML.
_QUOTE = r"(?:\\{0,2}[\"']|&(?:quot|apos|#34|#39);)"
_SIGN = rf"{_QUOTE}?[ \t]{{0,3}}(?P<sign>=>|:=|[:=])[ \t]{{0,3}}"
_VALUE = (
    rf"(?P<quote>{_QUOTE})?"
    r"(?P<value>(?(quote)(?:(?!(?P=quote))[^\n<>]){3,400}|[^\s\"'`,;&|)\]}<>]{3,400}))"
)
_PRIVATE_KEY = r"PRIVATE KEY(?: BLOCK)?-----"

KEY_NEEDLE = "private key"
KEY_BLOCK = Rule(
    (KEY_NEEDLE,),
    re.compile(
        rf"-----BEGIN [A-Z0-9 ]{{0,40}}{_PRIVATE_KEY}"
        rf"(?:(?:(?!-----BEGIN )[\s\S]){{0,16000}}?-----END [A-Z0-9 ]{{0,40}}{_PRIVATE_KEY}"
        # The end may be missing, and so may, in the tail of a log, the beginning.
        r"|(?:(?:\s|\\n)+(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info):[^\n]{0,100}))*)"
        rf"|(?:^[A-Za-z0-9+/=]{{16,}}\r?\n){{0,200}}^-----END [A-Z0-9 ]{{0,40}}{_PRIVATE_KEY}",
        re.MULTILINE,
    ),
    "*** (a private key)",
)
TOKENS = (
    _token(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9_]{30,255}", glued=True),
    _token("github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}", glued=True),
    _token(("akia", "asia", "abia", "acca"), r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _token("xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    Rule(
        ("slack.com/",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows)/(?P<value>[A-Za-z0-9/_-]{10,})"),
    ),
    _token("hf_", r"hf_[A-Za-z0-9]{30,}", glued=True),
    Rule(("sk-",), re.compile(_EDGE + r"sk-[A-Za-z0-9_-]{20,400}"), allows=_is_slug),
    _token("sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}", glued=True),
    _token(("k_live_", "k_test_"), r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _token("npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _token("pypi-", r"pypi-[A-Za-z0-9_-]{50,}"),
    _token("glpat-", r"glpat-[A-Za-z0-9_.-]{20,}"),
    _token("aiza", r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    _token("dckr_pat_", r"dckr_pat_[A-Za-z0-9_-]{20,}", glued=True),
    _token("eyj", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    Rule(
        ("://",),
        re.compile(r"://(?P<value>[^\s/@:\"'<>]{0,100}:[^\s/@\"'<>]{1,400}|[A-Za-z0-9_-]{20,400})@"),
    ),
    Rule(
        ("bearer ", "basic "),
        re.compile(
            r"(?i:\b(?:bearer|basic))[ \t]{1,3}"
            r"(?P<value>(?=[A-Za-z._~+/-]*[0-9=])[A-Za-z0-9._~+/=-]{16,})"
        ),
    ),
    Rule(
        _before_a_value("password", "passwd", "passphrase", "pwd"),
        re.compile(rf"(?i:password|passwd|passphrase|pwd){_SIGN}{_VALUE}"),
        allows=_is_no_password,
    ),
    Rule(
        _before_a_value("token", "secret", "key", "credential", "credentials", "signature", "sig"),
        re.compile(
            r"(?i:token|secret|(?:api|access|secret|private|auth|account)[_-]?key|credentials?"
            rf"|amz-signature|(?<=[?&])sig(?:nature)?){_SIGN}{_VALUE}"
        ),
        allows=_is_no_key,
    ),
    Rule(
        tuple(f"{word}{gap}" for word in ("password", "passwd", "token", "secret", "key") for gap in " \t"),
        re.compile(
            r"(?i:--[a-z-]{0,40}(?:password|passwd|token|secret|api-?key))[ \t]{1,3}"
            r"(?P<value>[^\s\"'`;&|<>-][^\s\"'`;&|<>]{3,400})"
        ),
        allows=_is_no_key,
    ),
)

PLACES = (
    Rule(
        ("/home/", "/users/"),
        re.compile(
            r"/(?:home|Users)/(?!Shared\b|linuxbrew\b|conda/feedstock_root\b)[A-Za-z0-9_][\w-]{0,60}(?:\.[\w-]{1,60})*"
        ),
        HOME,
        _is_inner_path,
    ),
    Rule(("/root",), re.compile(r"/root(?![\w.-])"), HOME, _is_inner_path),
    Rule(
        (":\\", ":/users"),
        re.compile(r"(?i:(?<![A-Za-z0-9])[a-z]:[\\/]{1,2}users[\\/]{1,2})(?!Public\b)[^\\/\s:\"'<>|]{1,60}"),
        HOME,
    ),
    Rule(
        (".internal", ".corp", ".lan", ".local", ".intranet"),
        re.compile(
            r"(?<![\w.-])[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,6}"
            r"\.(?i:internal|corp|lan|intranet|localdomain|local)(?![\w-]|\.\w|\()"
        ),
        HOST,
        _is_no_host,
    ),
    Rule(
        ("192.168.", "172."),
        re.compile(
            r"(?<![\w.])(?<![=<>!~]=)(?:192\.168|172\.(?:1[6-9]|2[0-9]|3[01]))(?:\.[0-9]{1,3}){2}(?![\w-]|\.\w)"
        ),
        ADDRESS,
    ),
    Rule(
        tuple(f"{before}10." for before in "/@= '\"([,:\t"),
        re.compile(r"10(?:\.[0-9]{1,3}){3}(?![\w-]|\.\w)(?P<port>(?=:[0-9]{2,5}\b|/[0-9]{1,2}\b))?"),
        ADDRESS,
        _is_version,
    ),
    Rule(
        ("ether", "addr", "mac"),
        re.compile(
            r"(?i:(?:ether|addr|address|mac)[^0-9a-z\n]{1,12}(?P<value>(?:[0-9a-f]{2}:){5}[0-9a-f]{2}))(?![:0-9A-Fa-f])"
        ),
        ADDRESS,
    ),
)

_CARD = r"(?<![A-Za-z0-9])card[0-9]{1,3},(?:[^,\n]{0,80},){0,30}?"
DEVICES = (
    Rule(
        ("gpu-", "mig-"),
        re.compile(
            r"(?<![A-Za-z0-9])(?:GPU|MIG)-(?P<value>[0-9a-fA-F]{8}"
            r"(?:[0-9a-fA-F]{8}|(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}))(?![0-9A-Za-z])"
        ),
    ),
    # amd-smi makes the identifier of a card out of its device and serial number, always with this middle.
    Rule(
        ("-0000-1000-80",),
        re.compile(r"(?<![0-9A-Za-z-])[0-9a-f]{8}-0000-1000-80[0-9a-f]{2}-[0-9a-f]{12}(?![0-9A-Za-z])"),
    ),
    Rule(
        ("serial", "unique", "uuid", "s/n"),
        re.compile(
            r"(?i:(?<![A-Za-z])(?:serial(?:[ _-]?(?:number|num|no))?|unique[ _-]?id|uuid|s/n))[\"']?"
            r"(?:[ \t]*[:=,][ \t]*|[ \t]{2,})[\"']?"
            r"(?P<value>(?:0x)?[0-9A-Za-z][0-9A-Za-z-]{7,63})(?![0-9A-Za-z])"
        ),
        allows=_is_no_serial,
    ),
    # `rocm-smi --csv` says what a column is in another line.
    Rule(("card",), re.compile(_CARD + r"(?P<value>0x[0-9a-f]{16})(?=,|\s|\Z)")),
    Rule(("card",), re.compile(_CARD + r"(?P<value>[0-9]{12,20})(?=,|\s|\Z)")),
)

RULES = (KEY_BLOCK, *TOKENS, *PLACES, *DEVICES)
