"""What messages of the kernel mean: each sign by its samples, and what must not be taken for one."""

from __future__ import annotations

import pytest

from rocm_ci.gpu import kernel_signs
from rocm_ci.gpu.kernel_incidents import Reading
from rocm_ci.gpu.kernel_log import Line
from rocm_ci.gpu.watched import Watched
from rocm_ci.model.incident import IncidentKind

SAMPLES = [(sign, text) for sign in kernel_signs.table() for text in sign.sample]
OURS, OTHER, BRIDGE = "0000:c1:00.0", "0000:c2:00.0", "0000:c0:01.0"
GPU = Watched(id=OURS, label="GPU 3", bus=OURS)


@pytest.mark.parametrize(
    ("sign", "text"), SAMPLES, ids=[f"{sign.id}-{n}" for n, (sign, _) in enumerate(SAMPLES)]
)
def test_each_sample_is_understood_as_its_own_sign(sign: kernel_signs.Sign, text: str) -> None:
    found = kernel_signs.meaning(text)

    assert found is not None
    assert found.sign.id == sign.id


def test_every_sign_has_a_sample_a_source_and_a_kind_unless_the_change_did_it() -> None:
    for sign in kernel_signs.table():
        assert sign.sample, sign.id
        assert sign.sources, sign.id
        assert (sign.kind is None) == (sign.blame == "change"), sign.id
        assert sign.kind is None or sign.kind in {kind.value for kind in IncidentKind}


