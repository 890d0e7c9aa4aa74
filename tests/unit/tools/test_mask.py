"""What a log may show: no secret, no home, no host, no serial number; and everything else as it was."""

from __future__ import annotations

import contextlib
import io
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.tools.mask import Mask

# Made up; put together so that no scanner of this repository takes them for real ones.
LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA" + "bC2dF4"
SECRETS = {
    "ghp": "ghp_" + LETTERS[:36],
    "ghs": "ghs_" + LETTERS[:36],
    "pat": "github_pat_" + LETTERS[:22] + "_" + LETTERS,
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "aws-session": "ASIA" + "IOSFODNN7EXAMPLE",
    "slack": "xoxb-" + "123456789012-" + LETTERS[:24],
    "hugging-face": "hf_" + LETTERS[:34],
    "openai": "sk-proj-" + LETTERS,
    "anthropic": "sk-ant-" + "api03-" + LETTERS,
    "stripe": "sk_live_" + LETTERS[:24],
    "npm": "npm_" + LETTERS[:36],
    "pypi": "pypi-AgEI" + LETTERS + LETTERS,
    "gitlab": "glpat-" + LETTERS[:20],
    "google": "AIza" + LETTERS[:35],
    "docker": "dckr_pat_" + LETTERS[:27],
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + LETTERS,
}  # fmt: skip
KEY = "\n".join(
    ["-----BEGIN RSA PRIVATE " + "KEY-----", *(LETTERS for _ in range(20)), "-----END RSA PRIVATE KEY-----"]
)
mask = Mask()


@pytest.mark.attack("15", "tokens of GitHub, AWS, Slack, Hugging Face, OpenAI, npm, PyPI and others in a log")
@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize(
    "line", ["{}", "using {}", "x={}", 'auth("{}")', "<t>{}</t>", "?access={}&a=1", "{}\n", r"a\n{}\nb"]
)
def test_a_token_is_hidden_wherever_it_stands(kind: str, line: str) -> None:
    shown = mask.text(line.format(SECRETS[kind]))

    assert shown == line.format("***")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("password=hunter2", "password=***"),
        ("DB_PASSWORD: 'correct horse'", "DB_PASSWORD: '***'"),
        ('{"password": "hunter2", "a": 1}', '{"password": "***", "a": 1}'),
        (r'"{\"password\": \"hunter2\"}"', r'"{\"password\": \"***\"}"'),
        ("<property name=password=&quot;hunter2&quot;/>", "<property name=password=&quot;***&quot;/>"),
        ("export WANDB_API_KEY=" + "0123456789abcdef" * 2, "export WANDB_API_KEY=***"),
        ("secret: s3cr3tvalue", "secret: ***"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "aws_secret_access_key = ***"),
        ("curl -H 'Authorization: Bearer abcdef0123456789'", "curl -H 'Authorization: Bearer ***'"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic ***"),
        ("git clone https://bob:hunter2@git.example/x", "git clone https://***@git.example/x"),
        ("https://" + LETTERS[:24] + "@git.example/x", "https://***@git.example/x"),
        ("tool --token abcd1234efgh --verbose", "tool --token *** --verbose"),
        ("https://b.example/o?sv=1&sig=abcDEF123%2B&se=2", "https://b.example/o?sv=1&sig=***&se=2"),
    ],
)
def test_a_value_is_hidden_by_the_name_before_it(line: str, shown: str) -> None:
    assert mask.text(line) == shown


@pytest.mark.attack("15", "a private key that is printed into a log, whole or in parts")
def test_a_private_key_is_hidden_whole_or_in_parts() -> None:
    assert mask.text(f"before\n{KEY}\nafter") == "before\n*** (a private key)\nafter"
    assert mask.text(f"before\n{KEY[: len(KEY) // 2]}") == "before\n*** (a private key)"
    assert mask.text(f"{KEY[len(KEY) // 2 :]}\nafter").endswith("*** (a private key)\nafter")
    assert LETTERS not in mask.text(KEY.replace("\n", "\\n"))


