import pytest
import torch

from k3_decode.config import CONFIGS
from k3_decode.decoder import MAX_ROWS, MAX_TOKENS_PER_REQUEST, Decoder, Reason, standing_reasons
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
    kernel_digests = frozenset({"c" * 64})

    def forward(self, batch, cache) -> torch.Tensor:
        return torch.full((1, 1), 1.0)


def decoder(*, mode="specialized", device=CUDA, kernels: bool = True) -> Decoder:
    return Decoder(OnDevice(device), None, mode=mode, specialized=Kernels() if kernels else None)


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
    assert snapshot["kernel_digests"] == ["c" * 64]
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
    assert standing_reasons("specialized", CUDA, specialized=Kernels()) == ()


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
