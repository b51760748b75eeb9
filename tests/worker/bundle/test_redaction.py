import random
import string

import pytest

from worker.bundle.redaction import Redactor, scan

_RANDOM = random.Random(7)


def token(length, alphabet=string.ascii_letters + string.digits):
    return "".join(_RANDOM.choice(alphabet) for _ in range(length))


# Built at run time, so that no scanner mistakes this file for a leak.
SECRETS = {
    "github_token": "ghp_" + token(36),
    "byogpu_token": "byo_t_0123456789ab_" + token(43),
    "hugging_face_token": "hf_" + token(34),
    "aws_access_key": "AKIA" + token(16, string.ascii_uppercase),
    "model_api_key": "sk-" + "proj-" + token(40),
    "slack_token": "xoxb-" + token(24),
    "json_web_token": f"eyJ{token(20)}.eyJ{token(30)}.{token(40)}",
    "url_password": f"https://bot:{token(20)}@example.org/repo.git",
    "signed_url": f"https://bucket.example.org/x?X-Amz-Signature={token(64, 'abcdef0123456789')}",
    "authorization": "Authorization: Bearer " + token(40),
    "assigned_secret": f"DB_PASSWORD={token(16)}",
    "private_key": "-----BEGIN " + "PRIVATE KEY-----\n" + token(64) + "\n-----END " + "PRIVATE KEY-----",
}

INNOCENT = [
    "tokens per second: 256.4; total_token_throughput 1234",
    "the password field is required",
    "sha256 " + "ab12" * 16,
    "max_tokens=128 temperature=0 stop_token_ids=[1, 2]",
    "tokenizer_digest " + "0f" * 32,
    "https://example.org/path?page=2&sort=sig",
    "bearer of bad news, basic training",
    "GET /v1/completions HTTP/1.1 200",
    "model.layers.12.self_attn.q_proj.weight",
]


@pytest.mark.parametrize("kind", SECRETS)
def test_each_kind_of_secret_is_masked_counted_and_found(kind):
    redactor = Redactor()
    text = f"before {SECRETS[kind]} after"
    masked = redactor.text(text, where="log")
    assert f"[masked {kind}]" in masked
    assert masked.startswith("before ")
    assert [(m.where, m.kind, m.count) for m in redactor.receipt().masked] == [("log", kind, 1)]
    assert kind in {hit.kind for hit in scan(text.encode())}
    assert scan(masked.encode()) == ()


@pytest.mark.parametrize("text", INNOCENT)
def test_prose_and_numbers_are_left_alone(text):
    assert Redactor().text(text, where="log") == text
    assert scan(text.encode()) == ()


def test_private_names_of_the_machine_are_masked_as_whole_words():
    redactor = Redactor({"buildbox-17": "host_name"})
    masked = redactor.text("on buildbox-17 in buildbox-170", where="log")
    assert masked == "on [masked host_name] in buildbox-170"


def test_a_secret_across_a_window_border_is_found():
    secret = SECRETS["github_token"].encode()
    data = b" " * ((1 << 20) - 10) + secret + b" "
    assert [hit.offset for hit in scan(data)] == [(1 << 20) - 10]


def test_scanning_is_linear_on_hostile_input():
    # Patterns have bounded repeats; each of these made an unbounded version quadratic.
    for data in (b"-" * 200_000, b"eyJ" * 70_000, b"://" + b"a:" * 100_000, b"password" * 30_000):
        scan(data)