def test_a_key_without_an_end_does_not_take_the_rest_of_the_log_along() -> None:
    head = KEY.split("\n")[0]

    assert (
        mask.text(f"{head}\nAssertionError: no key\nmore")
        == "*** (a private key)\nAssertionError: no key\nmore"
    )


@pytest.mark.attack("15", "home folders in paths, flags, coloured compiler output and addresses")
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("/home/alice/x.hip:3: error", "~/x.hip:3: error"),
        ("-I/home/alice/include -L/home/alice/lib", "-I~/include -L~/lib"),
        ("\x1b[01m\x1b[K/home/alice/x.hip:3:\x1b[m", "\x1b[01m\x1b[K~/x.hip:3:\x1b[m"),
        ("PATH=/usr/bin:/home/alice.b/bin:/root/bin", "PATH=/usr/bin:~/bin:~/bin"),
        ('File "/Users/alice/x.py", line 3', 'File "~/x.py", line 3'),
        ("file:///home/alice/x", "file://~/x"),
        (r"C:\Users\Alice\x and c:/users/bob/y", r"~\x and ~/y"),
        (r"'a\n/home/alice/x'", r"'a\n~/x'"),
        ("cd /root", "cd ~"),
        ("(/home/alice)", "(~)"),
    ],
)
def test_homes_become_a_tilde(line: str, shown: str) -> None:
    assert mask.text(line) == shown


@pytest.mark.attack("15", "host names and private addresses of the machine room")
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("ssh node-17.cluster.internal", "ssh [host]"),
        ("on ip-10-0-0-1.ec2.internal:", "on [host]:"),
        ("redis.default.svc.cluster.local:6379", "[host]:6379"),
        ("Alices-MacBook.local", "[host]"),
        ("user@gpu01.corp", "user@[host]"),
        ("tcp://10.1.2.3:29500", "tcp://[address]:29500"),
        ("MASTER_ADDR=10.1.2.3", "MASTER_ADDR=[address]"),
        ("inet 192.168.1.7/24", "inet [address]/24"),
        ("from 172.17.0.2 port 22", "from [address] port 22"),
        ("link/ether aa:bb:cc:dd:ee:ff brd", "link/ether [address] brd"),
    ],
)
def test_hosts_and_addresses_have_no_name(line: str, shown: str) -> None:
    assert mask.text(line) == shown


@pytest.mark.attack(
    "15", "serial numbers and identifiers of GPUs as rocm-smi, amd-smi and rocminfo print them"
)
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("GPU[0]\t\t: Unique ID: 0x8f2a3b4c5d6e7f80", "GPU[0]\t\t: Unique ID: ***"),
        ("GPU[0]\t\t: Serial Number: 692231000123", "GPU[0]\t\t: Serial Number: ***"),
        ('"Unique ID": "0x8f2a3b4c5d6e7f80",', '"Unique ID": "***",'),
        ("card0,0x8f2a3b4c5d6e7f80,692231000123", "card0,***,***"),
        ("        ASIC_SERIAL: 0xABCDEF0123456789", "        ASIC_SERIAL: ***"),
        ('"asic_serial": "0xABCDEF0123456789"', '"asic_serial": "***"'),
        ("        UUID: b5ff74a1-0000-1000-80a8-2f3cf1e0b9d7", "        UUID: ***"),
        ("gpu 0 b5ff74a1-0000-1000-80a8-2f3cf1e0b9d7", "gpu 0 ***"),
        ("  Uuid:                    GPU-7f1e2d3c4b5a6978", "  Uuid:                    GPU-***"),
        ("GPU-7f1e2d3c-4b5a-6978-1234-123456789abc", "GPU-***"),
        ("        PRODUCT_SERIAL: PCB0123456-0089", "        PRODUCT_SERIAL: ***"),
    ],
)
def test_identifiers_of_a_card_are_hidden(line: str, shown: str) -> None:
    assert mask.text(line) == shown


