"""What `k3_decode.bench layer` and ``step`` time: whole layers and whole steps of a model with the shapes of one rank.

A layer starts at its first attention residual and ends before the next layer's. Two forms of its experts are timed:
with every row of the router and of the latent projections on the rank, which is what stock does, and with this rank's
share of them (`k3_decode.specialized.sharded`), which is what the bounds of the specification count. Neither holds
collectives. Selection biases are zero, so that tokens choose experts nearly uniformly; bytes count the experts that
were chosen. Layers are drawn one at a time, so that a rank of the whole model, 110 GB, fits a GPU of 141 GB.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from k3_decode.bench.gpu_timing import Measured
from k3_decode.bench.kernel_cases import CONTEXT, PAGE, chain
from k3_decode.bench.random_model import RandomWeights
from k3_decode.config import K3Config
from k3_decode.kernels.library import KernelLibrary
from k3_decode.reference.cache import K3Cache
from k3_decode.specialized.path import KernelPath
from k3_decode.specialized.sharded import ShardedMoe, ShardedOperators
from k3_decode.specialized.weights import Moe


class LayerCases:
    """Makes launches of the layers and steps of one model.

    Args:
        library: Built kernels.
        config: Shapes of one rank.
        tp: Ranks whose share they are.
        device: Where to run.
        context: Tokens before the step, of each request.
    """

    def __init__(
        self, library: KernelLibrary, config: K3Config, tp: int, device: torch.device, *, context: int = CONTEXT - 1
    ) -> None:
        self.library, self.config, self.tp, self.device, self.context = library, config, tp, device, context
        self.model, self.weights = RandomWeights(config, 3, device).prepared()
        for layer in self.weights.layers:
            if isinstance(layer.feed_forward, Moe):
                layer.feed_forward.bias.zero_()

    def step(self, rows: int) -> Measured:
        """Bind the whole step."""
        path, _ = self._path(rows)
        launcher = path.launcher(rows)
        launcher.launch()
        return Measured(self.config.name, self.tp, rows, self._step_bytes(path, rows), [launcher.launch])

    def sharded_step(self, rows: int) -> Measured:
        """Bind the whole step with this rank's share of the experts' front and up-projection, and no exchange."""
        c, (path, _) = self.config, self._path(rows)
        launcher, buffers = path.launcher(rows), path.buffers(rows)
        launcher.launch()  # leaves ordinary numbers in every buffer, of which shares write a part
        share, parts = ShardedOperators(c, self.tp, rows), [launcher.start]
        for index, layer in enumerate(self.weights.layers):
            if isinstance(layer.feed_forward, Moe):
                experts = ShardedMoe(share, self.library, launcher, layer.feed_forward, buffers)
                parts += [partial(launcher.attention, index), experts.launch]
            else:
                parts.append(partial(launcher.layer, index))
        moved = self._step_bytes(path, rows, ranks=self.tp)
        return Measured(f"{c.name}_sharded_front", self.tp, rows, moved, [chain(*parts, launcher.finish)])

    def layers(self, rows: int) -> Iterator[Measured]:
        """Yield layers of both kinds in both forms; each execution is another layer of the model."""
        c = self.config
        path, _ = self._path(rows)
        launcher = path.launcher(rows)
        launcher.launch()  # leaves ordinary numbers in every buffer
        kinds = {"kda": c.kda_layer_indices, "mla": c.mla_layer_indices}
        share = ShardedOperators(c, self.tp, rows)
        for kind, found in kinds.items():
            indices = [index for index in found if not c.is_dense(index)]
            own, distinct = self._attention_bytes(kind, rows), self._distinct(path, rows, indices)
            launches = [partial(launcher.layer, index) for index in indices]
            yield Measured(f"{kind}_moe_layer", self.tp, rows, own + self._moe_bytes(distinct, ranks=1), launches)
            distinct = self._distinct(path, rows, indices[-1:])  # the last layer's choice is left for every other
            halves = []
            for index in indices:
                weights = self.weights.layers[index].feed_forward
                assert isinstance(weights, Moe)
                experts = ShardedMoe(share, self.library, launcher, weights, path.buffers(rows))
                halves.append(chain(partial(launcher.attention, index), experts.launch))
            moved = own + self._moe_bytes(distinct, ranks=self.tp)
            yield Measured(f"{kind}_moe_layer_sharded_front", self.tp, rows, moved, halves)

    def _path(self, rows: int) -> tuple[KernelPath, K3Cache]:
        """Make a path of one row count, its inputs set to live requests of the context's length."""
        pages = self.context // PAGE + 1
        cache = self.model.new_cache(num_slots=rows + 1, num_blocks=rows * pages + 1, block_size=PAGE)
        for latent in cache.latent.values():
            latent.normal_()
        path = KernelPath(self.model, cache, self.library, weights=self.weights, buckets=(rows,))
        inputs = path.inputs(rows)

        def i32(values: Tensor) -> Tensor:
            return values.to(dtype=torch.int32, device=self.device)

        inputs.slots.copy_(i32(torch.arange(1, rows + 1)))
        inputs.tokens.copy_(i32(torch.randint(0, self.config.vocab_size, (rows,))))
        inputs.starts.fill_(self.context)
        inputs.context_lens.fill_(self.context)
        inputs.tables[:, :pages] = i32(torch.arange(rows * pages) + 1).view(rows, pages)
        inputs.cache_rows.copy_(inputs.tables[:, self.context // PAGE] * PAGE + self.context % PAGE)
        return path, cache

    def _distinct(self, path: KernelPath, rows: int, indices: Sequence[int]) -> float:
        """Count the experts that layers choose, as they are launched one after another; the mean."""
        counts = []
        for index in indices:
            path.launcher(rows).layer(index)
            counts.append(len(set(path.buffers(rows).ids.flatten().tolist())))
        return sum(counts) / len(counts)

    def _attention_bytes(self, kind: str, rows: int) -> int:
        c, heads, size, hidden = (
            self.config,
            self.config.num_heads,
            self.config.projection_size,
            self.config.hidden_size,
        )
        if kind == "kda":
            weights = 2 * hidden * (5 * size + c.kda_head_dim + heads) + 2 * size * c.kda_head_dim
            return weights + rows * 8 * heads * c.kda_head_dim**2
        projections = hidden * (c.q_lora_rank + c.cache_width + 2 * heads * c.v_head_dim)
        inner = heads * (c.q_lora_rank * c.qk_head_dim + c.kv_lora_rank * (c.qk_nope_head_dim + c.v_head_dim))
        return 2 * (projections + inner) + rows * (self.context + 1) * c.cache_width * 2

    def _moe_bytes(self, distinct: float, *, ranks: int) -> int:
        c = self.config
        experts = distinct * 3 * c.latent_size * c.expert_size * 17 / 32
        divided = (c.num_experts + 2 * c.latent_size) // ranks
        return int(2 * c.hidden_size * (divided + 3 * c.shared_size) + experts)

    def _step_bytes(self, path: KernelPath, rows: int, *, ranks: int = 1) -> int:
        """Count what a step reads at least: dense weights once, the experts that are chosen, KDA states twice."""
        c = self.config
        attention = {kind: self._attention_bytes(kind, rows) for kind in ("kda", "mla")}
        total = sum(attention[c.layer_kind(index)] for index in range(c.num_layers))
        sparse = range(c.first_dense, c.num_layers)
        total += len(sparse) * self._moe_bytes(self._distinct(path, rows, sparse), ranks=ranks)
        return total + 2 * c.hidden_size * (3 * c.first_dense * c.dense_size + c.vocab_size)
