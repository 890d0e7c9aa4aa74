"""An entry of the error library as a page of Markdown: for the terminal, the bot and the docs. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.model.diagnostic import Blame

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.knowledge.entry import Entry, Sample, Signature

# Stands before each sample, so that a log which holds one of our pages does not diagnose itself.
MARK = "sample of rocm-ci's error library"
_BLAME = {
    Blame.CHANGE: "the change's fault",
    Blame.MACHINE: "the machine's fault, and no verdict about the change",
    Blame.EITHER: "the change's or the machine's fault",
}
_REFERENCE = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?:#(?P<number>\d+)| (?P<path>[\w./-]+))")


def article(entry: Entry, *, link: Callable[[str], str] | None = None) -> str:
    """The whole page. `link` makes a link to another entry of its id; without it ids are just named."""
    named = link or (lambda one: f"`{one}`")
    parts = [
        f"# {general(entry.title)}",
        f"`{entry.id}` · {entry.category.value} · {_BLAME[entry.blame]}",
        "## What one sees\n\n" + entry.symptom.strip(),
        "## Why\n\n" + general(entry.cause).strip(),
        "## What to do\n\n" + steps(entry),
    ]
    if entry.is_not:
        parts.append("## What it is not\n\n" + "\n".join(f"- {one}" for one in entry.is_not))
    if entry.look_alikes:
        rows = [f"- {named(other)}: {text}" for other, text in sorted(entry.look_alikes.items())]
        parts.append("## Looks like it, and is not\n\n" + "\n".join(rows))
    if entry.follows:
        causes = ", ".join(named(one) for one in sorted(entry.follows))
        parts.append(f"Where one of these is seen too, this is a consequence of it: {causes}.")
    if entry.signatures:
        rows = [_signature(one) for one in entry.signatures]
        parts.append("## Recognised by\n\n| says | lines like |\n|---|---|\n" + "\n".join(rows))
    parts += [_sample(sample) for sample in entry.samples[:1]]
    parts.append("## Seen in\n\n" + "\n".join(f"- {reference(one)}" for one in entry.references))
    return "\n\n".join(parts) + "\n"


def steps(entry: Entry) -> str:
    """The fixes as a numbered list with commands."""
    found = []
    for number, fix in enumerate(entry.fixes, 1):
        line = f"{number}. {general(fix.do)}"
        if fix.run:
            line += f"\n\n   ```sh\n   {general(fix.run)}\n   ```"
        found.append(line)
    return "\n".join(found)


def general(text: str) -> str:
    """A text where nothing was seen: what it would name stays open."""
    return re.sub(r"\{([a-z]\w*)\}", lambda found: found[1].upper(), text)


def _signature(one: Signature) -> str:
    shown = one.pattern.replace("|", "\\|").replace("`", "'")
    return f"| {one.layer.value} | `{shown}` |"


def _sample(sample: Sample) -> str:
    lines = sample.log.rstrip("\n").split("\n")
    place = f", and it belongs to `{sample.location}`" if sample.location else ""
    fence = "```text\n" + "\n".join(lines) + "\n```"
    return f"## For example\n\n<!-- {MARK} -->\n{fence}\n\nThe line that tells it is {sample.line}{place}."


def reference(text: str) -> str:
    """`owner/repo#12` and `owner/repo path` as links; an address as it is."""
    found = _REFERENCE.fullmatch(text)
    if not found:
        return f"<{text}>"
    home = f"https://github.com/{found['repository']}"
    if found["number"]:
        return f"[{text}]({home}/issues/{found['number']})"
    return f"[{text}]({home}/blob/HEAD/{found['path']})"