ORDINARY = r"""
commit 9d1e0b7c1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d against 3f2c1ab
sha256:1c9d5e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5
csrc/reduce.hip:41:18: error: use of undeclared identifier '__shfl_down_sync'
./build/lib/home/users/root/x.o and src/home/alice.cpp and ${ROOT}/home/x and a/root/b
https://example.com/home/alice https://example.com/Users/alice https://git.example/root/x
gfx90a:sramecc+:xnack- gfx942 gfx1030 --offload-arch=gfx90a
void row_sum<float, 256>(float const*, float*, int) [clone .kd]
_ZN7rocprim6detail16reduce_kernelILb0ENS_14default_configEEEvPKfPfm
Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN_AMAS3_ASE_ASGT_ASLT_ASEM_AAC0_BL1
max error 0.48123456789, bound 1e-05; 1.2345678901234567 -3.4e+38 nan inf
mask 0xffffffffffffffffull at 0x7f3a2b4c5d6e, 0x8f2a3b4c5d6e7f80
[ 12%] Building HIP object CMakeFiles/x.dir/reduce.hip.o
tests/test_tokenizer.py::test_token[10.5-api_key] PASSED
max_new_tokens=4096 eos_token: </s> pad_token=<|endoftext|> token_ids=[1, 2, 3] num_tokens: 128
tokenizer=meta-llama/Llama-3.1-8B time_to_first_token=123.456ms time_per_output_token: 12.5ms
error: unexpected token: identifier1234 ; expected token: r_brace99
def login(password: str, token: Optional[str] = None, api_key: str | None = None) -> None:
password = os.environ["DB_PASSWORD"]; token: ${{ secrets.GITHUB_TOKEN }}; secret=$SECRET
Password: incorrect
nvidia-curand-cu12==10.3.2.106 and curand 10.3.2.106 and cudnn 9.1.0.70, version 172.1.2
0000:05:00.0 VGA compatible controller 1002:74a1 (rev 10)
torch.distributed.internal module and layer1.local and self.local and std.internal.x
12:34:56.789 2026-11-30T13:54:07Z 13:54:07
GPU-XX  Uuid: GPU-XX  Serial Number: N/A  Unique ID: N/A
import uuid; x = uuid.uuid4() ; uuid: Optional[UUID]
GPU[0] : Card Series: AMD Instinct MI300X, card0,AMD Instinct MI300X,0x74a1
basic documentation-something, bearer of bad news
sk-learn-contrib and task-scheduler-with-a-very-long-name-indeed
-----BEGIN CERTIFICATE-----
ssh git@github.com:acme/wavekit.git git+ssh://git@github.com/acme/wavekit
torch 2.8.0+rocm6.4 at /opt/rocm-6.4.1/lib/librocblas.so.4 in /workspace/acme/wavekit
hipErrorNoBinaryForGpu: Unable to find code object for all current devices!
row_sum/4096 +8.4 % [+7.6 … +9.1], p=0.0002, key=value, cache key: gfx942-mi300x
""".strip().split("\n")


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_lines_stay_as_they_are(line: str) -> None:
    assert mask.text(line) == line


@given(
    st.integers(0, 2**160 - 1), st.floats(), st.integers(0, 2**64 - 1), st.sampled_from(["9", "90a", "942"])
)
def test_commits_floats_pointers_and_targets_are_never_hidden(
    sha: int, value: float, word: int, gfx: str
) -> None:
    line = (
        f"{sha:040x} {value!r} {value:.3e} {word:#018x} {word:#x} gfx{gfx} wave{word % 64} {sha % 10**7:07d}"
    )

    assert mask.text(line) == line


@given(st.lists(st.sampled_from(["reduce", "row_sum", "test", "kernel", "csrc", "x", "float4", "v2", "a-b"]), min_size=1, max_size=8),
       st.sampled_from(["/", "::", ".", "_", "<", ", ", " "]))  # fmt: skip
def test_paths_of_the_checkout_and_names_of_kernels_are_never_hidden(parts: list[str], between: str) -> None:
    line = between.join(parts)

    assert mask.text(line) == line
    assert mask.is_clean(line)


PIECES = [*SECRETS.values(), "password=", "token: ", "/home/alice", "/root", KEY, "\n", " ", "\\n", '"', "'", "&quot;", "=",
          "10.0.0.5:80", "GPU-7f1e2d3c4b5a6978", "card1,", "0x8f2a3b4c5d6e7f80", "x.internal", "-----BEGIN ", "PRIVATE KEY-----",
          "serial: ", "12345678", "\u0130", "\ud800", "://a:b@", "--token ", "Bearer "]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))
