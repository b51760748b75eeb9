import concurrent.futures
import json
import time

import httpx
import pytest

COMPLETIONS, CHAT = "/v1/completions", "/v1/chat/completions"
MESSAGES = [{"role": "system", "content": "be brief"}, {"role": "user", "content": [{"type": "text", "text": "né?"}]}]


def post(client, path, **body):
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def stream(client, path, **body) -> list[dict]:
    with client.stream("POST", path, json=body | {"stream": True}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [line.removeprefix("data: ") for line in answer.iter_lines() if line]
    assert events[-1] == "[DONE]"
    return [json.loads(event) for event in events[:-1]]


def wait_for(client, name: str, expected: float) -> None:
    deadline = time.monotonic() + 30
    while metric(client, name) != expected:
        assert time.monotonic() < deadline, client.get("/metrics").text
        time.sleep(0.02)


def metric(client, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith(f"k3_engine_{name} "))


def test_a_completion_has_openai_shape(client):
    answer = post(client, COMPLETIONS, model="k3-tiny", prompt="hello", max_tokens=5, temperature=0, ignore_eos=True)
    assert answer["object"] == "text_completion"
    assert answer["model"] == "k3-tiny"
    assert answer["usage"] == {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
    [choice] = answer["choices"]
    assert (choice["index"], choice["finish_reason"], choice["logprobs"]) == (0, "length", None)


def test_prompts_may_be_text_or_tokens_one_or_many(client):
    fixed = {"max_tokens": 4, "temperature": 0, "ignore_eos": True}
    one = post(client, COMPLETIONS, prompt="hello", **fixed)["choices"][0]["text"]
    assert post(client, COMPLETIONS, prompt=list(b"hello"), **fixed)["choices"][0]["text"] == one
    for prompt in (["hello", "x"], [list(b"hello"), [120]]):
        choices = post(client, COMPLETIONS, prompt=prompt, **fixed)["choices"]
        assert [choice["index"] for choice in choices] == [0, 1]
        assert choices[0]["text"] == one


@pytest.mark.parametrize("sampling", [{"temperature": 0}, {"temperature": 1.0, "top_p": 0.9, "top_k": 50, "seed": -3}])
def test_a_streamed_completion_says_the_same(client, sampling):
    body = {"prompt": ["ab", "né"], "max_tokens": 24, "echo": True, "logprobs": 2, "return_token_ids": True} | sampling
    whole = post(client, COMPLETIONS, **body)
    chunks = stream(client, COMPLETIONS, stream_options={"include_usage": True}, **body)
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"] == whole["usage"]
    assert {chunk["id"] for chunk in chunks} == {chunks[0]["id"]}
    for choice in whole["choices"]:
        pieces = [piece for chunk in chunks for piece in chunk["choices"] if piece["index"] == choice["index"]]
        assert "".join(piece["text"] for piece in pieces) == choice["text"]
        assert [token for piece in pieces for token in piece["token_ids"]] == choice["token_ids"]
        assert pieces[0]["prompt_token_ids"] == choice["prompt_token_ids"]
        assert [piece["finish_reason"] for piece in pieces[:-1]] == [None] * (len(pieces) - 1)
        assert pieces[-1]["finish_reason"] == choice["finish_reason"]
        for name in ("tokens", "text_offset"):
            joined = [each for piece in pieces for each in piece["logprobs"][name]]
            assert joined == choice["logprobs"][name]


def test_each_token_is_a_chunk_of_its_own(client):
    chunks = stream(client, COMPLETIONS, prompt="x", max_tokens=12, seed=5, ignore_eos=True)
    assert len(chunks) == 12


def test_usage_can_come_with_every_chunk(client):
    options = {"continuous_usage_stats": True}
    chunks = stream(client, COMPLETIONS, prompt="x", max_tokens=3, ignore_eos=True, stream_options=options)
    assert [chunk["usage"]["completion_tokens"] for chunk in chunks] == [1, 2, 3]


def test_a_seed_repeats_and_no_seed_does_not(client):
    body = {"prompt": "seed", "max_tokens": 12}
    texts = [post(client, COMPLETIONS, seed=11, **body)["choices"][0]["text"] for _ in range(2)]
    free = {post(client, COMPLETIONS, **body)["choices"][0]["text"] for _ in range(3)}
    assert texts[0] == texts[1]
    assert len(free) > 1


def test_echo_scores_the_prompt_as_lm_eval_needs(client):
    body = {"prompt": "echo me", "max_tokens": 1, "temperature": 0, "logprobs": 1, "echo": True, "seed": 1234}
    choice = post(client, COMPLETIONS, **body)["choices"][0]
    scores = choice["logprobs"]
    assert choice["text"].startswith("echo me")
    assert scores["tokens"][:7] == list("echo me")
    assert scores["token_logprobs"][0] is scores["top_logprobs"][0] is None
    assert len(scores["token_logprobs"]) == len(scores["tokens"]) == len(scores["text_offset"]) == 8
    for token, own, top in list(zip(scores["tokens"], scores["token_logprobs"], scores["top_logprobs"], strict=True))[
        1:
    ]:
        assert top[token] == own <= max(top.values()) <= 0
    only = post(client, COMPLETIONS, **(body | {"max_tokens": 0}))
    assert only["choices"][0]["text"] == "echo me"
    assert only["choices"][0]["logprobs"]["token_logprobs"] == pytest.approx(scores["token_logprobs"][:7], abs=1e-4)
    assert only["usage"]["completion_tokens"] == 0


def test_a_stop_string_cuts_whole_and_streamed_text_alike(client):
    body = {"prompt": "stop", "max_tokens": 40, "temperature": 0, "ignore_eos": True}
    full = post(client, COMPLETIONS, **body)["choices"][0]["text"]
    stop = full[20:23]
    cut = post(client, COMPLETIONS, stop=[stop, "\u2603"], **body)["choices"][0]
    assert cut["text"] == full[: full.index(stop)]
    assert (cut["finish_reason"], cut["stop_reason"]) == ("stop", stop)
    chunks = stream(client, COMPLETIONS, stop=stop, **body)
    assert "".join(chunk["choices"][0]["text"] for chunk in chunks) == cut["text"]
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


def test_a_chat_has_openai_shape_and_streams_the_same(client):
    body = {"messages": MESSAGES, "max_completion_tokens": 12, "seed": 4, "logprobs": True, "top_logprobs": 2}
    body["return_token_ids"] = True
    whole = post(client, CHAT, **body)
    [choice] = whole["choices"]
    assert choice["message"]["role"] == "assistant"
    assert whole["prompt_token_ids"] == [256, 259, *b"be brief", 257, 260, *"né?".encode(), 257, 261]
    assert whole["usage"]["prompt_tokens"] == len(whole["prompt_token_ids"])
    scores = choice["logprobs"]["content"]
    assert len(scores) == len(choice["token_ids"]) == whole["usage"]["completion_tokens"]
    assert all(len(score["top_logprobs"]) == 2 for score in scores)
    chunks = stream(client, CHAT, stream_options={"include_usage": True}, **body)
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert chunks[0]["prompt_token_ids"] == whole["prompt_token_ids"]
    pieces = [piece for chunk in chunks for piece in chunk["choices"]]
    assert "".join(piece["delta"]["content"] for piece in pieces) == choice["message"]["content"]
    assert [token for piece in pieces[1:] for token in piece["token_ids"]] == choice["token_ids"]
    assert pieces[-1]["finish_reason"] == choice["finish_reason"]
    assert chunks[-1]["usage"] == whole["usage"]


def test_more_requests_than_run_at_once_all_finish_alike(client):
    body = {"prompt": "many", "max_tokens": 3, "temperature": 0, "ignore_eos": True}
    with concurrent.futures.ThreadPoolExecutor(80) as pool:
        answers = list(pool.map(lambda _: post(client, COMPLETIONS, **body), range(80)))
    assert {answer["usage"]["completion_tokens"] for answer in answers} == {3}
    wait_for(client, "requests_running", 0)


@pytest.mark.parametrize("streaming", [True, False])
def test_a_client_that_leaves_aborts_its_request(client, server, streaming):
    aborted = 'requests_finished_total{reason="abort"}'
    before = metric(client, aborted)
    body = {"prompt": ["leave", "now"], "max_tokens": 4000, "ignore_eos": True, "stream": streaming}
    if streaming:
        with client.stream("POST", COMPLETIONS, json=body) as answer:
            next(answer.iter_lines())
    else:
        with pytest.raises(httpx.ReadTimeout):
            client.post(COMPLETIONS, json=body, timeout=0.5)
    wait_for(client, aborted, before + 2)
    wait_for(client, "requests_running", 0)
    assert metric(client, "cache_blocks_used") == 0
