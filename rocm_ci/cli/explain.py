"""`rocm-ci explain`: what a log means, or what we know of an error or a rule."""

from __future__ import annotations

import difflib
import io
import sys
import textwrap
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
import msgspec

from rocm_ci.cli.wiring import as_json, environment, make_log, read_bytes
from rocm_ci.errors import ReportError, UsageError
from rocm_ci.log import printable

if TYPE_CHECKING:
    from rocm_ci.knowledge.diagnosing import Machine
    from rocm_ci.knowledge.entry import Entry
    from rocm_ci.knowledge.library import Library
    from rocm_ci.log import Log
    from rocm_ci.model.diagnostic import Diagnosis

_FOUND = 10
_WIDTH = 100


@click.command("explain")
@click.argument("what", required=False, metavar="LOG | ID")
@click.option("--list", "lists", is_flag=True, help="Every error that is known, by category.")
@click.option("--search", metavar="WORDS", help="Errors that speak of these words.")
@click.option("--draft", is_flag=True, help="Of a LOG: a skeleton entry for the library, its lines cut out.")
@click.option(
    "--report",
    "report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A report.json of the machine that wrote the log: its GPU and ROCm decide between causes.",
)
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(**options: Any) -> int:
    """Say what a log means: the root cause first, why it happens, what to do.

    LOG is a file, or - for standard input. ID is an error of the library or a rule of the scanner.
    A project's own errors, below .github/rocm-ci/errors, count too. Exit status 0, also where nothing is
    recognised.
    """
    log, shape = make_log(environment()), str(options["shape"])
    what, search = options["what"], options["search"]
    chosen = sum((what is not None, options["lists"], search is not None))
    if chosen != 1 or (options["draft"] and what is None):
        message = "name one of: a log, an id, --list, --search WORDS"
        raise UsageError(message, hint="rocm-ci explain build.log")
    library = _library()
    if search is not None:
        return _listed(log, _searched(library, search), shape)
    if what is None:
        return _listed(log, list(library.entries.values()), shape)
    if what != "-" and _is_name(what) and not Path(what).exists():
        return _known(log, what, library)
    if options["draft"]:
        return _drafted(log, what)
    return _explained(log, what, library, _machine(options["report"]), shape)


def _is_name(what: str) -> bool:
    return all(part.isalnum() for part in what.split("-")) and what == what.lower()


def _library() -> Library:
    """Ours, with what the checkout that we stand in adds."""
    from rocm_ci.knowledge import library  # noqa: PLC0415 - YAML, only here
    from rocm_ci.scan.files import Folder  # noqa: PLC0415

    here = Folder(Path.cwd())
    names = [
        f"{folder.rstrip('/')}/{name}"
        for folder in here.names(library.FOLDER)
        if folder.endswith("/")
        for name in here.names(f"{library.FOLDER}/{folder.rstrip('/')}")
    ]
    return library.Library([*library.shipped(), *library.own(names, here.read)])


def _machine(report: Path | None) -> Machine | None:
    from rocm_ci.knowledge.diagnosing import Machine  # noqa: PLC0415
    from rocm_ci.report import codec  # noqa: PLC0415

    if report is None:
        return None
    try:
        facts = codec.decode(read_bytes(report, "the report")).facts
    except ReportError as error:
        message = f"--report {printable(str(report))}: {error}"
        raise UsageError(message, hint="name the report.json of the run that wrote the log") from error
    gfx = tuple(dict.fromkeys(gpu.gfx for gpu in facts.gpus if gpu.gfx))
    return Machine(gfx=gfx, rocm=facts.rocm.version or "", container=bool(facts.host.container))


def _explained(log: Log, what: str, library: Library, machine: Machine | None, shape: str) -> int:
    from rocm_ci.knowledge.diagnosing import explain  # noqa: PLC0415

    with _opened(what) as file:
        found = explain(file, library, machine)
    if shape == "json":
        log.result(as_json({"version": 1, "diagnoses": msgspec.to_builtins(found)}))
        return 0
    if not found:
        log.result("nothing recognised")
        log.info(f"rocm-ci explain --draft {printable(what)} makes an entry for the library of it")
        return 0
    log.result("\n\n".join(_text(one) for one in found[:_FOUND]))
    return 0


