import random

import pytest
import torch

from k3_decode.engine.request import FinishReason, RequestError, SamplingParams
from k3_decode.reference.model import K3Model


def prompts(count: int, *, longest: int = 40, seed: int = 3) -> list[list[int]]:
    rng = random.Random(seed)
    return [[rng.randrange(256) for _ in range(rng.randint(1, longest))] for _ in range(count)]


def alone(make_engine, drive, prompt, params, **limits):
    engine = make_engine(**limits)
    engine.add("only", prompt, params)
    return drive(engine).drain()["only"]


def assert_empty(engine) -> None:
    stats = engine.stats()
    assert (stats.waiting, stats.running, stats.blocks_used, stats.slots_used) == (0, 0, 0, 0)
    assert engine.idle


def test_batching_gives_the_same_greedy_tokens_as_one_request_at_a_time(make_engine, drive, greedy):
    work = prompts(8)
    driver = drive(make_engine())
    for index, prompt in enumerate(work):
        driver.engine.add(str(index), prompt, greedy(4 + index))
        driver.step()  # arrivals meet requests in the middle of their answers
    answers = driver.drain()
    for index, prompt in enumerate(work):
        assert answers[str(index)].tokens == alone(make_engine, drive, prompt, greedy(4 + index)).tokens
    assert_empty(driver.engine)


def test_a_seed_gives_the_same_tokens_whatever_runs_beside_it(make_engine, drive):
    def params(seed: int) -> SamplingParams:
        return SamplingParams(max_tokens=8, seed=seed, temperature=0.9, top_p=0.95)

    first, *others = prompts(5)
    lonely = alone(make_engine, drive, first, params(7))
    driver = drive(make_engine())
    for index, prompt in enumerate(others):
        driver.engine.add(str(index), prompt, params(index))
    driver.step()
    driver.engine.add("seven", first, params(7))
    driver.engine.add("eight", first, params(8))
    answers = driver.drain()
    assert answers["seven"].tokens == lonely.tokens
    assert answers["eight"].tokens != lonely.tokens


def test_prompts_read_in_chunks_give_the_same_tokens(make_engine, drive, greedy):
    prompt = prompts(1, longest=200, seed=1)[0][:150] * 2
    whole = alone(make_engine, drive, prompt[:200], greedy(5), max_step_tokens=256)
    pieces = alone(make_engine, drive, prompt[:200], greedy(5), max_step_tokens=9)
    assert pieces.tokens == whole.tokens


def test_preempted_requests_give_the_same_answers(make_engine, drive, greedy):
    work = prompts(6, longest=30)
    params = greedy(40, logprobs=1, prompt_logprobs=1)
    roomy = drive(make_engine())
    tight = drive(make_engine(num_blocks=12, max_model_len=96, block_size=8))
    for driver in (roomy, tight):
        for index, prompt in enumerate(work):
            driver.engine.add(str(index), prompt, params)
    expected, answers = roomy.drain(), tight.drain()
    assert tight.engine.stats().preemptions > 0
    assert roomy.engine.stats().preemptions == 0
    for name, answer in answers.items():
        assert answer.tokens == expected[name].tokens
        assert answer.text == expected[name].text
        found = [each.logprob for output in answer.outputs for each in output.logprobs]
        assert found == pytest.approx([each.logprob for output in expected[name].outputs for each in output.logprobs])
        assert len(answer.outputs[0].prompt_logprobs) == len(expected[name].outputs[0].prompt_logprobs)
    assert_empty(tight.engine)


def test_a_request_preempted_while_its_prompt_is_read_scores_each_token_once(make_engine, drive, greedy):
    prompt = prompts(1, longest=40, seed=1)[0][:5] * 6
    roomy = alone(make_engine, drive, prompt, greedy(2, prompt_logprobs=0))
    driver = drive(make_engine(block_size=1, num_blocks=34, max_model_len=34, max_step_tokens=8))
    driver.engine.add("grows", [1, 2], greedy(20, ignore_eos=True))
    driver.engine.add("reads", prompt, greedy(2, prompt_logprobs=0))
    while not driver.engine.stats().preemptions:
        driver.step()
    assert "reads" not in driver.answers
    found = driver.drain()["reads"].outputs[0].prompt_logprobs[1:]
    expected = roomy.outputs[0].prompt_logprobs[1:]
    assert [each.token for each in found] == [each.token for each in expected] == prompt[1:]
    assert [each.logprob for each in found] == pytest.approx([each.logprob for each in expected])


