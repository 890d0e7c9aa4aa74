"""`rocm-ci demo`: the whole story on the bundled example, with no GitHub and no GPU."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rocm_ci.cli import wiring
from rocm_ci.errors import MachineError
from rocm_ci.registry import data_folder

if TYPE_CHECKING:
    from rocm_ci.log import Log

NEEDED = ("git", "cmake", "ninja", "c++")
PACKAGES = "git cmake ninja-build g++ libgtest-dev"
HIP_PACKAGES = "hipcc libamdhip64-dev rocm-device-libs rocminfo rocm-smi"


@click.command("demo")
@click.option("--output", type=click.Path(path_type=Path), default=Path("rocm-ci-demo"), show_default=True)
@click.option("--lay-out", type=click.Path(path_type=Path), help="Only write the example's repository there.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--verbose", "-v", is_flag=True, help="Show the output of every command.")
def command(*, output: Path, lay_out: Path | None, form: str, verbose: bool) -> int:
    """Run everything on a small HIP library whose last commit is a pull request with mistakes."""
    from rocm_ci.tools import history  # noqa: PLC0415
    from rocm_ci.tools.process import ProcessRunner  # noqa: PLC0415

    env = wiring.environment()
    log = wiring.make_log(env, verbose=verbose)
    source = data_folder("examples") / "saxpy"
    if lay_out is not None:
        script = history.lay_out(ProcessRunner(), source, lay_out, env)
        log.info(f"{lay_out}: {len(script.commits)} commits, «{script.pull_request.title}» is checked out")
        return 0
    log.info("The demo: a small HIP library gets a pull request with mistakes.")
    # The pipeline's imports cost more than our first line of output should.
    from rocm_ci.cli import perform  # noqa: PLC0415

    has_hipcc = _checked(log)
    # What the demo starts finds this interpreter's own tools (pytest, ninja) first.
    env["PATH"] = f"{Path(sys.executable).parent}:{env.get('PATH', '')}"
    for name in [name for name in env if name.startswith("GITHUB_")]:
        del env[name]
    output = output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="rocm-ci-demo-", ignore_cleanup_errors=True) as folder:
        checkout = Path(folder) / "saxpy"
        script = history.lay_out(ProcessRunner(), source, checkout, env)
        log.info(f"The example: «{script.pull_request.title}», a pull request to a small HIP library.")
        request = perform.Request(
            root=checkout,
            output=output,
            config=None if has_hipcc else Path(".github/rocm-ci.cpu.yml"),
            base=script.pull_request.base,
            local=True,
        )
        report = perform.perform(request, env, log, quiet=form == "json")
    if form == "json":
        log.result(wiring.as_json(report))
    elif not has_hipcc:
        _without_hipcc(log)
    code = perform.exit_code_of(report)
    log.info(f"The report is in {output}: report.json, comment.md")
    log.info(f"Exit status {code}: this pull request is made to fail.")
    return code


def _checked(log: Log) -> bool:
    """Whether hipcc is there; what the example cannot do without is an error."""
    absent = [name for name in NEEDED if shutil.which(name) is None]
    if absent:
        message = f"the example needs {', '.join(absent)}, which this machine lacks"
        raise MachineError(message, hint=f"on Debian or Ubuntu: sudo apt-get install {PACKAGES}")
    if shutil.which("hipcc") is None:
        _without_hipcc(log)
        return False
    return True


def _without_hipcc(log: Log) -> None:
    log.warning(
        "hipcc is not on this machine: the example is built without its GPU code. "
        f"To see the real HIP build: sudo apt-get install {HIP_PACKAGES}"
    )
