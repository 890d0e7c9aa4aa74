"""Who is measured on what: the corpora laid out, and a command for every contender."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import archives
import peers
from measure import Contender

PROJECTS = (("vllm", "0.33.0"), ("llama-cpp-python", "0.3.36"))
# A folder called `vendor` is another project's, which a scan of llama-cpp-python passes over.
LLAMA = "vendor/llama.cpp"
FILES_OF_CHANGE = 50
SUFFIXES = (".cu", ".cuh", ".cpp", ".h", ".hip", ".py")
CUDA = (".cu", ".cuh")
# hipify-perl with warnings reads 30 lines a second: minutes for this many, an hour for all of them.
LINES_WITH_WARNINGS = 6_000


@dataclass
class Field:
    contenders: list[Contender] = field(default_factory=list)
    corpora: dict[str, dict[str, float]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def corpus(self, name: str, files: Iterable[Path]) -> None:
        sizes = [p.stat().st_size for p in files]
        self.corpora[name] = {"files": len(sizes), "mb": round(sum(sizes) / 1e6, 2)}

    def peer(self, name: str, get: Callable[[], tuple[list[str], str]]) -> list[str] | None:
        """The command of a peer; None, and why, where it cannot be had."""
        try:
            argv, self.versions[name] = get()
        except (LookupError, OSError) as error:
            self.absent[name] = str(error)
            return None
        return argv


def prepared(root: Path, cache: Path, seed: int) -> Field:
    """Everything brought and laid out."""
    made = Field()
    python = root / ".venv/bin/python"
    ours = [str(python) if python.exists() else sys.executable, "-m", "rocm_ci"]
    # The cache may lie inside a checkout, which is not the one to be scanned.
    env = {"PYTHONPATH": str(root), "GIT_CEILING_DIRECTORIES": f"{cache}:{cache / 'sdist'}"}
    scan = (*ours, "scan", "--format", "json")
    for argv in (("--version",), ("scan", "--help"), ("run", "--help"), ("facts",)):
        name = f"rocm-ci, first line of {' '.join(argv)}"
        made.contenders.append(Contender(name, (*ours, *argv), cache, "-", env, first_line=True))
    trees = [archives.brought(name, version, cache / "sdist") for name, version in PROJECTS]
    change = _change_of(trees[0], cache, seed)
    made.corpus("pull request", change)
    made.contenders.append(
        Contender("rocm-ci, pull request", (*scan, "--base", "main"), cache / "change", "pull request", env)
    )
    words = _names(root, cache / "names")
    rg = made.peer("ripgrep", peers.ripgrep)
    (vllm, llama), ((first, version), (carrier, other)) = trees, PROJECTS
    for name, corpus, tree in (
        (first, f"{first} {version}", vllm),
        ("llama.cpp", f"llama.cpp of {carrier} {other}", llama / LLAMA),
    ):
        made.corpus(corpus, _files(tree))
        made.contenders.append(Contender(f"rocm-ci, {name}", (*scan, "--all"), tree, corpus, env))
        if rg:
            search = (*rg, "-w", "-F", "-c", "--no-ignore", "-f", str(words), ".")
            made.contenders.append(Contender(f"ripgrep, {name}", search, tree, corpus))
    _cuda(made, trees[0], cache, scan, env, seed=seed)
    _python(made, trees[0], cache, scan, env)
    return made


def _cuda(
    made: Field, tree: Path, cache: Path, scan: tuple[str, ...], env: dict[str, str], *, seed: int
) -> None:
    sources = sorted(p for p in (tree / "csrc").rglob("*") if p.suffix in CUDA and p.is_file())
    whole = _copied(sources, tree, cache / "cuda")
    part = _copied(_some(sources, LINES_WITH_WARNINGS, seed), tree, cache / "cuda-part")
    made.corpus("CUDA files", whole)
    made.corpus("some CUDA files", part)
    for word, folder in (("CUDA files", cache / "cuda"), ("some CUDA files", cache / "cuda-part")):
        made.contenders.append(Contender(f"rocm-ci, {word}", (*scan, "--all"), folder, word, env))
    perl = made.peer("hipify-perl", lambda: peers.hipify_perl(cache / "hipify-perl"))
    if perl:
        quiet = (*perl, "-examine", "-quiet-warnings", *map(str, whole))
        made.contenders += [
            Contender(
                "hipify-perl -quiet-warnings, CUDA files", quiet, cache / "cuda", "CUDA files", most_rounds=2
            ),
            Contender(
                "hipify-perl, some CUDA files",
                (*perl, "-examine", *map(str, part)),
                cache / "cuda-part",
                "some CUDA files",
                most_rounds=0,
            ),
        ]
    torch = made.peer("torch.utils.hipify", lambda: peers.torch_hipify(cache / "torch"))
    if torch:
        argv = (*torch, str(cache / "cuda"))
        made.contenders.append(Contender("torch.utils.hipify, CUDA files", argv, cache, "CUDA files"))


def _python(made: Field, tree: Path, cache: Path, scan: tuple[str, ...], env: dict[str, str]) -> None:
    package = tree / "vllm"
    made.corpus("Python package", [p for p in _files(package) if p.suffix == ".py"])
    argv = (*scan, "--all", str(package))
    made.contenders.append(Contender("rocm-ci, Python package", argv, tree, "Python package", env))
    semgrep = made.peer("semgrep", lambda: peers.semgrep(cache / "semgrep"))
    if semgrep:
        argv = (*semgrep, "--include", "*.py", str(package))
        made.contenders.append(
            Contender(
                "semgrep, Python package", argv, cache, "Python package", {"SEMGREP_SEND_METRICS": "off"}, 2
            )
        )


def _files(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()]


def _copied(sources: Iterable[Path], tree: Path, where: Path, *, keep: bool = False) -> list[Path]:
    if not keep:
        shutil.rmtree(where, ignore_errors=True)
    copies = []
    for source in sources:
        copy = where / source.relative_to(tree)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        copies.append(copy)
    return copies


def _some(sources: list[Path], most: int, seed: int) -> list[Path]:
    """Files drawn at random, as many as have no more than `most` lines together."""
    chosen, lines = [], 0
    for source in random.Random(seed).sample(sources, len(sources)):  # noqa: S311 - a sample, no secret
        count = source.read_bytes().count(b"\n")
        if lines + count <= most:
            chosen.append(source)
            lines += count
    return chosen


def _change_of(tree: Path, cache: Path, seed: int) -> list[Path]:
    """A repository of the whole project whose last commit adds 50 of its files, drawn at random."""
    where = cache / "change"
    sources = sorted(p for p in _files(tree) if p.suffix in SUFFIXES and 2_000 < p.stat().st_size < 200_000)
    chosen = random.Random(seed).sample(sources, FILES_OF_CHANGE)  # noqa: S311 - a sample, no secret
    copies = [where / source.relative_to(tree) for source in chosen]
    made = cache / f"change-{seed}.made"
    if made.is_file():
        return copies
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(tree, where, symlinks=True)
    for copy in copies:
        copy.unlink()

    def git(*args: str) -> None:
        who = [
            "-c",
            "user.name=bench",
            "-c",
            "user.email=bench@example.invalid",
            "-c",
            "commit.gpgsign=false",
        ]
        subprocess.run(["git", *who, *args], cwd=where, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", "-A", "-f")
    git("commit", "-q", "-m", "base")
    git("checkout", "-q", "-b", "change")
    _copied(chosen, tree, where, keep=True)
    git("add", "-A", "-f")
    git("commit", "-q", "-m", "change")
    made.touch()
    return copies


def _names(root: Path, where: Path) -> Path:
    """All names of the tables, one a line."""
    words: set[str] = set()
    for table in sorted((root / "rules/tables").glob("*.t*")):
        for line in table.read_text().splitlines():
            word = line.replace("\t", " ").split(" ", 1)[0]
            if word and word.replace("_", "a").isalnum() and not line.startswith("#"):
                words.add(word)
    where.write_text("".join(f"{word}\n" for word in sorted(words)))
    return where
