"""The entry point: finds the command's module by name, runs it, turns errors into exit codes."""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any

import click

import rocm_ci.cli
from rocm_ci import __version__
from rocm_ci.errors import InterruptedRunError, RocmCiError, of_machine
from rocm_ci.log import Log, printable

if TYPE_CHECKING:
    from types import FrameType

_NOT_COMMANDS = {
    "main",
    "wiring",
    "baseline",
    "checkout",
    "destination",
    "failed_jobs",
    "incoming",
    "leftovers",
    "masking",
    "matrix",
    "origin",
    "perform",
    "publish",
    "selection",
    "trusted_options",
    "repairing",
}
_ISSUE = """\
rocm-ci met a defect of its own. Please open an issue with the following text:

---
**What I ran**: `{argv}`
**Version**: rocm-ci {version}, Python {python}, {system}

```text
{trace}
```
---"""


class Commands(click.Group):
    """Every module of `rocm_ci.cli` with a `command`, imported only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Sorted names, from the directory listing."""
        return sorted(
            m.name for m in pkgutil.iter_modules(rocm_ci.cli.__path__) if m.name not in _NOT_COMMANDS
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"rocm_ci.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A wrong name is answered with the nearest right one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # noqa: PLC0415 - only after a typing mistake

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            if near:
                message = f"{error.format_message()} Did you mean '{near[0]}'?"
                raise click.UsageError(message, ctx) from error
            raise


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rocm-ci")
def group() -> None:
    """The pull-request check for projects that run on AMD GPUs."""


def _stop(number: int, _frame: FrameType | None) -> None:
    # One signal is enough: a second one during clean-up would leave processes behind.
    signal.signal(number, signal.SIG_IGN)
    raise InterruptedRunError(signal.Signals(number).name, hint="start it again")


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code (see DESIGN: 0, 1, 2, 3, 4, 70, 130)."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    log = Log(
        actions=os.environ.get("GITHUB_ACTIONS") == "true",
        colour=sys.stderr.isatty() and "NO_COLOR" not in os.environ,
    )
    args: dict[str, Any] = {"args": argv, "prog_name": "rocm-ci", "standalone_mode": False}
    try:
        code = group.main(**args)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        log.error("interrupted")
        return InterruptedRunError.exit_code
    except RocmCiError as error:
        log.error(str(error), error.hint)
        return error.exit_code
    except BrokenPipeError:
        # The reader (`head`, a pager) went away: nobody is left to be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the last net: a defect is told as one, never as a traceback
        lacking = of_machine(error)
        if lacking is not None:
            log.error(str(lacking), lacking.hint)
            return lacking.exit_code
        sys.stderr.write(
            _ISSUE.format(
                argv=printable(" ".join(sys.argv)),
                version=__version__,
                python=platform.python_version(),
                system=platform.platform(),
                trace=printable(traceback.format_exc()),
            )
            + "\n"
        )
        return 70
