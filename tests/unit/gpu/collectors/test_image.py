from __future__ import annotations

import json

from rocm_ci.gpu.collectors.image import collect
from tests.fakes import MemoryReader

DIGEST = "sha256:" + "0a1b" * 16


def test_the_image_is_what_the_launcher_says() -> None:
    reader = MemoryReader(environment={"ROCM_CI_IMAGE": f"org/rocm-ci@{DIGEST}"})

    assert collect(reader).host == {"image": f"org/rocm-ci@{DIGEST}", "image_digest": DIGEST}


def test_a_tag_is_no_digest() -> None:
    assert collect(MemoryReader(environment={"ROCM_CI_IMAGE": "rocm/pytorch:7.2"})).host == {
        "image": "rocm/pytorch:7.2"
    }


def test_podman_writes_down_what_it_started() -> None:
    file = 'engine="podman-4.9.3"\nname="ci"\nid="9c"\nimage="docker.io/rocm/dev:7.2"\nimageid="77aa"\n'

    assert collect(MemoryReader(files={"/run/.containerenv": file})).host["image"] == "docker.io/rocm/dev:7.2"


def test_docker_describes_an_image_with_its_digest() -> None:
    said = [
        {
            "Id": "sha256:" + "9" * 64,
            "RepoTags": ["rocm/pytorch:7.2"],
            "RepoDigests": [f"rocm/pytorch@{DIGEST}"],
        }
    ]

    found = collect(MemoryReader(recordings=(json.dumps(said),))).host

    assert found == {"image": "rocm/pytorch:7.2", "image_digest": DIGEST}


def test_docker_describes_a_container_whose_image_id_is_no_digest() -> None:
    said = [{"Id": "c0", "Image": "sha256:" + "9" * 64, "Config": {"Image": "rocm/vllm:latest", "Env": []}}]

    assert collect(MemoryReader(recordings=(json.dumps(said, indent=1),))).host == {
        "image": "rocm/vllm:latest"
    }


def test_nothing_and_nonsense_are_no_image() -> None:
    assert collect(MemoryReader()).host == {}
    assert collect(MemoryReader(environment={"ROCM_CI_IMAGE": "x; rm -rf /\n"})).host == {}


def test_of_several_images_nobody_knows_which_was_used() -> None:
    line = "rocm/{}   latest   sha256:{}   9e1f2a3b4c5d   2 weeks ago   29GB\n"
    one, two = line.format("a", "a" * 64), line.format("b", "b" * 64)

    assert collect(MemoryReader(recordings=(one,))).host == {
        "image": "rocm/a:latest",
        "image_digest": "sha256:" + "a" * 64,
    }
    assert collect(MemoryReader(recordings=(one + two,))).host == {}