def test_more_requests_than_may_run_all_finish(make_engine, drive, greedy):
    driver = drive(make_engine(max_running=64, num_blocks=256, max_step_tokens=128))
    for index in range(100):
        driver.engine.add(str(index), [index, 1, 2], greedy(2))
    most = 0
    while not driver.engine.idle:
        driver.step()
        most = max(most, driver.engine.stats().running)
    assert most <= 64
    assert all(len(answer.tokens) == 2 for answer in driver.answers.values())
    assert len(driver.answers) == 100
    assert_empty(driver.engine)


def test_abort_frees_blocks_and_slots_in_every_state(make_engine, drive, greedy):
    driver = drive(make_engine(max_running=2, max_step_tokens=16))
    driver.engine.add("decoding", [1, 2], greedy(50))
    driver.step()
    driver.engine.add("reading", [1] * 100, greedy(50))
    driver.engine.add("waiting", [1], greedy(50))
    driver.step()
    assert driver.engine.stats().running == 2
    assert driver.engine.stats().waiting == 1
    for name in ("decoding", "reading", "waiting", "never seen"):
        driver.engine.abort(name)
    assert_empty(driver.engine)
    assert driver.engine.counters.finished == {FinishReason.ABORT: 3}


def test_every_step_is_in_the_ledger_once(make_engine, drive, greedy):
    driver = drive(make_engine())
    for index, prompt in enumerate(prompts(5)):
        driver.engine.add(str(index), prompt, greedy(6))
    driver.drain()
    ledger = driver.engine.decoder.ledger.snapshot()
    assert sum(bucket["stock_steps"] for bucket in ledger["buckets"]) == driver.steps
    assert sum(driver.engine.stats().step_requests.values()) == driver.steps
    assert {bucket["phase"] for bucket in ledger["buckets"]} >= {"prefill", "decode"}


def test_specialized_on_a_cpu_is_refused_with_reasons_in_every_step(make_engine, drive, greedy):
    driver = drive(make_engine(mode="specialized"))
    driver.engine.add("a", [1, 2, 3], greedy(4))
    driver.drain()
    for bucket in driver.engine.decoder.ledger.snapshot()["buckets"]:
        reasons = {each["reason"]: each["steps"] for each in bucket["reasons"]}
        assert bucket["specialized_steps"] == 0
        assert reasons["no CUDA device"] == reasons["kernels not built"] == bucket["stock_steps"]
        assert "decode mode is stock" not in reasons


def test_prompt_logprobs_score_what_generation_scored(make_engine, drive, greedy):
    prompt = list(b"the quick brown fox")
    written = alone(make_engine, drive, prompt, greedy(6, logprobs=2))
    read = alone(make_engine, drive, prompt + written.tokens, greedy(0, prompt_logprobs=2), max_step_tokens=8)
    scores = read.last.prompt_logprobs
    assert scores[0] is None
    assert len(scores) == len(prompt) + 6
    generated = [each for output in written.outputs for each in output.logprobs]
    for again, first in zip(scores[len(prompt) :], generated, strict=True):
        assert again.token == first.token
        assert again.logprob == pytest.approx(first.logprob, abs=1e-9)
        assert [token for token, _ in again.top] == [token for token, _ in first.top]
        assert again.top[0] == (again.token, again.logprob)  # greedy: the token itself leads the list
    assert read.tokens == []
    assert read.last.finish is FinishReason.LENGTH


