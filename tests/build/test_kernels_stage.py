"""Kernel figures from real code objects, against the merge base and against the compiler's own words."""

from __future__ import annotations

import json
import re
import struct
import subprocess

import pytest
from elftools.elf.elffile import ELFFile

from rocm_ci.build.base import base_build
from rocm_ci.cli.main import main
from rocm_ci.config.options import BuildOptions
from rocm_ci.kernels import elf, fatbin, inventory, occupancy
from rocm_ci.kernels.span import Span
from rocm_ci.model.verdict import Verdict
from tests import require
from tests.build.project import LEAN, SAXPY, SPILLING, Project

pytestmark = pytest.mark.build

STEP = BuildOptions(
    name="lib", run="hipcc $ROCM_CI_OFFLOAD_FLAGS -O2 -fPIC -shared a.hip -o liba.so", artifacts=("liba.so",)
)


def test_kernels_are_read_with_their_readable_names(project: Project) -> None:
    project.archs = ("gfx90a", "gfx1030")
    project.put("a.hip", SAXPY)
    project.build(STEP)

    result = project.kernels(STEP)

    assert [(k.name.split("(")[0], k.arch, k.wave_size) for k in result.kernels] == [
        ("demo::saxpy<float>", "gfx1030", 32),
        ("demo::saxpy<float>", "gfx90a", 64),
    ]
    assert result.verdict is Verdict.PASS
    assert result.reason == "not compared: there is no merge base"


def test_new_spills_against_the_merge_base_are_advice(project: Project) -> None:
    project.put("a.hip", LEAN)
    project.merge_base = project.commit("base")
    project.put("a.hip", SPILLING)
    project.commit("head")
    project.build(STEP)

    result = project.kernels(STEP)

    assert result.compared
    assert result.verdict is Verdict.NEUTRAL
    spills = next(c for c in result.changes if c.metric == "vgpr_spills")
    assert (spills.name, spills.arch, spills.base, spills.is_regression) == ("wide", "gfx90a", 0, True)
    assert result.reason.startswith(f"wide on gfx90a spills {spills.head} VGPRs, 0 before")


def test_the_base_is_built_once_beside_the_head(project: Project) -> None:
    project.put("a.hip", LEAN)
    project.put(".github/rocm-ci.yml", "version: 1\nbuild: [{name: own, run: 'touch made-by-base'}]\n")
    project.merge_base = project.commit("base")
    project.put("a.hip", SAXPY)
    project.commit("head")
    ctx, job = project.context(), project.job(STEP)

    first = base_build(ctx, job)
    stamp = (first.root / "made-by-base").stat().st_mtime_ns
    second = base_build(ctx, job)

    assert first == second
    assert first.ok, first.reason
    assert (second.root / "made-by-base").stat().st_mtime_ns == stamp
    assert (first.root / "a.hip").read_text() == LEAN
    assert (project.root / "a.hip").read_text() == SAXPY
    assert not (project.root / "made-by-base").exists()


def test_a_base_that_does_not_build_is_said_and_nothing_is_compared(project: Project) -> None:
    project.put("a.hip", "nonsense\n")
    project.merge_base = project.commit("base")
    project.put("a.hip", LEAN)
    project.commit("head")
    project.build(STEP)

    result = project.kernels(STEP)

    assert not result.compared
    assert "the merge base does not build: a.hip:1:" in result.reason
    assert result.verdict is Verdict.PASS


def test_occupancy_agrees_with_the_compiler(project: Project) -> None:
    project.put(
        "a.hip",
        (
            "#include <hip/hip_runtime.h>\n"
            "template <int N> __global__ void __launch_bounds__(256) heavy(float* x) {\n  float a[N];\n"
            "#pragma unroll\n  for (int i = 0; i < N; i++) a[i] = x[i * 256 + threadIdx.x];\n  __syncthreads();\n"
            "#pragma unroll\n  for (int i = 0; i < N; i++) x[i * 256 + threadIdx.x] = a[i] * a[(i * 7 + 3) % N];\n}\n"
            + "".join(f"template __global__ void heavy<{n}>(float*);\n" for n in (8, 30, 40, 60, 90, 200))
        ),
    )
    seen = 0
    for arch in ("gfx906", "gfx908", "gfx90a", "gfx1030"):
        argv = ["hipcc", f"--offload-arch={arch}", "-O2", "--cuda-device-only", "-S", "a.hip", "-o", "-"]
        env = dict(project.context().environment)
        asm = subprocess.run(
            argv, cwd=project.root, env=env, capture_output=True, text=True, check=True
        ).stdout
        wave = 32 if arch == "gfx1030" else 64
        for sgpr, vgpr, waves in re.findall(
            r"; NumSgprs: (\d+)\n(?:;.*\n)*?; (?:TotalNumVgprs|NumVgprs): (\d+)\n(?!; NumAgprs)(?:;.*\n)*?; Occupancy: (\d+)",
            asm,
        ):
            ours = occupancy.waves(
                arch, vgpr=int(vgpr), sgpr=int(sgpr), lds_bytes=0, wave_size=wave, group_size=256
            )
            assert ours == int(waves), (arch, vgpr)
            seen += 1
    assert seen >= 18


