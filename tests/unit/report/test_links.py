from __future__ import annotations

import pytest

from rocm_ci.report.links import Links, published

LINKS = Links(repository="https://github.com/acme/wavekit")


@pytest.mark.parametrize(
    "address",
    [
        "https://rocm.docs.amd.com/projects/HIP/en/latest/",
        "https://github.com/ROCm/HIP/issues/1",
        "https://github.com/llvm/llvm-project/blob/main/llvm/docs/AMDGPUUsage.rst",
        "https://github.com/ROCm",
        "https://github.com/ROCm/HIP",
        "https://docs.github.com/en/a..b/c.html?x=../y",
    ],
)
def test_a_publisher_that_we_know_may_be_linked(address: str) -> None:
    assert published(address) == address


def test_a_page_of_our_own_is_completed() -> None:
    assert (
        published("docs/rules/warp-mask-32.md")
        == "https://github.com/org/rocm-ci/blob/main/docs/rules/warp-mask-32.md"
    )


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "http://rocm.docs.amd.com/",
        "https://evil.example/",
        "https://github.com/mallory/rocm-ci",
        "https://github.com",
        "https://rocm.docs.amd.com@evil.example/",
        "https://rocm.docs.amd.com.evil.example/",
        "https://rocm.docs.amd.com:8443/",
        "javascript:alert(1)",
        "docs/../../evil.md",
        "docs/rules/x.md)](https://evil.example",
        "https://rocm.docs.amd.com/a)b",
        "https://rocm.docs.amd.com/a b",
        "https://rocm.docs.amd.com/\nx",
        "https://[::1",
        "//rocm.docs.amd.com/",
        "https://github.com/ROCm/../mallory/rocm-ci",
        "https://github.com/ROCm/%2E%2e/mallory/rocm-ci",
        "https://github.com/./mallory/rocm-ci",
        "https://github.com/ROCm/..",
        "https://github.com//mallory/ROCm",
        "https://rocm.docs.amd.com/../x",
        "https://github.com/ROCm/HIP/files/123/driver.zip",
        "https://github.com/ROCm/HIP/assets/123/driver.zip",
        "https://github.com/ROCm/HIP/releases/download/v1/driver.zip",
    ],
)
@pytest.mark.attack("6", "links in a report that lead elsewhere than they seem to")
def test_any_other_address_is_not_linked(address: str | None) -> None:
    assert published(address) is None


def test_a_place_is_linked_at_the_commit_that_was_looked_at() -> None:
    assert (
        LINKS.place("9d1e0b7", "csrc/a b#c.hip", 41)
        == "https://github.com/acme/wavekit/blob/9d1e0b7/csrc/a%20b%23c.hip#L41"
    )


@pytest.mark.parametrize(
    ("sha", "path"),
    [("main", "a"), ("9d1e0b7", "/etc/passwd"), ("9d1e0b7", "../../x"), ("", "a"), ("9d1e0b7)", "a")],
)
def test_a_place_outside_of_the_commit_is_not_linked(sha: str, path: str) -> None:
    assert LINKS.place(sha, path, 1) is None


def test_a_path_that_is_not_utf8_does_not_break_the_link() -> None:
    assert LINKS.place("9d1e0b7", "a\udcff)", None) == "https://github.com/acme/wavekit/blob/9d1e0b7/a%3F%29"


def test_without_a_repository_nothing_is_linked() -> None:
    assert Links().commit("9d1e0b7") is None
    assert Links(repository="https://x/(a)/b").commit("9d1e0b7") is None
