"""The specialized path as `k3_decode.decoder` calls it: fill the inputs, replay a graph, hand out the logits."""

import torch
from torch import Tensor

from k3_decode.errors import ArgumentError
from k3_decode.kernels.library import KernelLibrary
from k3_decode.kernels.tactics import BUCKETS, bucket
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.cache import K3Cache
from k3_decode.reference.model import K3Model
from k3_decode.specialized.buffers import StepBuffers, StepInputs
from k3_decode.specialized.launch import StepLauncher
from k3_decode.specialized.operators import StepOperators, check_config
from k3_decode.specialized.weights import StepWeights


class _Bucket:
    """Memory and graph of one row count."""

    def __init__(
        self, rows: int, pages: int, model: K3Model, cache: K3Cache, weights: StepWeights, library: KernelLibrary
    ) -> None:
        self.rows = rows
        self.inputs = StepInputs.allocate(rows, pages, model.device)
        self.buffers = StepBuffers.allocate(model.config, rows, model.device)
        operators = StepOperators(model.config, rows)
        self.launcher = StepLauncher(operators, library, weights, cache, self.inputs, self.buffers)
        self.launcher.launch()  # loads the kernels, which a capture may not; padding rows touch no cache
        torch.cuda.synchronize(model.device)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.launcher.launch()


class KernelPath:
    """One model and cache on the kernels; a `k3_decode.decoder.SpecializedPath`.

    Args:
        model: A bfloat16 model of one rank on a CUDA device, experts packed.
        cache: Its cache; bfloat16 latent rows. Every step must be given this one.
        library: Kernels that hold all of `k3_decode.specialized.operators.step_operators`.
        weights: What `StepWeights.prepare` made of the model's weights; made here if None.
        buckets: Row counts to prepare.

    Raises:
        ArgumentError: A shape, dtype or rank count that no kernel serves, or a kernel that was not built.

    Note:
        Captures one graph a bucket. The graphs hold the addresses of the model's and the cache's tensors.
    """

    def __init__(
        self,
        model: K3Model,
        cache: K3Cache,
        library: KernelLibrary,
        *,
        weights: StepWeights | None = None,
        buckets: tuple[int, ...] = BUCKETS,
    ) -> None:
        check_config(model.config)
        if model.shard.size != 1:
            raise ArgumentError("KernelPath", "model", expected="one rank", got=f"rank of {model.shard.size}")
        for layer, rows in cache.latent.items():
            if rows.dtype != torch.bfloat16:
                raise ArgumentError("KernelPath", f"cache.latent[{layer}]", expected="bfloat16", got=rows.dtype)
        self._model, self._cache = model, cache
        self._weights = StepWeights.prepare(model.weights) if weights is None else weights
        pages = cache.num_blocks
        self._buckets = {rows: _Bucket(rows, pages, model, cache, self._weights, library) for rows in buckets}

    @property
    def max_rows(self) -> int:
        """Most rows of a step."""
        return max(self._buckets)

    @property
    def max_tokens_per_request(self) -> int:
        """Most rows of one request in a step."""
        return 1

    def kernel_digests(self, rows: int) -> frozenset[str]:
        """Give the SHA-256 of every cubin that a step of so many rows launches."""
        return self._bucket(rows).launcher.kernel_digests

    def forward(self, batch: StepBatch, cache: K3Cache) -> Tensor:
        """Run one decode step of one token a request.

        Args:
            batch: The step; every request has exactly one token.
            cache: The cache this path was made for.

        Returns:
            Logits ``[N, vocab]`` float32 of the batch's ``logit_rows``; zero for padding. A new tensor.

        Raises:
            ArgumentError: Another cache, several tokens of one request, or more rows than any bucket.
        """
        if cache is not self._cache:
            raise ArgumentError("KernelPath.forward", "cache", expected="the one the path was made for", got="another")
        if batch.num_tokens != batch.num_requests:
            got = f"{batch.num_tokens} tokens of {batch.num_requests} requests"
            raise ArgumentError("KernelPath.forward", "batch", expected="one token a request", got=got)
        chosen = self._bucket(batch.num_tokens)
        self._fill(chosen, batch)
        chosen.graph.replay()
        logits = chosen.buffers.logits[batch.logit_rows]
        return logits.masked_fill((batch.slots <= 0)[batch.logit_rows].unsqueeze(-1), 0.0)

    def launcher(self, rows: int) -> StepLauncher:
        """Give the launches of a row count's step, for a bench that captures them its own way."""
        return self._bucket(rows).launcher

    def inputs(self, rows: int) -> StepInputs:
        """Give the inputs that `launcher` reads."""
        return self._bucket(rows).inputs

    def buffers(self, rows: int) -> StepBuffers:
        """Give the memory that `launcher` hands from kernel to kernel."""
        return self._bucket(rows).buffers

    def _bucket(self, rows: int) -> _Bucket:
        return self._buckets[bucket(rows, tuple(self._buckets))]

    def _fill(self, chosen: _Bucket, batch: StepBatch) -> None:
        """Write the step's inputs, and padding behind them."""
        rows, inputs, page = batch.num_tokens, chosen.inputs, self._cache.block_size
        live = batch.slots > 0
        block = batch.block_tables.gather(1, (batch.context_lens // page).unsqueeze(1)).squeeze(1)
        place = block * page + batch.context_lens % page
        inputs.tokens[:rows] = batch.tokens
        inputs.slots[:rows] = batch.slots.clamp(min=0)
        inputs.context_lens[:rows] = batch.context_lens.where(live, -1)
        inputs.cache_rows[:rows] = place.where(live, -1)
        inputs.tables[:rows, : batch.block_tables.shape[1]] = batch.block_tables
        for tensor, nothing in ((inputs.slots, 0), (inputs.context_lens, -1), (inputs.cache_rows, -1)):
            tensor[rows:] = nothing
