import signal

import httpx
import pytest

from k3_decode.config import CONFIGS
from k3_decode.reference.synthetic import write_checkpoint

COMPLETIONS, CHAT = "/v1/completions", "/v1/chat/completions"
OK = {"prompt": "hi", "max_tokens": 2, "temperature": 0, "ignore_eos": True}
HI = [{"role": "user", "content": "hi"}]


def test_health_and_models(client):
    assert client.get("/health").json() == {"status": "ok"}
    [model] = client.get("/v1/models").json()["data"]
    assert (model["id"], model["object"], model["max_model_len"]) == ("k3-tiny", "model", 4096)


def test_the_identity_says_what_runs(client):
    identity = client.get("/identity").json()
    assert identity["model"]["name"] == "k3-tiny"
    assert identity["decode"]["mode"] == "specialized"
    assert identity["decode"]["standing_reasons"] == ["no CUDA device", "kernels not built"]
    assert identity["weights"]["over"] == "config and seed"
    assert set(identity) == {
        "model", "weights", "engine", "dtype", "device", "dequantized_experts", "threads", "decode",
        "tokenizer_sha256", "chat_template_sha256", "packages",
    }  # fmt: skip


def test_the_ledger_counts_the_steps_between_two_resets(client):
    client.post("/ledger/reset")
    client.post(COMPLETIONS, json=OK | {"max_tokens": 5})
    ledger = client.post("/ledger/reset").json()
    assert [(b["phase"], b["rows"], b["stock_steps"], b["specialized_steps"]) for b in ledger["buckets"]] == [
        ("decode", 1, 4, 0),
        ("prefill", 2, 1, 0),
    ]
    assert {each["reason"] for each in ledger["buckets"][0]["reasons"]} == {"no CUDA device", "kernels not built"}
    assert client.get("/ledger").json() == {"buckets": [], "kernel_digests": []}


def test_metrics_are_prometheus_text(client):
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "# TYPE k3_engine_step_requests histogram" in answer.text


def test_tokenize_and_detokenize_are_inverse(client):
    text = "né <|eos|> 😀"
    found = client.post(
        "/tokenize", json={"prompt": text, "add_special_tokens": False, "return_token_strs": True}
    ).json()
    assert found["count"] == len(found["tokens"]) == len(found["token_strs"])
    assert found["max_model_len"] == 4096
    assert 257 in found["tokens"]
    assert client.post("/detokenize", json={"tokens": found["tokens"]}).json() == {"prompt": text}
    chat = client.post("/tokenize", json={"messages": HI}).json()
    assert chat["tokens"] == [256, 260, *b"hi", 257, 261]
    info = client.get("/tokenizer_info").json()
    assert (info["bos_token"], info["eos_token"]) == ("<|bos|>", "<|eos|>")
    assert "add_generation_prompt" in info["chat_template"]


