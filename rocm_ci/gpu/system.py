"""Which operating system a name means: `Ubuntu 24.04.2 LTS` → ubuntu, 24.04."""

from __future__ import annotations

import re

# The id that /etc/os-release carries, by how PRETTY_NAME begins.
_KNOWN: tuple[tuple[str, str], ...] = (
    ("ubuntu", r"Ubuntu (\d\d\.\d\d)"),
    ("rhel", r"Red Hat Enterprise Linux(?: Server)? (\d{1,2}(?:\.\d{1,2})?)"),
    ("centos", r"CentOS (?:Linux|Stream) (\d{1,2}(?:\.\d{1,2})?)"),
    ("rocky", r"Rocky Linux (\d{1,2}(?:\.\d{1,2})?)"),
    ("almalinux", r"AlmaLinux (\d{1,2}(?:\.\d{1,2})?)"),
    ("ol", r"Oracle Linux(?: Server)? (\d{1,2}(?:\.\d{1,2})?)"),
    ("debian", r"Debian GNU/Linux (\d{1,2})"),
    ("azurelinux", r"(?:Microsoft )?Azure Linux (\d{1,2}\.\d{1,2})"),
    ("fedora", r"Fedora Linux (\d{2})"),
)
_SLES = re.compile(r"SUSE Linux Enterprise Server (\d{2})(?:\.(\d))?(?: SP(\d))?", re.IGNORECASE)


def system(pretty: str | None) -> tuple[str, str] | None:
    """Id and version of a PRETTY_NAME; None for one that is not known."""
    text = (pretty or "").strip()
    suse = _SLES.match(text)
    if suse:
        major, minor, pack = suse.groups()
        return "sles", f"{major}.{minor or pack or '0'}"
    for name, pattern in _KNOWN:
        found = re.match(pattern, text)
        if found:
            return name, found.group(1)
    return None
