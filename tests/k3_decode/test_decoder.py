import pytest
import torch

from k3_decode.config import CONFIGS
from k3_decode.decoder import (
    MAX_ROWS,
    MAX_TOKENS_PER_REQUEST,
    NOT_BUILT,
    Decoder,
    Reason,
    Specialization,
    standing_reasons,
)
from k3_decode.ledger import Path, StepShape
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.model import K3Model

CPU, CUDA = torch.device("cpu"), torch.device("cuda")
DECODE = StepShape("decode", 1, 1)


class OnDevice:
    """Stands in for a model on a device: returns which path ran."""

    def __init__(self, device: torch.device, answer: float = 0.0) -> None:
        self.device = device
        self.answer = answer

    def forward(self, batch, cache) -> torch.Tensor:
        return torch.full((1, 1), self.answer)


class Kernels:
    max_rows = MAX_ROWS
    max_tokens_per_request = MAX_TOKENS_PER_REQUEST

    def for_cache(self, cache) -> "Kernels":
        return self

    def kernel_digests(self, rows: int) -> frozenset[str]:
        return frozenset({f"{rows:064x}"})

    def forward(self, batch, cache) -> torch.Tensor:
        return torch.full((1, 1), 1.0)


class Small(Kernels):
    max_rows = 8
    max_tokens_per_request = 1


def decoder(*, mode="specialized", device=CUDA, kernels: bool = True) -> Decoder:
    return Decoder(
        OnDevice(device), None, mode=mode, specialization=Specialization(Kernels()) if kernels else NOT_BUILT
    )


def batch(model: K3Model) -> StepBatch:
    one = torch.tensor([1])
    return StepBatch(
        tokens=one,
        query_starts=torch.tensor([0, 1]),
        context_lens=torch.tensor([0]),
        slots=one,
        block_tables=one[None],
        logit_rows=torch.tensor([0]),
    )


def test_a_step_that_fits_runs_specialized_and_names_its_kernels():
    each = decoder()
    assert each.forward(None, DECODE).item() == 1.0
    snapshot = each.ledger.snapshot()
    assert snapshot["kernel_digests"] == [f"{1:064x}"]
    assert snapshot["buckets"][0]["specialized_steps"] == 1
    assert snapshot["buckets"][0]["reasons"] == []


def test_stock_mode_never_runs_a_kernel():
    each = decoder(mode="stock")
    assert each.forward(None, DECODE).item() == 0.0
    snapshot = each.ledger.snapshot()
    assert snapshot["kernel_digests"] == []
    assert snapshot["buckets"][0]["stock_steps"] == 1
    assert snapshot["buckets"][0]["reasons"] == [{"reason": "decode mode is stock", "steps": 1}]


@pytest.mark.parametrize(
    ("shape", "reasons"),
    [
        (StepShape("decode", MAX_ROWS, 1), []),
        (StepShape("decode", 64, MAX_TOKENS_PER_REQUEST, 7), []),
        (StepShape("decode", MAX_ROWS + 1, 1), [Reason.ROWS]),
        (StepShape("decode", 9, 9, 8), [Reason.TOKENS]),
        (StepShape("mixed", 16, 8), [Reason.PHASE]),
        (StepShape("prefill", 128, 128), [Reason.PHASE, Reason.ROWS, Reason.TOKENS]),
    ],
)
def test_a_shape_is_refused_for_every_reason_at_once(shape, reasons):
    choice = decoder().plan(shape)
    assert list(choice.reasons) == reasons
    assert choice.path is (Path.STOCK if reasons else Path.SPECIALIZED)


def test_standing_reasons_are_all_listed():
    assert standing_reasons("stock", CPU) == (Reason.MODE, Reason.DEVICE, Reason.KERNELS)
    assert standing_reasons("specialized", CPU) == (Reason.DEVICE, Reason.KERNELS)
    assert standing_reasons("specialized", CUDA) == (Reason.KERNELS,)
    assert standing_reasons("specialized", CUDA, specialization=Specialization(Kernels())) == ()
    refused = Specialization(None, (Reason.MODEL,), "top_k: expected a multiple of 4, got 6")
    assert standing_reasons("specialized", CUDA, specialization=refused) == (Reason.MODEL,)


def test_a_step_beyond_what_the_kernels_take_runs_stock():
    each = Decoder(OnDevice(CUDA), None, mode="specialized", specialization=Specialization(Small()))
    assert each.plan(StepShape("decode", 8, 1)).reasons == ()
    assert each.plan(StepShape("decode", 9, 1)).reasons == (Reason.ROWS,)
    assert each.plan(StepShape("decode", 8, 2)).reasons == (Reason.TOKENS,)


def test_the_ledger_holds_the_digests_of_the_steps_that_ran_and_no_others():
    each = decoder()
    each.forward(None, StepShape("decode", 3, 1))
    each.forward(None, StepShape("prefill", 4, 4))
    assert each.ledger.snapshot()["kernel_digests"] == [f"{3:064x}"]


def test_kernels_do_not_run_for_a_model_on_the_cpu():
    each = decoder(device=CPU)
    assert each.forward(None, DECODE).item() == 0.0
    assert each.ledger.snapshot()["buckets"][0]["reasons"] == [{"reason": "no CUDA device", "steps": 1}]


def test_a_step_that_fails_is_not_counted():
    class Broken(OnDevice):
        def forward(self, batch, cache):
            raise RuntimeError("gone")

    each = Decoder(Broken(CPU), None, mode="stock")
    with pytest.raises(RuntimeError, match="gone"):
        each.forward(None, DECODE)
    assert each.ledger.snapshot()["buckets"] == []


def test_stock_is_the_reference_model():
    model = K3Model.synthetic(CONFIGS["k3-tiny"], 0, torch.float64)
    caches = [model.new_cache(num_slots=2, num_blocks=2, block_size=4) for _ in range(2)]
    each = Decoder(model, caches[0], mode="specialized")
    logits = each.forward(batch(model), DECODE)
    assert torch.equal(logits, model.forward(batch(model), caches[1]))
    assert each.device == CPU
