from __future__ import annotations

from rocm_ci.gpu.collectors.rocm import collect
from tests.fakes import MemoryReader

HIPCONFIG = """\
HIP version: {hip}

==hipconfig
HIP_PATH           :{root}
ROCM_PATH          :{root}
HIP_PLATFORM       :amd
"""


def test_the_new_streams_prefix_and_numbers_are_kept_apart() -> None:
    reader = MemoryReader(
        files={
            "/opt/rocm/core-10.0/.info/version": "10.0.0\n",
            "/opt/rocm-7.2.1/.info/version": "7.2.1-81\n",
        },
        recordings=(HIPCONFIG.format(hip="7.15.26333", root="/opt/rocm/core-10.0"),),
        links={"/opt/rocm/core": "/opt/rocm/core-10.0"},
    )

    found = collect(reader)

    assert found.rocm["version"] == "10.0.0"
    assert found.rocm["root"] == "/opt/rocm/core-10.0"
    assert found.rocm["hip"] == "7.15.26333"
    assert found.others == ("/opt/rocm-7.2.1 7.2.1-81",)


def test_the_prefix_in_use_is_the_named_one_and_not_the_newest() -> None:
    files = {"/opt/rocm-6.4.1/.info/version": "6.4.1-83\n", "/opt/rocm-7.0.0/.info/version": "7.0.0-38\n"}

    named = collect(MemoryReader(files=files, environment={"ROCM_PATH": "/opt/rocm-6.4.1"}))
    linked = collect(
        MemoryReader(
            files=files | {"/opt/rocm/.info/version": "7.0.0-38\n"}, links={"/opt/rocm": "/opt/rocm-7.0.0"}
        )
    )

    assert (named.rocm["version"], named.rocm["build"]) == ("6.4.1", "6.4.1-83")
    assert linked.rocm["root"] == "/opt/rocm-7.0.0"


def test_an_installation_and_its_link_count_once() -> None:
    files = {"/opt/rocm/.info/version": "6.4.1-83\n", "/opt/rocm-6.4.1/.info/version": "6.4.1-83\n"}

    assert collect(MemoryReader(files=files, links={"/opt/rocm": "/opt/rocm-6.4.1"})).others == ()


def test_two_unused_installations_are_not_guessed_between() -> None:
    files = {"/opt/rocm-6.4.1/.info/version": "6.4.1-83\n", "/opt/rocm-7.0.0/.info/version": "7.0.0-38\n"}

    found = collect(MemoryReader(files=files))

    assert "version" not in found.rocm
    assert len(found.others) == 2


def test_a_distributions_packages_have_no_release_and_that_is_said() -> None:
    found = collect(MemoryReader(recordings=(HIPCONFIG.format(hip="5.2.21153-0", root="/usr"),)))

    assert "version" not in found.rocm
    assert found.rocm["hip"] == "5.2.21153-0"
    assert "no /usr/.info/version" in found.problem


def test_the_compiler_names_its_release_and_prefix() -> None:
    text = (
        "HIP version: 6.4.43483-a187df25c\n"
        "AMD clang version 19.0.0git (https://github.com/ROCm/llvm-project roc-6.4.1 25184 c870)\n"
        "Target: x86_64-unknown-linux-gnu\nInstalledDir: /opt/rocm-6.4.1/lib/llvm/bin\n"
    )

    found = collect(MemoryReader(recordings=(text,)))

    assert found.rocm["version"] == "6.4.1"
    assert found.rocm["root"] == "/opt/rocm-6.4.1"
    assert found.rocm["hipcc"] == "6.4.43483-a187df25c"
    assert found.rocm["clang"] == "19.0.0git"


def test_a_bare_version_file_counts_when_nobody_wrote_its_path_down() -> None:
    assert collect(MemoryReader(recordings=("6.4.1-83\n",))).rocm["version"] == "6.4.1"


def test_a_prefix_with_the_older_name_of_its_version_file_counts() -> None:
    found = collect(MemoryReader(files={"/opt/rocm-5.4.3/.info/version-dev": "5.4.3-121\n"}))

    assert (found.rocm["version"], found.rocm["root"]) == ("5.4.3", "/opt/rocm-5.4.3")


def test_a_hipcc_that_drives_nvcc_is_told_as_one_for_nvidia() -> None:
    text = (
        "HIP version: 6.4.43483-a187df25c\nnvcc: NVIDIA (R) Cuda compiler driver\n"
        "Cuda compilation tools, release 12.4, V12.4.131\nclang version 19.0.0git\n"
    )

    assert collect(MemoryReader(recordings=(text,))).rocm["hip_platform"] == "nvidia"