def test_end_of_text_ends_the_answer_and_is_not_text(make_engine, drive, scripted, greedy):
    script = [*b"?ab", 257, *b"cd"]
    engine = make_engine(scripted(script))
    engine.add("stops", [65], greedy(6))
    engine.add("ignores", [65], greedy(6, ignore_eos=True))
    engine.add("waits", [65], greedy(6, min_tokens=3))
    answers = drive(engine).drain()
    assert (answers["stops"].text, answers["stops"].last.finish) == ("ab", FinishReason.STOP)
    assert answers["stops"].tokens == [*b"ab", 257]
    assert answers["ignores"].text == "ab<|eos|>cd?"
    assert answers["ignores"].last.finish is FinishReason.LENGTH
    assert 257 not in answers["waits"].tokens[:3]


def test_a_stop_string_across_tokens_cuts_the_text(make_engine, drive, scripted, greedy):
    engine = make_engine(scripted(b"?one END two"))
    engine.add("a", [65], greedy(11, stop=("END", "never")))
    answer = drive(engine).drain()["a"]
    assert answer.text == "one "
    assert answer.last.finish is FinishReason.STOP
    assert answer.last.stopped_by == "END"
    assert bytes(answer.tokens) == b"one END"
    assert all("E" not in piece for piece in answer.pieces)


def test_characters_are_never_split(make_engine, drive, scripted, greedy):
    text = "né 你好 😀!"
    engine = make_engine(scripted(b"?" + text.encode()))
    engine.add("a", [65], greedy(len(text.encode())))
    answer = drive(engine).drain()["a"]
    assert answer.text == text
    assert len(answer.pieces) == len(text.encode())
    assert all("\ufffd" not in piece for piece in answer.pieces)


def test_logits_that_are_not_numbers_end_only_their_request(make_engine, drive, scripted, greedy):
    engine = make_engine(scripted(b"?abcdefgh", fault_at=5))
    engine.add("short", [65], greedy(3))
    engine.add("long", [65], greedy(8))
    answers = drive(engine).drain()
    assert answers["short"].last.finish is FinishReason.LENGTH
    assert answers["long"].last.finish is FinishReason.ERROR
    assert "not finite" in answers["long"].last.error
    assert bytes(answers["long"].tokens) == b"abcde"
    assert_empty(engine)


@pytest.mark.parametrize(
    ("prompt", "max_tokens", "code"),
    [
        ([], 1, "empty_prompt"),
        ([512], 1, "token_out_of_range"),
        ([-1], 1, "token_out_of_range"),
        ([1] * 200, 57, "context_length_exceeded"),
    ],
)
def test_requests_that_can_never_run_are_refused(make_engine, greedy, prompt, max_tokens, code):
    engine = make_engine()
    with pytest.raises(RequestError) as refusal:
        engine.add("a", prompt, greedy(max_tokens))
    assert refusal.value.code == code
    assert engine.idle


def test_a_request_may_fill_the_whole_context(make_engine, drive, greedy):
    answer = alone(make_engine, drive, [1] * 200, greedy(56))
    assert len(answer.tokens) == 56


def test_a_name_can_be_used_again_only_after_its_request_ended(make_engine, drive, greedy):
    engine = make_engine()
    engine.add("a", [1], greedy(1))
    with pytest.raises(RequestError, match="is running"):
        engine.add("a", [1], greedy(1))
    drive(engine).drain()
    engine.add("a", [1], greedy(1))


def test_float32_batches_score_a_prompt_within_the_tolerance_of_float64(make_engine, drive, greedy, model64):
    """Float32 rounds differently in other batch sizes: a tolerance can be promised, equal tokens cannot."""
    model32 = K3Model.synthetic(model64.config, 0, torch.float32, dequantize_experts=True)
    work = prompts(4, longest=12, seed=11)
    found = {}
    for name, model in (("float32", model32), ("float64", model64)):
        driver = drive(make_engine(model))
        for index, prompt in enumerate(work):
            driver.engine.add(str(index), prompt, greedy(0, prompt_logprobs=0))
        answers = driver.drain()
        found[name] = [each.logprob for index in range(4) for each in answers[str(index)].last.prompt_logprobs[1:]]
    assert found["float32"] == pytest.approx(found["float64"], abs=5e-3)
