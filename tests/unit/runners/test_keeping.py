"""What is kept of a run besides its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.context import Lease
from rocm_ci.runners import keeping
from rocm_ci.tools import file
from tests import fakes

if TYPE_CHECKING:
    from pathlib import Path

LEASE = Lease(id="unit-1")


def test_the_kernels_messages_lie_beside_the_log_of_the_run(tmp_path: Path) -> None:
    ctx = fakes.context(tmp_path, gpus=fakes.FakeGpus(total=1, kernel_says="[    1.000000] amdgpu: bad\n"))

    kept = keeping.kernel_log(ctx, LEASE, ctx.out / "logs/test-unit.log")

    assert kept == "logs/test-unit.kernel.log"
    assert (ctx.out / kept).read_text() == "[    1.000000] amdgpu: bad\n"


def test_a_silent_kernel_leaves_no_file(tmp_path: Path) -> None:
    ctx = fakes.context(tmp_path)

    assert keeping.kernel_log(ctx, LEASE, ctx.out / "logs/test-unit.log") == ""
    assert not ctx.out.exists()


@pytest.mark.attack("5", "a link to a file of the host where the kernel's messages are to be kept")
def test_a_link_in_their_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    ctx = fakes.context(tmp_path, gpus=fakes.FakeGpus(total=1, kernel_says="new\n"))
    (ctx.out / "logs").mkdir(parents=True)
    (tmp_path / "precious").write_text("old\n")
    (ctx.out / "logs/test-unit.kernel.log").symlink_to(tmp_path / "precious")

    kept = keeping.kernel_log(ctx, LEASE, ctx.out / "logs/test-unit.log")

    assert (tmp_path / "precious").read_text() == "old\n"
    assert (ctx.out / kept).read_text() == "new\n"


def test_a_full_disk_loses_the_messages_and_not_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file, "write", full)
    ctx = fakes.context(tmp_path, gpus=fakes.FakeGpus(total=1, kernel_says="new\n"))

    assert keeping.kernel_log(ctx, LEASE, ctx.out / "logs/test-unit.log") == ""
    assert "No space left on device" in ctx.log.err.getvalue()  # type: ignore[union-attr]
