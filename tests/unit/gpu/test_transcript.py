from __future__ import annotations

import pytest

from rocm_ci.gpu.transcript import sections


@pytest.mark.parametrize(
    "prompt",
    [
        "$ ",
        "# ",
        "user@host:~/x$ ",
        "[root@host work]# ",
        "(venv) root@pod:/# ",
        "(base) [ci@node07 work]$ ",
        "❯ ",
        "➜  work ",
    ],
)
def test_prompts_of_many_shells_are_known(prompt: str) -> None:
    assert list(sections(f"{prompt}rocminfo\nAgent 1\n{prompt}sudo amd-smi list\nGPU: 0\n")) == [
        ("rocminfo", "Agent 1\n"),
        ("sudo amd-smi list", "GPU: 0\n"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Results\nGPU: 0\n",
        "# A comment about rocminfo\n",
        "price: 5 $ per hour\n",
        "$$ x\n",
        "GPU use (%): 3\n",
    ],
)
def test_headlines_and_comments_are_no_prompts(text: str) -> None:
    assert list(sections(text)) == []


def test_what_stands_before_the_first_prompt_is_kept() -> None:
    assert list(sections("gfx90a\n$ uname -r\n6.8.0\n")) == [("", "gfx90a\n"), ("uname -r", "6.8.0\n")]


def test_a_command_of_which_nothing_is_known_ends_the_output_before_it() -> None:
    """With the user's name before it a prompt is certain, whatever was typed."""
    found = list(sections("me@box:~$ cat /proc/version\nLinux\nme@box:~$ ./run.sh\n192\n"))

    assert found == [("cat /proc/version", "Linux\n"), ("./run.sh", "192\n")]
