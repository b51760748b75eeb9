"""Launches one step, kernel by kernel, on torch's current stream; a graph capture records it as it is."""

import torch
from torch import Tensor

from k3_decode.kernels.gemv import Gemv
from k3_decode.kernels.library import Kernel, KernelLibrary
from k3_decode.kernels.operator import Operator
from k3_decode.kernels.tactics import Product
from k3_decode.reference.cache import K3Cache
from k3_decode.specialized.buffers import Records, StepBuffers, StepInputs
from k3_decode.specialized.operators import StepOperators
from k3_decode.specialized.weights import Dense, Kda, Mix, Mla, Moe, StepWeights


class StepLauncher:
    """One row count's step over fixed memory.

    Args:
        operators: What the step consists of.
        library: Built kernels, all of ``operators`` among them.
        weights: Prepared weights.
        cache: Read and updated by every step.
        inputs: What the step is told.
        buffers: Its memory.
        records: Of the tokens of the step before, where requests have several; None where they have one.
    """

    def __init__(
        self,
        operators: StepOperators,
        library: KernelLibrary,
        weights: StepWeights,
        cache: K3Cache,
        inputs: StepInputs,
        buffers: StepBuffers,
        records: Records | None = None,
    ) -> None:
        self._ops, self._library = operators, library
        self._weights, self._cache, self._inputs, self._buffers = weights, cache, inputs, buffers
        self._records = records
        self._kernels: dict[str, Kernel] = {op.name: library.kernel(op) for op in operators.every()}

    @property
    def kernel_digests(self) -> frozenset[str]:
        """SHA-256 of every cubin the step launches."""
        records = self._library.manifest["kernels"]
        return frozenset(records[operator.name]["cubin_sha256"] for operator in self._ops.every())

    def launch(self) -> None:
        """Launch every kernel of the step, in order."""
        self.start()
        for index in range(len(self._weights.layers)):
            self.layer(index)
        self.finish()

    def start(self) -> None:
        """Launch what comes before the first layer."""
        self._run(self._ops.embed, self._weights.embed, self._inputs.tokens, self._buffers.blocks[0])

    def finish(self) -> None:
        """Launch what comes after the last layer."""
        form = self._ops.mixes()[-1]
        self._mix(form, self._weights.output_mix, self._buffers.running, self._buffers.running)
        b = self._buffers
        self._product(self._ops.head, self._weights.head, b.normed, b.logits)
        self._run(self._ops.head_top, b.logits, b.top_partial, b.top_counters, b.top_values, b.top_ids)

    def layer(self, index: int) -> None:
        """Launch one layer's kernels; the layers before it have left what it reads in the buffers."""
        self.attention(index)
        feed_forward = self._weights.layers[index].feed_forward
        if isinstance(feed_forward, Dense):
            self._dense(feed_forward)
        else:
            self._moe(feed_forward)

    def attention(self, index: int) -> None:
        """Launch the first half of a layer: both of its attention residuals, and its attention between them."""
        ops, b, layer = self._ops, self._buffers, self._weights.layers[index]
        before, after = ops.mixes()[2 * index : 2 * index + 2]
        blocks, size = before[0], ops.config.attn_res_block_size
        running = b.blocks[0] if index == 0 else b.running
        # A layer that starts a block turns the sum it mixes into that block, and starts a new sum.
        summed = b.blocks[blocks] if index % size == 0 else b.running
        self._mix(before, layer.attention_mix, running, summed)
        if isinstance(layer.attention, Kda):
            self._kda(layer.attention, index)
        else:
            self._mla(layer.attention, index)
        self._mix(after, layer.mlp_mix, b.running, b.running)

    def _mix(self, form: tuple[int, str], weights: Mix, running: Tensor, summed: Tensor) -> None:
        blocks, update = form
        operator = self._ops.mix(blocks, update)  # type: ignore[arg-type]
        b = self._buffers
        self._run(operator, b.blocks, running, b.delta, weights.query, weights.weight, summed, b.normed)

    def _kda(self, weights: Kda, layer: int) -> None:
        ops, b, inputs = self._ops, self._buffers, self._inputs
        projected = b.projected[:, : weights.in_proj.shape[0]]
        attended = b.attended[:, : ops.size]
        self._product(ops.kda_in, weights.in_proj, b.normed, projected)
        constants = (weights.f_b, weights.conv, weights.a_log, weights.dt_bias, weights.o_norm)
        state = (self._cache.conv[layer], self._cache.recurrent[layer])
        if self._records is None:
            self._run(ops.kda, projected, *constants, inputs.slots, inputs.starts, *state, attended)
        else:
            record = (self._records.inputs[layer], self._records.vectors[layer])
            self._run(
                ops.kda, projected, *constants, inputs.slots, inputs.starts, inputs.accepted, *state, *record, attended
            )
        self._product(ops.kda_out, weights.o_proj, attended, b.delta)

    def _mla(self, weights: Mla, layer: int) -> None:
        ops, b, inputs, c = self._ops, self._buffers, self._inputs, self._ops.config
        projected = b.projected[:, : weights.in_proj.shape[0]]
        cache = self._cache.latent[layer]
        if ops.cache == "u8":
            cache = cache.view(torch.uint8)
        rows, norms = cache.view(-1, c.cache_width), (weights.q_a_norm, weights.kv_a_norm)
        self._product(ops.mla_in, weights.in_proj, b.normed, projected)
        if ops.mla_front is not None:
            self._run(
                ops.mla_front, weights.q_b, weights.w_uk, projected, *norms, inputs.cache_rows, b.absorbed, rows
            )  # fmt: skip
        else:
            self._run(ops.mla_prepare, projected, *norms, inputs.cache_rows, b.query_latent, rows)
            self._product(ops.mla_query, weights.q_b, b.query_latent, b.queries)
            self._run(ops.mla_absorb, weights.w_uk, b.queries, b.absorbed)
        scratch = (b.partial, b.sums, b.counters)
        self._run(
            ops.mla_core, b.absorbed, cache, inputs.tables, inputs.context_lens, *scratch, b.attended_latents
        )  # fmt: skip
        gate = projected[:, c.q_lora_rank + c.cache_width :]
        attended = b.attended[:, : c.num_heads * c.v_head_dim]
        self._run(ops.mla_value, weights.w_uv, b.attended_latents, gate, inputs.context_lens, attended)
        self._product(ops.mla_out, weights.o_proj, attended, b.delta)

    def _dense(self, weights: Dense) -> None:
        b = self._buffers
        self._product(self._ops.dense_up, weights.gate_up, b.normed, b.dense)
        self._run(self._ops.dense_activate, b.dense, b.activated)
        self._product(self._ops.dense_down, weights.down, b.activated, b.delta)

    def _moe(self, weights: Moe) -> None:
        ops, b, c = self._ops, self._buffers, self._ops.config
        self._product(ops.front, weights.front, b.normed, b.front)
        logits, rest = b.front[:, : c.num_experts], b.front[:, c.num_experts :]
        z, shared = rest[:, : c.latent_size], rest[:, c.latent_size :]
        self.experts(weights, logits, z)
        if ops.tail_input is None:
            self._run(ops.tail, weights.tail, b.latent, shared, weights.norm, b.delta)
        else:
            self._run(ops.tail_input, b.latent, shared, weights.norm, b.joined)
            self._product(ops.tail, weights.tail, b.joined, b.delta)

    def experts(self, weights: Moe, logits: Tensor, z: Tensor) -> None:
        """Launch routing and the routed experts of one layer; their weighted sum is left in ``latent``.

        Args:
            weights: The layer's.
            logits: ``[M, E]`` of the router.
            z: ``[M, L]`` latent.
        """
        ops, b = self._ops, self._buffers
        picks, units = (b.ids, b.weights, b.places), (b.unit_experts, b.unit_tokens)
        if ops.table is None:
            self._run(ops.route, logits, weights.bias, *picks)
            self._run(ops.expert_up, weights.up, weights.up_scales, z, b.ids, b.hidden)
        else:
            self._run(ops.route, logits, weights.bias, z, b.scaled, b.inverses, b.ids, b.weights)
            self._run(ops.table, b.ids, b.places, *units)
            self._run(ops.expert_up, weights.up, weights.up_scales, b.scaled, b.inverses, *units, b.hidden)
        if ops.expert_sum is None:
            self._run(ops.expert_down, weights.down, weights.down_scales, b.hidden, *picks, b.latent)
        else:
            self._run(ops.expert_down, weights.down, weights.down_scales, b.hidden, *units, b.unit_rows)
            self._run(ops.expert_sum, b.unit_rows, b.weights, b.places, b.latent)

    def _product(self, operator: Product, weights: Tensor, x: Tensor, y: Tensor) -> None:
        # The skinny form takes a second input and a norm weight, which these products do not use.
        extra = (x, self._weights.output_mix.weight) if isinstance(operator, Gemv) else ()
        self._run(operator, weights, x, *extra, y)

    def _run(self, operator: Operator, *tensors: Tensor) -> None:
        self._kernels[operator.name](*tensors)
