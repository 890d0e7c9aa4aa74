from __future__ import annotations

import errno
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rocm_ci.gpu.checks import nodes
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.checks.nodes import Node
from rocm_ci.gpu.checks.process import Process
from rocm_ci.model.facts import Facts, Gpu, Host
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict
from rocm_ci.tools.process import Captured
from tests.fakes import FakeRunner, MemoryReader

ONE = Facts(gpus=(Gpu(index=0, render="renderD128"),))
INSIDE = Facts(gpus=ONE.gpus, host=Host(container="docker"))
WANTS_ONE = Needs(wanted={"suite unit": 1})
KFD = Node(path="/dev/kfd", exists=True, gid=992, mode=0o660, group="render", refused=0)
RENDER = Node(path="/dev/dri/renderD128", exists=True, gid=109, mode=0o660, group="render", refused=0)


@dataclass
class Opener(FakeRunner):
    """Answers what opening each path gave; without answers it does not come back."""

    codes: dict[str, int] | None = field(default_factory=dict)

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        stdin: bytes = b"",
        limit: int | None = None,
    ) -> Captured:
        if self.codes is None:
            return Captured(argv=tuple(argv), exit_code=-9, timed_out=True)
        said = {path: code for path in argv for name, code in self.codes.items() if path.endswith(name)}
        return Captured(argv=tuple(argv), exit_code=0, stdout=json.dumps(said).encode())


def access(
    *found: Node, facts: Facts = INSIDE, process: Process | None = None, needs: Needs = WANTS_ONE
) -> Check:
    machine = Machine(facts=facts, nodes=found, process=process or Process())
    return nodes.device_access(machine, needs)


def test_nodes_are_looked_at_with_number_and_name_of_their_group(tmp_path: Path) -> None:
    (tmp_path / "dev" / "dri").mkdir(parents=True)
    (tmp_path / "dev" / "kfd").touch()
    (tmp_path / "dev" / "kfd").chmod(0o660)
    gid = (tmp_path / "dev" / "kfd").stat().st_gid
    reader = MemoryReader(files={"/etc/group": f"root:x:99999:\nrender:x:{gid}:runner\n"})

    found = nodes.look(ONE, reader, tmp_path, Opener(codes={"/dev/kfd": errno.EPERM}))

    assert found == (
        Node(path="/dev/kfd", exists=True, gid=gid, mode=0o660, group="render", refused=errno.EPERM),
        Node(path="/dev/dri/renderD128", exists=False),
    )
    assert nodes.look(Facts(), reader, tmp_path, None) == ()


def test_a_driver_that_never_answers_is_found_by_the_time_it_takes(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "kfd").touch()

    found = nodes.look(ONE, MemoryReader(), tmp_path, Opener(codes=None))
    check = nodes.device_access(Machine(facts=ONE, nodes=found), WANTS_ONE)

    assert check.status is Verdict.ERROR
    assert "did not come back within 10 s" in check.seen
    assert "driver is stuck" in (check.fix or "")


def test_nodes_that_are_not_mapped_are_asked_for_as_the_container_wants_it() -> None:
    gone = Node(path="/dev/kfd", exists=False)

    def check(container: str | None, needs: Needs = WANTS_ONE) -> Check:
        facts = Facts(gpus=ONE.gpus, host=Host(container=container))
        return nodes.device_nodes(Machine(facts=facts, nodes=(gone, RENDER)), needs)

    assert check("docker").status is Verdict.ERROR
    assert check("docker").seen == "not there in this docker container: /dev/kfd"
    assert check("docker").fix == "start the container with --device=/dev/kfd --device=/dev/dri"
    assert "amd.com/gpu" in (check("kubernetes").fix or "")
    assert "modprobe" in (check(None).fix or "")
    assert check("docker", Needs()).status is Verdict.NEUTRAL


def test_a_container_with_one_of_two_render_nodes_is_usable_for_one_gpu() -> None:
    found = (KFD, RENDER, Node(path="/dev/dri/renderD136", exists=False))
    machine = Machine(facts=INSIDE, nodes=found)

    assert nodes.device_nodes(machine, WANTS_ONE).status is Verdict.NEUTRAL
    assert nodes.device_nodes(machine, Needs(wanted={"suite": 2})).status is Verdict.ERROR
    assert nodes.device_nodes(Machine(facts=INSIDE, nodes=(KFD, RENDER)), WANTS_ONE).status is Verdict.PASS
    assert nodes.device_nodes(Machine(facts=Facts()), WANTS_ONE).status is Verdict.SKIPPED


def test_a_closed_node_names_the_numbers_to_pass_and_no_group_names() -> None:
    closed = [
        Node(path=n.path, exists=True, gid=n.gid, mode=n.mode, group=n.group, refused=errno.EACCES)
        for n in (KFD, RENDER)
    ]

    check = access(*closed)

    assert check.status is Verdict.ERROR
    assert check.seen == (
        "/dev/kfd: permission denied; /dev/dri/renderD128: permission denied; group 109 (render), 992 (render)"
    )
    assert check.fix == "start the container with --group-add 109 --group-add 992"


def test_outside_of_a_container_the_user_joins_the_group() -> None:
    closed = Node(path="/dev/kfd", exists=True, gid=992, mode=0o660, group="render", refused=errno.EACCES)

    assert "usermod -aG render $USER" in (access(closed, facts=ONE).fix or "")


def test_a_node_that_only_root_owns_has_no_group_to_join() -> None:
    closed = Node(path="/dev/kfd", exists=True, gid=0, mode=0o600, group="root", refused=errno.EACCES)

    assert "give the nodes to a group" in (access(closed).fix or "")


def test_a_node_that_the_device_list_refuses_is_no_matter_of_groups() -> None:
    refused = Node(path="/dev/kfd", exists=True, gid=992, mode=0o666, refused=errno.EPERM)

    check = access(refused)

    assert "operation not permitted" in check.seen
    assert "--device=/dev/kfd" in (check.fix or "")


def test_nodes_that_open_pass_and_tell_their_group() -> None:
    check = access(KFD, RENDER)

    assert check.status is Verdict.PASS
    assert check.seen == "2 node(s) open, of group 109 (render), 992 (render)"


def test_where_nobody_tried_owner_and_mode_decide() -> None:
    def status(process: Process, mode: int = 0o660) -> Verdict:
        return access(Node(path="/dev/kfd", exists=True, gid=992, mode=mode), process=process).status

    assert status(Process(uid=1001, gids=frozenset({992}))) is Verdict.PASS
    assert status(Process(uid=1001, gids=frozenset({27}))) is Verdict.ERROR
    assert status(Process(uid=1001, gids=frozenset({992})), 0o640) is Verdict.ERROR
    assert status(Process(uid=1001), 0o666) is Verdict.PASS
    assert status(Process(uid=0)) is Verdict.PASS
    assert status(Process()) is Verdict.SKIPPED
    assert access().status is Verdict.SKIPPED


def test_without_a_dev_to_look_into_nothing_is_missing(tmp_path: Path) -> None:
    found = nodes.look(ONE, MemoryReader(), tmp_path, None)
    machine = Machine(facts=ONE, nodes=found)

    assert found == ()
    for check in (nodes.device_nodes, nodes.device_access):
        assert check(machine, Needs(wanted={"suite": 1})).status is Verdict.SKIPPED
        assert "ls -ln /dev/kfd" in (check(machine, Needs()).fix or "")
