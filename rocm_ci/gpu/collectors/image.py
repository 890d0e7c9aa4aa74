"""The container image we run in: as the launcher, podman or docker names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rocm_ci.gpu.documents import documents
from rocm_ci.gpu.observation import Collector, Observation, Value
from rocm_ci.gpu.quantity import word
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_NAME = re.compile(r"[\w][\w.:/@-]{0,250}")
# From inside a container nobody can ask docker what it was started from; a recording may tell.
INSPECT = Tool(
    name="docker inspect",
    commands=(),
    recognise=lambda t: '"RepoDigests"' in t or ('"Image": "' in t and '"Config"' in t and "sha256:" in t),
)


# What `docker pull`, `docker images --digests` and `kubectl describe pod` print.
_PULLED = re.compile(
    r"(?m)^Digest: (?P<digest>sha256:[0-9a-f]{64})\nStatus: [^\n]{0,60} for (?P<name>[\w.:/-]{1,250})$"
)
_LISTED = re.compile(
    r"(?m)^(?P<name>[\w.:/-]{1,200}) +(?P<tag>[\w.-]{1,128}|<none>) +(?P<digest>sha256:[0-9a-f]{64}) "
)
_POD = re.compile(
    r"(?m)^ +Image: +(?P<name>[\w.:/@-]{1,250})\n"
    r" +Image ID: +[\w.:/-]{1,250}@(?P<digest>sha256:[0-9a-f]{64})$"
)
PRINTED = Tool(
    name="docker", commands=(), recognise=lambda t: any(p.search(t) for p in (_PULLED, _LISTED, _POD))
)


def collect(reader: Reader) -> Observation:
    """The name as it was given and, where that or docker tells it, the digest."""
    given = word(reader.environment.get("ROCM_CI_IMAGE")) or _podman(reader)
    values: dict[str, Value] = {}
    told = [_described(o.text) for o in reader.ask(INSPECT).outputs]
    told += [_printed(o.text) for o in reader.ask(PRINTED).outputs]
    for found in [_named(given), *told]:
        for key, value in found.items():
            values.setdefault(key, value)
    return Observation(source="image", host=values)


def _podman(reader: Reader) -> str | None:
    """`/run/.containerenv` of a privileged container: `image="docker.io/rocm/pytorch:latest"`."""
    found = re.search(r'(?m)^image="([^"\n]{1,300})"$', reader.text("/run/.containerenv") or "")
    return word(found.group(1)) if found else None


def _named(text: str | None) -> dict[str, Value]:
    if not text or not _NAME.fullmatch(text):
        return {}
    digest = _DIGEST.search(text)
    values: dict[str, Value] = {"image": text}
    if digest:
        values["image_digest"] = digest.group()
    return values


def _described(text: str) -> dict[str, Value]:
    """`docker inspect` of a container or of an image. An image's id is no digest of a registry."""
    for entry in documents(text, lambda v: isinstance(v, dict) and ("RepoDigests" in v or "Config" in v)):
        digests = _texts(entry.get("RepoDigests"))
        tags = _texts(entry.get("RepoTags"))
        config = entry.get("Config") if isinstance(entry.get("Config"), dict) else {}
        name = next(iter(tags), None) or word(config.get("Image"))
        found = _named(name) | _named(next(iter(digests), None) if not name else None)
        pinned = next((d.group() for text in digests if (d := _DIGEST.search(text))), None)
        if pinned:
            found["image_digest"] = pinned
        if found:
            return found
    return {}


def _printed(text: str) -> dict[str, Value]:
    """The only image that a text tells of; of several nobody knows which was used."""
    found = [match for pattern in (_PULLED, _LISTED, _POD) for match in pattern.finditer(text)][:2]
    if len(found) != 1:
        return {}
    said = found[0].groupdict()
    tag = said.get("tag") or "<none>"
    name = said["name"] if tag == "<none>" else f"{said['name']}:{tag}"
    return {"image": name, "image_digest": said["digest"]}


def _texts(value: Any) -> list[str]:
    return [item for item in value[:64] if isinstance(item, str)] if isinstance(value, list) else []


COLLECTOR: Collector = Collector(name="image", collect=collect)
