from __future__ import annotations

import pytest

from rocm_ci.gpu.system import system


@pytest.mark.parametrize(
    ("pretty", "found"),
    [
        ("Ubuntu 24.04.2 LTS", ("ubuntu", "24.04")),
        ("Red Hat Enterprise Linux 9.4 (Plow)", ("rhel", "9.4")),
        ("SUSE Linux Enterprise Server 15 SP7", ("sles", "15.7")),
        ("SUSE Linux Enterprise Server 16.0", ("sles", "16.0")),
        ("Debian GNU/Linux 12 (bookworm)", ("debian", "12")),
        ("Oracle Linux Server 8.9", ("ol", "8.9")),
        ("Rocky Linux 9.5 (Blue Onyx)", ("rocky", "9.5")),
        ("AlmaLinux 8.10 (Cerulean Leopard)", ("almalinux", "8.10")),
        ("Microsoft Azure Linux 3.0", ("azurelinux", "3.0")),
        ("CentOS Linux 7 (Core)", ("centos", "7")),
        ("Arch Linux", None),
        (None, None),
    ],
)
def test_a_name_is_an_id_and_a_version(pretty: str | None, found: tuple[str, str] | None) -> None:
    assert system(pretty) == found
