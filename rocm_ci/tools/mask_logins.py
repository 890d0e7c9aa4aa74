"""Secrets and hosts that only the command or the program around them gives away: logins, prompts, RCCL.

Formats: the manuals of curl, docker, sshpass, netrc(5) and wandb, and recorded logs of RCCL and OpenSSH.
"""

from __future__ import annotations

import re

from rocm_ci.tools.mask_rules import ADDRESS, HOST, Rule

# No variable, no path, no option, and nothing that is hidden already.
_WORD = r"[\"']?(?P<value>[^\s\"'`;&|<>$%{*/.-][^\s\"'`;&|<>]{3,400})"
_TEN = r"(?P<value>10(?:\.[0-9]{1,3}){3})(?![\w-]|\.\w)"


def _is_a_word(match: re.Match[str]) -> bool:
    value = str(match["value"])
    return not (any(c.isdigit() for c in value) and any(c.isalpha() for c in value))


LOGINS = (
    Rule((" login", "sshpass"), re.compile(r"(?:\blogin\b[^\n;&|]{0,200}?|\bsshpass)[ \t]-p[ \t]?" + _WORD)),
    Rule(
        ("curl",),
        re.compile(
            r"\bcurl\b[^\n;&|]{0,300}?[ \t](?:-u|--(?:proxy-)?user)[ \t=]?[\"']?[^\s:\"']{1,100}:" + _WORD
        ),
    ),
    Rule(
        ("machine ",),
        re.compile(r"\bmachine[ \t]\S{1,200}[ \t]+login[ \t]\S{1,200}[ \t]+password[ \t]+" + _WORD),
    ),
    Rule(("wandb login",), re.compile(r"wandb login[ \t][^\n;&|]{0,100}?\b(?P<value>[0-9a-f]{40})\b")),
    Rule(
        ('"auth"',), re.compile(r"\"auth\"[ \t]{0,3}:[ \t]{0,3}\"(?P<value>[A-Za-z0-9+/]{12,4000}={0,2})\"")
    ),
    # Only as a variable of the environment is written: a `first_pass` of a compiler is no secret.
    Rule(
        ("_pass=", "_pass:", "_pat=", "_pat:"),
        re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9_]{0,60}_(?:PASS|PAT)(?:=|:[ \t]{1,3})" + _WORD),
        allows=_is_a_word,
    ),
    Rule(("nvapi-",), re.compile(r"(?<![A-Za-z0-9])nvapi-[A-Za-z0-9_-]{20,200}")),
    Rule(("akcp",), re.compile(r"(?<![A-Za-z0-9])AKCp[A-Za-z0-9]{60,100}(?![A-Za-z0-9])")),
    Rule(("/webhooks/",), re.compile(r"/api/webhooks/[0-9]{10,25}/(?P<value>[A-Za-z0-9_-]{20,200})")),
    Rule(
        ("@",),
        re.compile(
            r"^(?:\([^)\n]{1,40}\) ?)?\[?[a-z_][\w.-]{0,31}@(?P<value>[A-Za-z0-9][A-Za-z0-9.-]{1,62})"
            r"(?::[~/][^\s$#]{0,200}|[ ][^\s\]]{1,100}\])[$#](?=\s|\Z)",
            re.MULTILINE,
        ),
        HOST,
    ),
    Rule((":10.",), re.compile(r":" + _TEN + r"(?=<[0-9]{1,5}>)"), ADDRESS),
    Rule(("addr: 10.", "address: 10.", "host: 10."), re.compile(r"(?i:addr|address|host): " + _TEN), ADDRESS),
    Rule(("ssh_client=", "ssh_connection="), re.compile(r"SSH_C(?:LIENT|ONNECTION)=[\"']?" + _TEN), ADDRESS),
    Rule(
        ("ssh_connection=",),
        re.compile(r"SSH_CONNECTION=[\"']?\S{1,40} [0-9]{1,5} (?P<value>[0-9]{1,3}(?:\.[0-9]{1,3}){3})"),
        ADDRESS,
    ),
    # Made out of the card's own hardware address, as a rule.
    Rule(("fe80::",), re.compile(r"(?<![0-9A-Za-z])fe80::[0-9A-Fa-f:]{4,39}(?![0-9A-Za-z:])"), ADDRESS),
    Rule(("inet6 f",), re.compile(r"inet6 (?P<value>f[cd][0-9a-f]{2}:[0-9a-f:]{2,36})"), ADDRESS),
)
