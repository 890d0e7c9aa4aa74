"""What tells that something failed at all, whatever it was: without it, a loud word in a green log is just a word."""

from __future__ import annotations

# Pattern and needles of each. Whole lines of the tools that end a log, not words that a file name may hold.
FAILURE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"^FAILED: |^ninja: build stopped", ("FAILED: ", "ninja: build stopped")),
    (r"^(?:g?make|gmake)(?:\[\d+\])?: \*\*\* ", (": *** ",)),
    (r"(?:^|: )(?:fatal )?error: ", ("error: ",)),
    (r"^CMake Error", ("CMake Error",)),
    (r"Configuring incomplete, errors occurred", ("Configuring incomplete",)),
    (r"\d+ errors? generated", (" generated",)),
    (r"^E  +\S", ("E  ",)),
    (r"^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* in [\d.]+", (" failed", " error")),
    (r"^FAILED \S+", ("FAILED ",)),
    (r"^ERROR(?::| \S+::)", ("ERROR",)),
    (r"^\[  FAILED  \]", ("[  FAILED  ]",)),
    (r"\d+% tests passed, [1-9]\d* tests? failed", (" tests passed, ",)),
    (r"\*\*\*(?:Failed|Exception|Timeout|Not Run)", ("***",)),
    (r"\b(?:Aborted|Segmentation fault|Bus error|Killed)\b", ("Aborted", "Segmentation fault", "Bus error", "Killed")),
    (r"core dumped", ("core dumped",)),
    (r"^Fatal Python error", ("Fatal Python error",)),
    (r"^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt)(?::|$)", ("Error", "Exception", "Interrupt")),
    (r"exited with (?:code|status) -?[1-9]|exit(?:ed)? (?:code|status):? -?[1-9]|returned non-zero exit status",
     ("exited with", "exit code", "exit status")),
    (r"Process completed with exit code [1-9]", ("Process completed",)),
    (r"ran longer than|timed out|Timeout", ("ran longer than", "timed out", "Timeout")),
)  # fmt: skip