def _text(one: Diagnosis) -> str:
    head = f"{one.id} ({one.category.value}, line {one.line}"
    head += f", at {one.location})" if one.location else ")"
    lines = [head, f"  {one.title}"]
    lines += [f"  > {one.said[:160]}"] if one.said else []
    lines += _wrapped("why", one.cause)
    lines += [line for number, fix in enumerate(one.fixes, 1) for line in _wrapped(f"{number}.", fix)]
    lines += [line for text in one.is_not for line in _wrapped("not", text)]
    lines += [f"  after {', '.join(one.follows)}: a consequence"] if one.follows else []
    lines += [f"  see   {', '.join(one.references[:3])}"] if one.references else []
    return "\n".join(printable(line) for line in lines)


def _wrapped(label: str, text: str) -> list[str]:
    indent = " " * 8
    lines = textwrap.wrap(text, _WIDTH - len(indent), break_long_words=False, break_on_hyphens=False) or [""]
    return [f"  {label:5} {lines[0]}", *(f"{indent}{line}" for line in lines[1:])]


def _drafted(log: Log, what: str) -> int:
    from rocm_ci.cli import masking  # noqa: PLC0415
    from rocm_ci.knowledge.draft import draft  # noqa: PLC0415

    veil = masking.mask(environment())
    with _opened(what) as file:
        made = draft(io.TextIOWrapper(file, "utf-8", "replace", newline="\n"), veil.text)
    log.result("\n".join(printable(line) for line in made.text.splitlines()))
    if not made.line:
        log.warning("no line of the log looks like a failure; the skeleton is empty")
    return 0


def _opened(what: str) -> IO[bytes]:
    if what == "-":
        return sys.stdin.buffer
    try:
        if Path(what).is_dir():
            message = f"{printable(what)} is a folder"
            raise UsageError(message, hint="name a log in it")
        return Path(what).open("rb")
    except OSError as error:
        message = f"the log {printable(what)} cannot be read: {error.strerror}"
        raise UsageError(message, hint="check the path and its permissions") from error


def _known(log: Log, name: str, library: Library) -> int:
    """The page of an error or of a rule."""
    from rocm_ci import registry  # noqa: PLC0415
    from rocm_ci.knowledge.article import article  # noqa: PLC0415

    entry = library.entries.get(name)
    if entry is not None:
        log.result(article(entry).rstrip())
        return 0
    rules = {path.stem: path for path in (registry.data_folder("rules") / "scan").glob("*/*.yaml")}
    if name in rules:
        from rocm_ci.scan.rule import decode  # noqa: PLC0415

        rule = decode(rules[name].read_text("utf-8"), f"{name}.yaml")
        head = f"# {rule.id}\n\n{rule.topic.value}, {rule.severity.value}"
        log.result(f"{head}\n\n{rule.why.strip()}\n\nFix: {rule.fix}")
        return 0
    near = difflib.get_close_matches(name, [*library.entries, *rules], n=3, cutoff=0.5)
    message = f"{printable(name)} is neither a file nor an error or rule that is known"
    hint = f"did you mean {', '.join(near)}?" if near else "rocm-ci explain --list, or --search WORDS"
    raise UsageError(message, hint=hint)


def _searched(library: Library, words: str) -> list[Entry]:
    """Entries that hold every word, those that hold them in the title first."""
    wanted = words.lower().split()
    if not wanted:
        raise UsageError("--search wants a word", hint="rocm-ci explain --search 'out of memory'")

    def text(entry: Entry) -> str:
        patterns = " ".join(one.pattern for one in entry.signatures)
        return f"{entry.id} {entry.title} {entry.symptom} {entry.cause} {patterns}".lower()

    found = [e for e in library.entries.values() if all(word in text(e) for word in wanted)]
    return sorted(found, key=lambda e: (not all(w in f"{e.id} {e.title}".lower() for w in wanted), e.id))


def _listed(log: Log, entries: list[Entry], shape: str) -> int:
    from rocm_ci.knowledge.article import general  # noqa: PLC0415

    if shape == "json":
        rows = [
            {"id": e.id, "category": e.category.value, "title": general(e.title), "blame": e.blame.value}
            for e in entries
        ]
        log.result(as_json({"version": 1, "errors": rows}))
        return 0
    if not entries:
        log.result("nothing speaks of that")
        return 0
    width = max(len(e.id) for e in entries)
    last = ""
    for entry in entries:
        if entry.category.value != last:
            last = entry.category.value
            log.result(f"{last}")
        log.result(f"  {entry.id:{width}}  {general(entry.title)}")
    return 0
