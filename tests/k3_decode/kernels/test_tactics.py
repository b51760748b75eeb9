"""Every shape a rank can have gets a form that exists."""

import dataclasses

import pytest

from k3_decode.config import CONFIGS, of_ranks
from k3_decode.errors import ArgumentError
from k3_decode.kernels.catalog import front_forms
from k3_decode.kernels.gemm_teams import MOST_CHUNKS, TeamGemm
from k3_decode.kernels.gemm_wide import WideGemm
from k3_decode.kernels.gemv import STRIDE, Gemv
from k3_decode.kernels.tactics import BUCKETS, CLUSTER_PLACES, bucket, joint_tail, kda, product, wide, wide_tail
from k3_decode.kernels.tail_wide import RESIDENT
from k3_decode.specialized.operators import StepOperators, check_config, step_operators


@pytest.mark.parametrize("rows", range(1, 65))
def test_the_bucket_holds_the_rows(rows):
    assert bucket(rows) >= rows
    assert bucket(rows) in BUCKETS
    assert bucket(min(rows, 8), (8, 2)) == (2 if rows <= 2 else 8)


@pytest.mark.parametrize("rows", [0, -1, 65])
def test_other_row_counts_are_refused(rows):
    with pytest.raises(ArgumentError, match=r"1\.\.64"):
        bucket(rows)


@pytest.mark.parametrize("ranks", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("rows", BUCKETS)
def test_products_of_every_rank_count_fit_a_multiprocessor(ranks, rows):
    heads = 96 // ranks
    for columns, outputs in [
        (7168, 4 * heads * 128 + 128 + heads), (heads * 128, 7168), (7168, 2112 + heads * 128), (1536, heads * 192),
        (33_792 // ranks, 7168), (6144 // ranks, 7168), (3584, 7168 // ranks), (7168, 163_840 // ranks),
    ]:  # fmt: skip
        form = product(columns, outputs, rows)
        if isinstance(form, Gemv):
            assert form.rows == rows
            assert form.loads * 256 >= columns
            assert form.rows * form.staged_bytes <= 227_000
        else:
            assert form.tiles * 8 >= rows
            assert form.chunks * form.split * 32 >= columns
            assert 1 <= form.split <= 8
            assert form.shared_words * 4 <= 227_000
            assert form.resident * (form.shared_words * 4 + 1024) <= 228 * 1024
    assert kda(heads, rows).cluster in (2, 4, 8)


@pytest.mark.parametrize("name", ["k3-small", "k3-mini-r8", "k3-mini-r16", "k3-rank-tp8", "k3-rank-tp16"])
def test_a_step_lists_each_operator_once(name):
    names = [operator.name for operator in step_operators(CONFIGS[name])]
    assert len(set(names)) == len(names)
    assert all(each.isidentifier() for each in names)


def test_the_mixes_count_their_blocks():
    config = CONFIGS["k3-mini-r16"]
    mixes = StepOperators(config, 1).mixes()
    assert mixes[:5] == [(0, "keep"), (1, "restart"), (1, "add"), (1, "add"), (1, "add")]
    assert mixes[-1] == (config.num_attn_res_blocks, "add")
    assert len(mixes) == 2 * config.num_layers + 1


@pytest.mark.parametrize(
    "change", [{"kda_head_dim": 64}, {"expert_size": 32 * 3, "shared_size": 96, "top_k": 6}, {"conv_width": 3}]
)
def test_models_without_kernels_are_refused(change):
    with pytest.raises(ArgumentError):
        check_config(dataclasses.replace(CONFIGS["k3-small"], **change))


def test_forms_of_one_row_are_skinny():
    assert isinstance(product(7168, 3206, 1), Gemv)
    assert isinstance(product(7168, 3206, 8), WideGemm)


@pytest.mark.parametrize(("columns", "outputs"), [(7168, 3206), (7168, 6284), (7168, 5248), (768, 7168), (1536, 1152)])
def test_clusters_of_wide_products_fit_one_wave(columns, outputs):
    warps, parts = wide(columns, outputs)
    assert -(-outputs // (16 * warps)) <= sum(places // parts for places in CLUSTER_PLACES)


def test_only_measured_forms_of_one_row_have_their_inputs_copied():
    chosen, *others = front_forms()
    assert chosen.copied
    assert chosen.paced
    assert len({chosen.name, *(other.name for other in others)}) == 3
    assert chosen.columns % STRIDE == 0
    assert joint_tail(3584, 768, 1).copied
    others = [product(7168, 2096, 2, out="f32"), product(7168, 1048, 1, out="f32"), joint_tail(3584, 768, 2)]
    assert not any(each.copied for each in [*others, joint_tail(3584, 384, 1)])


@pytest.mark.parametrize(("ranks", "rows", "folded"), [(16, 1, True), (8, 1, True), (4, 1, False), (16, 2, False)])
def test_one_launch_serves_mla_before_its_attention_where_that_was_faster(ranks, rows, folded):
    names = [each.name for each in StepOperators(of_ranks(CONFIGS["k3"], ranks), rows).every()]
    assert any(name.startswith("mla_front") for name in names) is folded
    assert any(name.startswith(("mla_prepare", "mla_absorb")) for name in names) is not folded


@pytest.mark.parametrize("ranks", [1, 2, 4, 8, 16, 32])
def test_one_launch_makes_both_products_of_3_to_8_rows_after_sharded_experts(ranks):
    form = wide_tail(3584, 6144 // ranks, 8)
    assert form is not None
    assert form.chunks * form.shared_split * 32 >= 6144 // ranks
    assert RESIDENT * (form.shared_words * 4 + 1024) <= 228 * 1024
    assert all(wide_tail(3584, 6144 // ranks, rows) is None for rows in (1, 2, 9, 64))
    assert wide_tail(3584 - 128, 6144 // ranks, 8) is None


def test_products_of_8_rows_with_few_blocks_ask_for_all_their_weights_before_the_wait():
    for columns, outputs in ((7168, 1048), (384, 7168), (3584, 448), (3584, 896)):
        form = product(columns, outputs, 8)
        assert isinstance(form, WideGemm)
        assert form.ahead == form.chunks


@pytest.mark.parametrize(("ranks", "heads"), [(32, 8), (16, 8), (8, 16), (1, 16)])
def test_few_heads_leave_no_tile_of_attention_empty(ranks, heads):
    cores = [StepOperators(of_ranks(CONFIGS["k3"], ranks), rows).mla_core for rows in BUCKETS]
    assert {core.heads for core in cores} == {heads}
    assert all(core.splits % core.cluster == 0 for core in cores)


@pytest.mark.parametrize("columns", [384, 768])
def test_teams_serve_64_rows_of_few_columns(columns):
    form = product(columns, 7168, 64)
    assert isinstance(form, TeamGemm)
    assert form.chunks <= MOST_CHUNKS
    assert isinstance(product(columns, 7168, 32), WideGemm)


def test_shapes_that_one_launch_cannot_hold_take_three():
    form = StepOperators(CONFIGS["k3-mini-r16"], 1).mla_front
    assert form is not None
    assert form.fits
    for change in ({"query": 1000}, {"query": 4096}, {"nope": 96}, {"rows": 3}, {"shared_key": 63}):
        assert not dataclasses.replace(form, **change).fits, change