@pytest.mark.parametrize(
    ("path", "body", "status", "code", "param"),
    [
        (COMPLETIONS, OK | {"model": "other"}, 404, "model_not_found", "model"),
        (COMPLETIONS, {"max_tokens": 1}, 422, "malformed_body", "prompt"),
        (COMPLETIONS, [1, 2], 422, "malformed_body", None),
        (COMPLETIONS, OK | {"prompt": 5}, 422, "malformed_body", "prompt"),
        (COMPLETIONS, OK | {"prompt": [1, "a"]}, 422, "malformed_body", "prompt"),
        (COMPLETIONS, OK | {"max_tokens": "3"}, 422, "malformed_body", "max_tokens"),
        (COMPLETIONS, OK | {"prompt": ""}, 400, "empty_prompt", "prompt"),
        (COMPLETIONS, OK | {"prompt": []}, 400, "empty_prompt", "prompt"),
        (COMPLETIONS, OK | {"prompt": ["a", ""]}, 400, "empty_prompt", "prompt"),
        (COMPLETIONS, OK | {"prompt": [512]}, 400, "token_out_of_range", "prompt"),
        (COMPLETIONS, OK | {"prompt": "x" * 4096}, 400, "context_length_exceeded", "prompt"),
        (COMPLETIONS, OK | {"max_tokens": -1}, 400, "invalid_value", "max_tokens"),
        (COMPLETIONS, OK | {"temperature": -0.1}, 400, "invalid_value", "temperature"),
        (COMPLETIONS, OK | {"top_p": 0}, 400, "invalid_value", "top_p"),
        (COMPLETIONS, OK | {"logprobs": 21}, 400, "invalid_value", "logprobs"),
        (COMPLETIONS, OK | {"stop": [""]}, 400, "invalid_value", "stop"),
        (COMPLETIONS, OK | {"seed": 2**63}, 400, "invalid_value", "seed"),
        (COMPLETIONS, OK | {"n": 2}, 400, "unsupported_value", "n"),
        (COMPLETIONS, OK | {"best_of": 2}, 400, "unsupported_value", "best_of"),
        (COMPLETIONS, OK | {"presence_penalty": 0.5}, 400, "unsupported_value", "presence_penalty"),
        (COMPLETIONS, OK | {"repetition_penalty": 1.1}, 400, "unsupported_value", "repetition_penalty"),
        (COMPLETIONS, OK | {"logit_bias": {"5": 1.0}}, 400, "unsupported_value", "logit_bias"),
        (COMPLETIONS, OK | {"guided_json": {}}, 400, "unknown_parameter", "guided_json"),
        (CHAT, {"messages": []}, 400, "invalid_value", "messages"),
        (CHAT, {"messages": [{"role": "tool", "content": "x"}]}, 400, "invalid_value", "messages"),
        (CHAT, {"messages": [{"role": "user"}]}, 422, "malformed_body", "messages"),
        (CHAT, {"messages": HI, "max_tokens": 0}, 400, "invalid_value", "max_tokens"),
        (CHAT, {"messages": HI, "max_tokens": 4096}, 400, "context_length_exceeded", "prompt"),
        (CHAT, {"messages": HI, "top_logprobs": 3}, 400, "invalid_value", "top_logprobs"),
        (CHAT, {"messages": HI, "tools": []}, 400, "unknown_parameter", "tools"),
        (CHAT, {"messages": HI, "stream": True, "n": 2}, 400, "unsupported_value", "n"),
        ("/tokenize", {}, 400, "invalid_value", "prompt"),
        ("/tokenize", {"prompt": "a", "messages": HI}, 400, "invalid_value", "prompt"),
        ("/detokenize", {"tokens": [512]}, 400, "token_out_of_range", "tokens"),
    ],
)
def test_bad_requests_get_a_stable_code(client, path, body, status, code, param):
    answer = client.post(path, json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (status, code, param)
    assert error["type"] == "invalid_request_error"
    assert error["message"]


def test_parameters_spelled_out_at_their_defaults_are_fine(client):
    defaults = {
        "n": 1, "best_of": 1, "presence_penalty": 0, "frequency_penalty": 0.0, "repetition_penalty": 1.0,
        "min_p": 0.0, "logit_bias": {}, "suffix": None, "user": "x", "stop": None, "logprobs": None, "top_k": -1,
        "stream": False, "stream_options": None, "seed": None,
    }  # fmt: skip
    assert client.post(COMPLETIONS, json=OK | defaults).status_code == 200


@pytest.mark.parametrize(
    "content", [b"{", b"", b"null", b'{"prompt": "\\ud800"}', b'{"prompt": "a", "temperature": NaN}']
)
def test_bodies_that_are_not_the_right_json(client, content):
    answer = client.post(COMPLETIONS, content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["code"] in ("malformed_body", "invalid_value")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/v1/nothing", 404, "not_found"), ("GET", COMPLETIONS, 405, "method_not_allowed")],
)
def test_wrong_addresses_get_the_same_error_shape(client, method, path, status, code):
    answer = client.request(method, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_checkpoint_is_served_and_open_requests_end_when_the_server_stops(start_server, tmp_path):
    write_checkpoint(CONFIGS["k3-tiny"], 0, tmp_path / "checkpoint")
    running = start_server(
        tmp_path, "--checkpoint", str(tmp_path / "checkpoint"), "--served-model-name", "mine", "--max-running", "4"
    )
    with httpx.Client(base_url=running.url, timeout=60) as client:
        identity = client.get("/identity").json()
        assert identity["weights"]["over"] == "checkpoint tensors"
        assert identity["engine"]["max_running"] == 4
        assert identity["decode"]["mode"] == "stock"
        assert client.get("/v1/models").json()["data"][0]["id"] == "mine"
        body = OK | {"max_tokens": 4000, "stream": True}
        with client.stream("POST", COMPLETIONS, json=body) as answer:
            events = answer.iter_lines()
            assert next(events).startswith("data: {")
            running.process.send_signal(signal.SIGTERM)
            rest = "".join(events)
    assert '"code":"engine_stopped"' in rest
    assert "[DONE]" not in rest
    assert running.stop()[0] == 0


def test_a_port_that_is_taken_is_said_plainly(server, start_server, tmp_path):
    port = server.url.rsplit(":", 1)[1]
    with pytest.raises(AssertionError, match="in use"):
        start_server(tmp_path, "--port", port)
