from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from rocm_ci.gpu import smoke_torch


@dataclass
class Tensor:
    """As much of a tensor as the program uses; a broken device adds one to the first sum, or to a copy, or refuses."""

    values: list[int]
    device: str = "cpu"
    broken: tuple[str, ...] = ()

    def _with(self, values: list[int]) -> Tensor:
        return Tensor(values, self.device, self.broken)

    def __mul__(self, other: int) -> Tensor:
        return self._with([value * other for value in self.values])

    def __mod__(self, other: int) -> Tensor:
        return self._with([value % other for value in self.values])

    def __add__(self, other: Tensor) -> Tensor:
        found = [a + b for a, b in zip(self.values, other.values, strict=True)]
        found[0] += self.device in self.broken
        return self._with(found)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        assert isinstance(other, Tensor)
        return self._with([int(a != b) for a, b in zip(self.values, other.values, strict=True)])

    def clone(self) -> Tensor:
        found = list(self.values)
        found[0] += f"{self.device} miscopies" in self.broken
        return self._with(found)

    def to(self, device: str) -> Tensor:
        if f"{device} refuses" in self.broken:
            message = "HIP error: out of memory"
            raise RuntimeError(message)
        return Tensor(self.values, device, self.broken)

    def sum(self) -> int:
        return sum(self.values)


@dataclass
class Torch:
    """A PyTorch for ROCm with so many devices, some of them broken."""

    devices: int = 2
    broken: tuple[str, ...] = ()
    hip: str | None = "7.0.51831"
    int64: str = "int64"
    __version__: str = "2.9.0+rocm7.0"
    calls: list[str] = field(default_factory=list)

    @property
    def version(self) -> SimpleNamespace:
        return SimpleNamespace(hip=self.hip, cuda=None)

    @property
    def cuda(self) -> SimpleNamespace:
        about = SimpleNamespace(
            name="AMD Instinct MI300X", gcnArchName="gfx942", warp_size=64, total_memory=192 << 30
        )
        return SimpleNamespace(
            device_count=lambda: self.devices,
            is_available=lambda: self.devices > 0,
            get_device_properties=lambda _number: about,
        )

    def arange(self, count: int, dtype: str) -> Tensor:
        assert dtype == "int64"
        return Tensor(list(range(count)), broken=self.broken)


@pytest.fixture(autouse=True)
def _few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoke_torch, "VALUES", 64)


def run(
    capsys: pytest.CaptureFixture[str], torch: Torch, *arguments: str
) -> tuple[int, list[dict[str, Any]]]:
    code = smoke_torch.main(list(arguments), torch)
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_visible_device_has_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    code, (first, second) = run(capsys, Torch())

    assert code == 0
    assert (first["device"], second["device"], first["devices"]) == (0, 1, 2)
    assert (first["target"], first["wave"], first["built_for"]) == ("gfx942", 64, "HIP 7.0.51831")
    assert (first["values"], first["wrong_sums"], first["wrong_copies"]) == (64, 0, 0)


def test_a_device_that_computes_wrongly_or_refuses_is_told_and_the_others_go_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, found = run(capsys, Torch(devices=3, broken=("cuda:0", "cuda:1 refuses")))

    assert code == 3
    assert found[0]["wrong_sums"] == 1
    assert found[1]["step"] == "copying to the device"
    assert found[1]["error"] == "RuntimeError: HIP error: out of memory"
    assert found[2]["wrong_sums"] == 0
    assert run(capsys, Torch(devices=1, broken=("cuda:0",)))[0] == 1


def test_a_device_that_copies_wrongly_is_wrong_though_its_sums_are_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, (found,) = run(capsys, Torch(devices=1, broken=("cuda:0 miscopies",)))

    assert code == 1
    assert (found["wrong_sums"], found["wrong_copies"]) == (0, 1)


def test_no_device_is_an_answer_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    for_gpus, for_the_cpu = run(capsys, Torch(devices=0)), run(capsys, Torch(devices=0, hip=None))

    assert for_gpus == (2, [{"rocm_ci_smoke": 1, "step": "counting devices", "error": "no device"}])
    assert "built for the CPU alone" in for_the_cpu[1][0]["error"]


def test_the_program_itself_can_be_tried_on_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    code, (found,) = run(capsys, Torch(devices=0), "--device", "cpu")

    assert code == 0
    assert (found["name"], found["target"], found["wave"]) == ("cpu", "", None)


def test_what_it_is_about_to_do_stands_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    smoke_torch.main([], Torch(devices=1))

    assert "rocm-ci smoke: running the kernel\n" in capsys.readouterr().err