def test_what_was_masked_is_not_masked_again(text: str) -> None:
    once = mask.text(text)

    assert mask.text(once) == once


@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(string.printable, max_size=20)), max_size=12).map(
        "".join
    )
)
def test_text_without_anything_to_hide_is_the_same_object(text: str) -> None:
    shown = mask.text(text)

    assert (shown is text) or shown != text or not mask.is_clean(text)
    assert not (mask.is_clean(text) and shown != text)


def test_the_names_of_this_machine_are_hidden_long_and_short() -> None:
    own = Mask(hosts=["mi300x-07.example.net", "runner", "", "gpu"])

    assert own.text("on MI300X-07.example.net and mi300x-07: ok") == "on [host] and [host]: ok"
    assert own.text("the runner has a gpu; xmi300x-07y") == "the runner has a gpu; xmi300x-07y"


def test_secrets_that_are_known_are_hidden_by_value() -> None:
    own = Mask(secrets=["correct horse battery", "short", "", " " * 12, "correct horse battery staple"])

    assert own.text("xcorrect horse battery staplex, short") == "x***x, short"


BUSY = {
    "hosts": "a.b-1." * 9_000 + "internal",
    "cards": "card1," * 9_000,
    "flags": "--" + "a-" * 30_000 + "token ",
    "passwords": 'password="' * 6_000,
    "addresses": "://a:" * 12_000,
    "keys": "-----BEGIN PRIVATE KEY-----\n" * 2_000,
    "ends": ("A" * 16 + "\n") * 3_000 + "-----END PRIVATE KEY-----x",
    "tokens": "sk-" * 20_000,
    "signs": "token" + " " * 60_000 + "=",
    "quotes": "token=" + "\\" * 60_000 + '"',
    "homes": "/home/" + "a." * 30_000,
    "serials": "serial:" * 9_000,
}


@pytest.mark.timeout(60)
@pytest.mark.attack("input", "text made to keep the search for secrets busy for ever")
@pytest.mark.parametrize("kind", BUSY)
def test_text_made_to_keep_it_busy_is_masked_all_the_same(kind: str) -> None:
    assert isinstance(mask.text(BUSY[kind] * 4), str)


def written(chunks: list[bytes]) -> bytes:
    sink = io.BytesIO()
    with mask.over(sink) as stream:
        for chunk in chunks:
            assert stream.write(chunk) == len(chunk)
    return sink.getvalue()


@given(st.integers(1, 400))
def test_a_stream_hides_what_is_cut_between_two_chunks(size: int) -> None:
    log = f"one /home/alice\n{SECRETS['ghp']}\n\n{KEY}\nno end of line {SECRETS['npm']}".encode()

    shown = written([log[at : at + size] for at in range(0, len(log), size)])

    assert shown == b"one ~\n***\n\n*** (a private key)\nno end of line ***"


def test_bytes_that_are_no_text_come_out_as_they_went_in() -> None:
    log = b"\xff\xfe\x00 /home/alice \x80\n\r\n\xc3"

    assert written([log]) == b"\xff\xfe\x00 ~ \x80\n\r\n\xc3"
    assert written([b""]) == b""


def test_a_line_without_an_end_and_a_key_without_an_end_are_not_held_back_for_ever() -> None:
    sink = io.BytesIO()
    with mask.over(sink) as stream:
        stream.write(b"x" * 70_000)
        assert len(sink.getvalue()) == 70_000
        stream.write(b"\n" + KEY[:40].encode() + b"\n" + b"no key at all\n" * 6_000)
        assert b"no key at all" in sink.getvalue()


def test_a_log_that_was_broken_off_is_still_written() -> None:
    sink = io.BytesIO()
    with contextlib.suppress(KeyboardInterrupt), mask.over(sink) as stream:
        stream.write(b"half a line")
        raise KeyboardInterrupt

    assert sink.getvalue() == b"half a line"