def test_all_kinds_of_built_files_are_understood(project: Project) -> None:
    project.put("a.hip", SAXPY)
    context = project.context()
    flags = "--offload-arch=gfx90a --offload-arch=gfx1030"
    made = {
        "object.o": f"hipcc {flags} -c a.hip -o object.o",
        "lib.so": f"hipcc {flags} -fPIC -shared a.hip -o lib.so",
        "archive.a": "ar rcs archive.a object.o",
        "bundle.hsaco": f"hipcc {flags} --genco a.hip -o bundle.hsaco",
        "relocatable.o": f"hipcc {flags} -fgpu-rdc -c a.hip -o relocatable.o",
        "one.co": "hipcc --offload-arch=gfx90a:xnack+ --cuda-device-only --no-gpu-bundle-output -c a.hip -o one.co",
    }
    for command in made.values():
        subprocess.run(command, shell=True, cwd=project.root, env=dict(context.environment), check=True)

    archs = {name: fatbin.read(project.root / name).archs for name in made}

    assert archs.pop("one.co") == ("gfx90a:xnack+",)
    assert archs == dict.fromkeys(list(made)[:-1], ("gfx1030", "gfx90a"))


def test_our_reading_of_sections_agrees_with_pyelftools(project: Project) -> None:
    project.put("a.hip", SAXPY)
    project.build(STEP)
    path = project.root / "liba.so"
    data = path.read_bytes()
    ours = elf.parse(Span(data, 0, len(data)))
    assert ours is not None
    with path.open("rb") as file:
        theirs = {
            (s.name, s["sh_offset"], s["sh_size"])
            for s in ELFFile(file).iter_sections()
            if s["sh_type"] != "SHT_NOBITS" and s["sh_size"]
        }

    assert {(s.name, s.content.start, len(s.content)) for s in ours.sections()} == theirs


def test_a_bundle_compressed_with_zstd_is_unpacked(project: Project) -> None:
    zstd = require.program("zstd", "apt-get install zstd")
    project.put("a.hip", SAXPY)
    context = project.context()
    command = "hipcc --offload-arch=gfx90a --genco a.hip -o plain.hsaco"
    subprocess.run(command, shell=True, cwd=project.root, env=dict(context.environment), check=True)
    plain = (project.root / "plain.hsaco").read_bytes()
    packed = subprocess.run([zstd, "-c"], input=plain, capture_output=True, check=True).stdout
    # The second version of LLVM's header: magic, version, method, whole size, unpacked size, hash.
    header = b"CCOB" + struct.pack("<HHIIQ", 2, 1, 24 + len(packed), len(plain), 0)
    (project.root / "packed.hsaco").write_bytes(header + packed)

    found = inventory.of([(project.root / "packed.hsaco", "packed.hsaco")], context.run, context.environment)

    assert [k.arch for k in found.kernels] == ["gfx90a"]
    assert found.problems == ()


def test_the_command_shows_kernels_and_changes_as_json(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.put("a.hip", LEAN)
    project.build(STEP)
    base = (project.root / "liba.so").rename(project.scratch / "liba.so")
    project.put("a.hip", SPILLING)
    project.build(STEP)

    code = main(["kernels", str(project.root / "liba.so"), "--against", str(base), "--format", "json"])

    body = json.loads(capsys.readouterr().out)
    assert code == 0
    assert [k["name"] for k in body["kernels"]] == ["wide"]
    assert {c["metric"] for c in body["changes"] if c["is_regression"]} >= {"vgpr_spills", "scratch_bytes"}
