"""Greedy requests take the likeliest tokens that a specialized step found: the answers that its logits give."""

import pytest
import torch

from k3_decode.decoder import Specialization
from k3_decode.engine.request import FinishReason, SamplingParams

PROMPTS = [[1, 2, 3], [9] * 17, [200, 4, 31, 7], [5]]


class CudaOnTheHost(str):
    """A device that calls itself CUDA, and whose tensors the host holds."""

    type = "cuda"


class OnHost:
    """A model on such a device."""

    def __init__(self, model) -> None:
        self.config, self.new_cache, self.forward = model.config, model.new_cache, model.forward
        self.device = CudaOnTheHost("cpu")


class HostPath:
    """Stands in for the kernels: the reference's step, ranked by a stable sort; notes how it was asked."""

    max_rows, max_tokens_per_request = 64, 1

    def __init__(self, model, *, fault_at: int | None = None) -> None:
        self.asked: list[str] = []
        self._model, self._fault_at = model, fault_at

    def for_cache(self, cache):
        return self

    def kernel_digests(self, rows):
        return frozenset({f"{rows:064x}"})

    def forward(self, batch, cache):
        self.asked.append("logits")
        return self._model.forward(batch, cache)

    def ranked(self, batch, cache):
        self.asked.append("ranked")
        logits = self._model.forward(batch, cache).clone()
        if len(self.asked) == self._fault_at:
            logits[0, 7] = torch.nan
        return logits.sort(dim=-1, descending=True, stable=True).indices[:, :8], logits.isfinite().all(dim=-1)


def answers(make_engine, drive, model, path, requests):
    """Run requests; give the driver, whose answers are complete."""
    mode = "stock" if path is None else "specialized"
    specialization = Specialization(path)
    driver = drive(make_engine(model, mode=mode, specialization=specialization))
    for index, (prompt, params) in enumerate(requests):
        driver.engine.add(str(index), prompt, params)
    driver.drain()
    return driver


def decode_steps(driver):
    """Count the decode steps of the ledger: specialized, stock."""
    buckets = [each for each in driver.engine.decoder.ledger.snapshot()["buckets"] if each["phase"] == "decode"]
    return sum(each["specialized_steps"] for each in buckets), sum(each["stock_steps"] for each in buckets)


def said(driver):
    return {name: (answer.tokens, answer.text, answer.last.finish) for name, answer in driver.answers.items()}


def test_greedy_requests_get_the_answers_that_the_logits_give(make_engine, drive, greedy, model64):
    requests = [
        (prompt, greedy(6 + index, min_tokens=3 * (index % 2), prompt_logprobs=1 if index == 2 else None))
        for index, prompt in enumerate(PROMPTS)
    ]
    path = HostPath(model64)
    expected, got = (answers(make_engine, drive, OnHost(model64), each, requests) for each in (None, path))
    assert said(got) == said(expected)
    specialized, stock = decode_steps(got)
    assert specialized == len(path.asked) > 4
    assert (set(path.asked), stock) == ({"ranked"}, 0)
    assert got.engine.decoder.ledger.snapshot()["kernel_digests"]
    assert got.engine.counters.generation_tokens == expected.engine.counters.generation_tokens


@pytest.mark.parametrize(
    "beside", [{"temperature": 0.8, "seed": 5}, {"temperature": 0.0, "seed": 0, "logprobs": 2}], ids=["drawn", "scored"]
)
def test_logits_are_read_where_one_request_of_the_step_needs_them(make_engine, drive, greedy, model64, beside):
    requests = [
        (PROMPTS[0], greedy(9, ignore_eos=True)),
        (PROMPTS[1], SamplingParams(max_tokens=4, ignore_eos=True, **beside)),
    ]
    path = HostPath(model64)
    expected, got = (answers(make_engine, drive, OnHost(model64), each, requests) for each in (None, path))
    assert said(got) == said(expected)
    assert path.asked == ["logits"] * 3 + ["ranked"] * 5, "logits while both run, none once the greedy one is alone"


def test_end_of_text_is_passed_over_for_the_next_best_while_it_is_banned(make_engine, drive, greedy, model64, scripted):
    eos = make_engine().tokenizer.eos_id
    model = scripted([5, 6, eos, 8])
    for least, length in ((0, 2), (4, 6)):
        path = HostPath(model)
        requests = [([5], greedy(9, min_tokens=least))]
        expected, got = (answers(make_engine, drive, OnHost(model), each, requests) for each in (None, path))
        assert said(got) == said(expected)
        assert len(got.answers["0"].tokens) == length
        assert set(path.asked) == {"ranked"}


def test_logits_that_are_not_finite_end_the_request_that_they_are_of(make_engine, drive, greedy, model64):
    path = HostPath(model64, fault_at=3)
    driver = answers(
        make_engine, drive, OnHost(model64), path, [(each, greedy(9, ignore_eos=True)) for each in PROMPTS[:2]]
    )
    finishes = [driver.answers[name].last.finish for name in ("0", "1")]
    assert finishes == [FinishReason.ERROR, FinishReason.LENGTH]
    assert "not finite" in driver.answers["0"].last.error
