from __future__ import annotations

from typing import Any

from rocm_ci.gpu.documents import documents


def has_gpu(value: Any) -> bool:
    return isinstance(value, dict) and "gpu" in value


def test_a_document_is_found_between_warnings_with_braces() -> None:
    text = 'WARNING: low power {see documentation}\n{"gpu": 0}\nWARNING: [one] command failed\n'

    assert documents(text, has_gpu) == [{"gpu": 0}]


def test_the_complete_parts_of_a_cut_off_document_are_kept() -> None:
    text = '{"gpu_data": [{"gpu": 0, "asic": {"device_id": "0x74a1"}}, {"gpu": 1, "asic": {"dev'

    assert documents(text, has_gpu) == [{"gpu": 0, "asic": {"device_id": "0x74a1"}}]


def test_several_documents_in_one_stream_are_all_found() -> None:
    assert documents('{"gpu": 0} noise {"gpu": 1}', has_gpu) == [{"gpu": 0}, {"gpu": 1}]


def test_endless_nesting_is_given_up_and_never_raises() -> None:
    assert documents("[" * 200_000, has_gpu) == []
    assert documents('{"a":' * 50_000, has_gpu) == []


def test_a_number_of_five_thousand_digits_is_no_crash() -> None:
    assert documents('{"gpu": ' + "9" * 5000 + "}", has_gpu) == []