@pytest.mark.attack("5", "a message of the kernel forged through a name that a program chose")
@pytest.mark.parametrize(
    "text",
    [
        "python3[7]: segfault at 0 ip 0 in amdgpu 0000:c1:00.0: GPU reset begin!.so",
        "traps: Out of memory: Killed process 1[9] general protection fault",
        "Process amdgpu: device lost from bus! (pid: 7) entered refcount state",
        "x INFO: task y:1 blocked for more than 120 seconds.",
        " amdgpu 0000:c1:00.0: device lost from bus!",
        "audit: type=1326 comm=\"BUG: unable to handle\"",
        "amdgpu 0000:c1:00.0: amdgpu: 0 uncorrectable hardware errors detected in umc block",
        "amdgpu 0000:c1:00.0: amdgpu: 3 uncorrectable hardware errors detected in total in umc block",
        "amdgpu 0000:c1:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00000000",
        "amdgpu 0000:c1:00.0: amdgpu: SMU is initialized successfully!",
        "EXT4-fs (sda1): mounted filesystem with ordered data mode",
        "",
        # Names of programs, 15 characters each, and what the kernel says of them.
        "[drmMODE1 reset[7]: segfault at 0 ip 0 sp 0 error 4",
        "[drm]BACO reset[7]: segfault at 0 ip 0 sp 0 error 4",
        "kfd: BACO reset[7]: segfault at 0 ip 0 sp 0 error 4",
        "Oops: [7]: segfault at 0 ip 0 sp 0 error 4",
        "Oops:  invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL)",
        "kernel BUG at x[7]: segfault at 0 ip 0 sp 0 error 4",
        "I/O error, dev [7]: segfault at 0 ip 0 sp 0 error 4",
        "EXT4-fs error[7] trap invalid opcode ip:0 sp:0 error:0",
        "Kernel panic: page allocation failure: order:4, mode:0x40cc0",
        "Kernel panic(7): drop_caches: 3",
        "amdgpu 0000:c1:00.0: amdgpu:  Process BACO reset pid 7 thread BACO reset pid 7",
        "amdgpu 0000:c1:00.0: amdgpu:  for process MODE2 reset pid 7 thread MODE2 reset pid 7)",
        "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process mode1 reset pid 7 thread mode1 reset pid 8",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_sign_is_none(text: str) -> None:
    found = kernel_signs.meaning(text)

    assert found is None


@pytest.mark.attack("5", "a kernel message that makes the patterns slow")
@pytest.mark.parametrize(
    "head", ["amdgpu 0000:c1:00.0: ", "[drm:", "pcieport 0000:00:01.0: ", "INFO: task ", "BUG: "]
)
def test_endless_messages_are_looked_at_only_so_far(head: str) -> None:
    text = head + "bad page " * 200_000

    found = kernel_signs.meaning(text)

    assert found is None or len(found.text) <= kernel_signs.MAX_TEXT


def reading(*devices: Watched, cards: int = 8) -> Reading:
    return Reading(devices=devices, ancestors={d.id: frozenset({BRIDGE}) for d in devices}, cards=cards)


def line(text: str, device: str | None = None) -> Line:
    return Line(1.0, text, device)


HANG = f"amdgpu {OURS}: amdgpu: ring comp_1.0.0 timeout, signaled seq=1, emitted seq=2"
FAULT = f"amdgpu {OURS}: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:32769)"


def test_a_message_about_our_gpu_is_its_fault() -> None:
    (incident,) = reading(GPU).incidents([line(HANG)])

    assert (incident.kind, incident.gpu, incident.is_gpu, incident.is_note) == (
        IncidentKind.GPU_HANG, "GPU 3", True, False,
    )  # fmt: skip
    assert "the same test on another GPU decides" in incident.text


def test_repetitions_are_counted_and_told_once() -> None:
    (incident,) = reading(GPU).incidents([line(HANG)] * 40)

    assert "(40 times)" in incident.text


def test_a_hang_after_a_memory_fault_may_be_the_codes_and_is_not_held_against_the_gpu() -> None:
    (incident,) = reading(GPU).incidents([line(FAULT), line(HANG)])

    assert not incident.is_gpu
    assert "a memory access fault came first" in incident.text


def test_a_memory_fault_alone_is_no_incident() -> None:
    assert reading(GPU).incidents([line(FAULT)]) == []


def test_a_fault_remembered_from_the_last_look_still_counts() -> None:
    watched = reading(GPU)
    watched.incidents([line(FAULT)])

    (incident,) = watched.incidents([line(HANG)])

    assert not incident.is_gpu


def test_hardware_errors_are_never_the_codes() -> None:
    ecc = line(f"amdgpu {OURS}: amdgpu: 1 uncorrectable hardware errors detected in gfx block")

    (incident,) = reading(GPU).incidents([line(FAULT), ecc])

    assert (incident.kind, incident.is_gpu) == (IncidentKind.ECC, True)


def test_a_message_about_another_gpu_is_not_ours() -> None:
    other = line(HANG.replace(OURS, OTHER))

    assert reading(GPU).incidents([other]) == []
    assert not reading(GPU).concerns(other)


def test_the_device_of_the_record_counts_where_the_text_names_none() -> None:
    text = "[drm] RAS event of type ERREVENT_ATHUB_INTERRUPT detected!"

    (ours,) = reading(GPU).incidents([line(text, OURS)])
    assert (ours.gpu, ours.is_gpu) == ("GPU 3", True)
    assert reading(GPU).incidents([line(text, OTHER)]) == []


def test_a_driver_that_names_no_gpu_means_ours_only_where_there_is_no_other() -> None:
    text = line("amdgpu: qcm fence wait loop timeout expired")

    (one_card,) = reading(GPU, cards=1).incidents([text])
    (many,) = reading(GPU, cards=8).incidents([text])

    assert (one_card.gpu, one_card.is_gpu) == ("GPU 3", True)
    assert (many.gpu, many.is_gpu) == (None, False)
    assert reading(cards=8).incidents([text]) == []


def test_the_bridge_above_a_gpu_speaks_for_it_and_any_other_does_not() -> None:
    def down(bridge: str) -> Line:
        return line(f"pcieport {bridge}: pciehp: Slot(15): Link Down")

    (incident,) = reading(GPU).incidents([down(BRIDGE)])

    assert (incident.kind, incident.gpu, incident.is_gpu) == (IncidentKind.GPU_LOST, "GPU 3", True)
    assert reading(GPU).incidents([down("0000:80:01.0")]) == []


def test_trouble_of_the_host_concerns_every_lease_and_no_gpu() -> None:
    text = line("Out of memory: Killed process 4711 (python3) total-vm:1kB")

    for watched in (reading(GPU), reading()):
        (incident,) = watched.incidents([text])
        assert (incident.kind, incident.gpu, incident.is_gpu) == (IncidentKind.OUT_OF_MEMORY, None, False)


def test_notes_explain_no_failure() -> None:
    corrected = line(f"amdgpu {OURS}: 2 new correctable hardware errors detected in umc block")

    (incident,) = reading(GPU).incidents([corrected])

    assert (incident.is_note, incident.is_gpu) == (True, False)


def test_the_most_telling_comes_first() -> None:
    lost = line(f"amdgpu {OURS}: amdgpu: device lost from bus!")

    assert [i.kind for i in reading(GPU).incidents([line(HANG), lost])] == [
        IncidentKind.GPU_LOST,
        IncidentKind.GPU_HANG,
    ]
