"""What only the command around it gives away is hidden; what looks like it stays."""

from __future__ import annotations

import pytest

from rocm_ci.tools.mask import Mask

PASSWORD = "S3cret" + "Pass99"
SIXTY = "bC2dF4gH6j" * 7
mask = Mask()


@pytest.mark.attack("15", "passwords on command lines, in netrc and in the configuration of Docker")
@pytest.mark.parametrize(
    "line",
    [
        "docker login -u ci -p {} registry.example.com",
        "podman login reg.example --username=ci -p '{}'",
        "sshpass -p {} ssh ci@machine",
        "curl -u admin:{} https://store.example/",
        "+ curl --fail --user 'admin:{}' -O https://store.example/x",
        "machine api.example login user password {}",
        "export DB_PASS={}",
        "DB_PASS: {}",
        'declare -x GITLAB_PAT="{}"',
    ],
)
def test_a_password_is_hidden_by_its_command(line: str) -> None:
    assert mask.text(line.format(PASSWORD)) == line.format("***")


@pytest.mark.attack("15", "keys of W&B, Artifactory, NVIDIA and web hooks in a log")
@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("wandb login {}", "0123456789abcdef0123" * 2),
        ("wandb login --relogin {}", "0123456789abcdef0123" * 2),
        ('{{"auths": {{"r": {{"auth": "{}"}}}}}}', "Y2k6UzNjcmV0UGFzczk5IQ=="),
        ("{} is the key", "nvapi-" + SIXTY),
        ('-H "X-JFrog-Art-Api: {}"', "AKCp" + SIXTY[:69]),
        ("https://discord.com/api/webhooks/123456789012345678/{}", SIXTY[:60]),
    ],
)
def test_a_key_is_hidden_by_what_is_around_it(line: str, secret: str) -> None:
    assert mask.text(line.format(secret)) == line.format("***")


@pytest.mark.attack("15", "hosts and addresses in prompts, RCCL's log and the environment of ssh")
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("alice@mi250-rack4-07:/work$ make", "alice@[host]:/work$ make"),
        ("(base) alice@mi250-rack4-07:~/x$ make", "(base) alice@[host]:~/x$ make"),
        ("[alice@mi250-rack4-07 build]$ make", "[alice@[host] build]$ make"),
        ("Bootstrap : Using eth0:10.216.64.12<0>", "Bootstrap : Using eth0:[address]<0>"),
        ("eth1:fe80::a2b:3cff:fe4d:5e6f%eth1<0>", "eth1:[address]%eth1<0>"),
        ("[1] fe80::a2b:3cff:fe4d:5e6f%eth1", "[1] [address]%eth1"),
        ("inet6 fd12:3456:789a:1::1/64 scope global", "inet6 [address]/64 scope global"),
        ("Master addr: 10.0.3.17, port 29500", "Master addr: [address], port 29500"),
        ("SSH_CLIENT=10.1.2.3 5555 22", "SSH_CLIENT=[address] 5555 22"),
        ("SSH_CONNECTION=10.1.2.3 5555 10.1.2.4 22", "SSH_CONNECTION=[address] 5555 [address] 22"),
    ],
)
def test_a_host_is_hidden_by_its_program(line: str, shown: str) -> None:
    assert mask.text(line) == shown
    assert mask.text(shown) == shown


@pytest.mark.parametrize(
    "line",
    [
        "docker login -u ci -p $PASSWORD registry.example.com",
        "docker login -u ci --password-stdin registry && mkdir -p build1/x",
        "test_login[a-p1] -p no:cacheprovider tests/test_login.py",
        "curl -u $USER:$PASSWORD https://store.example/",
        "curl -L https://github.com/o/r -o x",
        "NUM_PASS=12 FIRST_PASS: inline SECOND_PASS=dce",
        "first_pass=gvn1 -passes=loop2",
        "wandb login",
        'auth: "none"  "auth": true',
        "fe80::1",
        "git@github.com:o/r.git",
        "@pytest.mark.parametrize # one",
        "rocblas: 10.3.2.106 addr 10",
        "/home/conda/feedstock_root/build_artifacts/hip",
        "the machine was slow, so the login of password checks failed",
    ],
)
def test_ordinary_lines_stay(line: str) -> None:
    assert mask.text(line) == line
