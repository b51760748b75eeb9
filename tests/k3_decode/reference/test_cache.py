import torch

from k3_decode.config import CONFIGS
from k3_decode.reference.cache import K3Cache


def _allocate(config, *, heads, dtype=torch.bfloat16, latent=torch.bfloat16, slots=2, blocks=3) -> K3Cache:
    return K3Cache.allocate(
        config, num_slots=slots, num_blocks=blocks, block_size=16, num_heads=heads, dtype=dtype, latent_dtype=latent,
        device=torch.device("meta"),
    )  # fmt: skip


def test_state_bytes_per_request_of_the_published_model():
    """Section 5.1: 221,184 B of windows and 6,291,456 B of state a layer, 449.4 MB over 69 layers."""
    cache = _allocate(CONFIGS["k3"], heads=96)
    assert {tensor[0].nbytes for tensor in cache.conv.values()} == {221_184}
    assert {tensor[0].nbytes for tensor in cache.recurrent.values()} == {6_291_456}
    assert len(cache.conv) == len(cache.recurrent) == 69
    assert 69 * (221_184 + 6_291_456) == 449_372_160


def test_state_bytes_per_request_of_one_rank():
    for heads, window, state in ((12, 27_648, 786_432), (6, 13_824, 393_216)):
        cache = _allocate(CONFIGS["k3"], heads=heads)
        assert cache.conv[0][0].nbytes == window
        assert cache.recurrent[0][0].nbytes == state


def test_latent_bytes_per_token():
    """Section 5.2: 27,648 B a token over 24 layers in BF16, half of it in FP8."""
    for dtype, expected in ((torch.bfloat16, 27_648), (torch.float8_e4m3fn, 13_824)):
        cache = _allocate(CONFIGS["k3"], heads=96, latent=dtype)
        assert sum(tensor[0, 0].nbytes for tensor in cache.latent.values()) == expected


def test_layers_and_total_bytes():
    config = CONFIGS["k3-tiny"]
    cache = _allocate(config, heads=8, dtype=torch.float32, latent=torch.float32)
    assert sorted(cache.latent) == [3, 7, 11, 12]
    assert sorted(cache.conv) == sorted(cache.recurrent) == [0, 1, 2, 4, 5, 6, 8, 9, 10]
    assert cache.nbytes == 4 * (4 * 3 * 16 * 72 + 9 * 2 * (3 * 128 * 3 + 8 * 16 * 16))


def test_a_snapshot_restores_into_its_own_or_other_slots(tiny64):
    cache = tiny64.new_cache(num_slots=4, num_blocks=2, block_size=4)
    for layer, (conv, state) in enumerate(zip(cache.conv.values(), cache.recurrent.values(), strict=True)):
        conv[:] = torch.arange(4).view(4, 1, 1) + 10 * layer
        state[:] = torch.arange(4).view(4, 1, 1, 1) + 10 * layer
    kept = cache.snapshot(torch.tensor([2, 1]))
    for tensors in (cache.conv, cache.recurrent):
        for tensor in tensors.values():
            tensor[1:3] = -1.0
    cache.restore(kept)
    assert [cache.conv[1][slot].unique().item() for slot in range(4)] == [10, 11, 12, 13]
    cache.restore(kept, into=torch.tensor([3, 2]))
    assert [cache.recurrent[2][slot].unique().item() for slot in range(4)] == [20, 21, 21, 22]
