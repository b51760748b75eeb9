"""The specialized path as `k3_decode.decoder` calls it: fill the inputs, replay a graph, hand out the logits."""

import torch
from torch import Tensor

from k3_decode.errors import ArgumentError
from k3_decode.kernels.kda_verify import MOST_TOKENS
from k3_decode.kernels.library import KernelLibrary
from k3_decode.kernels.operator import Cache
from k3_decode.kernels.tactics import BUCKETS, bucket
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.cache import K3Cache
from k3_decode.reference.model import K3Model
from k3_decode.specialized.buffers import Records, StepBuffers, StepInputs
from k3_decode.specialized.launch import StepLauncher
from k3_decode.specialized.operators import StepOperators, check_config
from k3_decode.specialized.weights import StepWeights

CACHES: dict[torch.dtype, Cache] = {torch.bfloat16: "bf16", torch.float8_e4m3fn: "u8"}
"""Element types of MLA caches that kernels read, by dtype."""


def cache_elements(cache: K3Cache) -> Cache:
    """Tell what a cache's latent rows are made of; bfloat16 if it has none."""
    return next((CACHES[latent.dtype] for latent in cache.latent.values()), "bf16")


class _Bucket:
    """Memory and graph of one row count."""

    def __init__(
        self,
        operators: StepOperators,
        pages: int,
        model: K3Model,
        cache: K3Cache,
        weights: StepWeights,
        library: KernelLibrary,
        records: Records | None,
        *,
        captured: bool,
    ) -> None:
        rows = operators.rows
        self.inputs = StepInputs.allocate(rows, operators.requests, pages, model.device)
        self.buffers = StepBuffers.allocate(operators, model.device)
        self.launcher = StepLauncher(operators, library, weights, cache, self.inputs, self.buffers, records)
        self.run = self.launcher.launch
        if captured:
            self.launcher.launch()  # loads the kernels, which a capture may not; padding rows touch no cache
            torch.cuda.synchronize(model.device)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.launcher.launch()
            self.run = graph.replay


class KernelPath:
    """One model and cache on the kernels; a `k3_decode.decoder.SpecializedPath`.

    Args:
        model: A bfloat16 model of one rank on a CUDA device, experts packed.
        cache: Its cache; latent rows of bfloat16 or e4m3. Every step must be given this one.
        library: Kernels that hold all of `k3_decode.specialized.operators.step_operators`.
        weights: What `StepWeights.prepare` made of the model's weights; made here if None.
        buckets: Row counts to prepare, multiples of ``tokens``.
        tokens: Tokens of each request. With several, a step verifies: it leaves the state before its first token, and
            the next step folds in those that were accepted.
        graphs: Whether steps replay a captured graph; else they launch every kernel anew, for tools that follow them.

        poison: For debugging: fill every buffer of a step with NaN before it, so that what a kernel reads too early, or
            where none has written, shows in the logits.

    Raises:
        ArgumentError: A shape, dtype or rank count that no kernel serves, or a kernel that was not built.

    Note:
        Captures one graph a bucket. The graphs hold the addresses of the tensors of the model and the cache.
    """

    def __init__(
        self,
        model: K3Model,
        cache: K3Cache,
        library: KernelLibrary,
        *,
        weights: StepWeights | None = None,
        buckets: tuple[int, ...] = BUCKETS,
        tokens: int = 1,
        graphs: bool = True,
        poison: bool = False,
    ) -> None:
        check_config(model.config)
        if model.shard.size != 1:
            raise ArgumentError("KernelPath", "model", expected="one rank", got=f"rank of {model.shard.size}")
        for layer, latent in cache.latent.items():
            if latent.dtype not in CACHES:
                expected = "bfloat16 or float8_e4m3fn"
                raise ArgumentError("KernelPath", f"cache.latent[{layer}]", expected=expected, got=latent.dtype)
        self._model, self._cache, self._poison = model, cache, poison
        act = model.config.expert_act
        self._weights = StepWeights.prepare(model.weights, act) if weights is None else weights
        if self._weights.expert_act != act:
            expected = f"experts laid out for {act}"
            raise ArgumentError("KernelPath", "weights", expected=expected, got=self._weights.expert_act)
        if not 1 <= tokens <= MOST_TOKENS or any(rows % tokens for rows in buckets):
            expected = f"1..{MOST_TOKENS}, dividing every bucket"
            raise ArgumentError("KernelPath", "tokens", expected=expected, got=tokens)
        self._tokens = tokens
        records = None if tokens == 1 else Records.allocate(model.config, cache, tokens)
        self._buckets: dict[int, _Bucket] = {}
        for rows in buckets:
            operators = StepOperators(model.config, rows, tokens, cache_elements(cache))
            self._buckets[rows] = _Bucket(
                operators, cache.num_blocks, model, cache, self._weights, library, records, captured=graphs
            )  # fmt: skip

    @property
    def max_rows(self) -> int:
        """Most rows of a step."""
        return max(self._buckets)

    @property
    def max_tokens_per_request(self) -> int:
        """Most rows of one request in a step."""
        return self._tokens

    def kernel_digests(self, rows: int) -> frozenset[str]:
        """Give the SHA-256 of every cubin that a step of so many rows launches."""
        return self._bucket(rows).launcher.kernel_digests

    def forward(self, batch: StepBatch, cache: K3Cache, *, accepted: Tensor | None = None) -> Tensor:
        """Run one decode step.

        Args:
            batch: The step; every request has exactly the path's tokens. Context lengths count accepted tokens only.
            cache: The cache this path was made for.
            accepted: ``[R]`` int64, where requests have several tokens: how many of the step before each keeps, 0 to
                all. A request without context starts anew, whatever is said here.

        Returns:
            Logits ``[N, vocab]`` float32 of the batch's ``logit_rows``; zero for padding. A new tensor.

        Raises:
            ArgumentError: Another cache, another number of tokens of a request, more rows than any bucket, or several
                tokens a request and nothing said of the accepted ones.
        """
        logits = self._step(batch, cache, accepted).logits[batch.logit_rows]
        padding = (batch.slots <= 0).repeat_interleave(self._tokens)
        return logits.masked_fill(padding[batch.logit_rows].unsqueeze(-1), 0.0)

    def ranked(self, batch: StepBatch, cache: K3Cache) -> tuple[Tensor, Tensor]:
        """Run one decode step of one token a request, and give its likeliest tokens alone.

        Returns:
            Ids ``[N, 8]`` int64 of the batch's ``logit_rows``, the likeliest first, the lower one on a tie; and whether
            all logits of each row are finite, ``[N]`` bool. Neither means anything for padding. New tensors.

        Raises:
            ArgumentError: As `forward`.
        """
        buffers, rows = self._step(batch, cache, None), batch.logit_rows
        return buffers.top_ids[rows].long(), buffers.logits[rows].isfinite().all(dim=-1)

    def _step(self, batch: StepBatch, cache: K3Cache, accepted: Tensor | None) -> StepBuffers:
        """Check, fill and run a step; give its buffers."""
        if cache is not self._cache:
            raise ArgumentError("KernelPath.forward", "cache", expected="the one the path was made for", got="another")
        if batch.num_tokens != batch.num_requests * self._tokens:
            got = f"{batch.num_tokens} tokens of {batch.num_requests} requests"
            raise ArgumentError("KernelPath.forward", "batch", expected=f"{self._tokens} a request", got=got)
        if (accepted is None) != (self._tokens == 1):
            expected = "none" if self._tokens == 1 else "one count a request"
            raise ArgumentError("KernelPath.forward", "accepted", expected=expected, got=accepted)
        chosen = self._bucket(batch.num_tokens)
        self._fill(chosen.inputs, batch, accepted)
        if self._poison:
            chosen.buffers.poison()
        chosen.run()
        return chosen.buffers

    def top(self, rows: int) -> tuple[Tensor, Tensor]:
        """Give the largest logits of the last step of so many rows, without reading the others.

        Returns:
            Values ``[M, 8]`` float32, largest first, and ids ``[M, 8]`` int64, the lower one first on ties. Those of
            padding mean nothing. New tensors.
        """
        buffers = self._bucket(rows).buffers
        return buffers.top_values[:rows].clone(), buffers.top_ids[:rows].long()

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

    def _fill(self, inputs: StepInputs, batch: StepBatch, accepted: Tensor | None) -> None:
        """Write the step's inputs, and padding behind them."""
        rows, requests, page = batch.num_tokens, batch.num_requests, self._cache.block_size
        live = batch.slots > 0
        positions = batch.context_lens.unsqueeze(1) + torch.arange(self._tokens, device=batch.context_lens.device)
        place = batch.block_tables.gather(1, positions // page) * page + positions % page
        inputs.tokens[:rows] = batch.tokens
        inputs.slots[:requests] = batch.slots.clamp(min=0)
        inputs.starts[:requests] = batch.context_lens.where(live, -1)
        if accepted is not None:
            inputs.accepted[:requests] = accepted
        inputs.context_lens[:rows] = positions.where(live.unsqueeze(1), -1).flatten()
        inputs.cache_rows[:rows] = place.where(live.unsqueeze(1), -1).flatten()
        tables = batch.block_tables.repeat_interleave(self._tokens, dim=0)
        inputs.tables[:rows, : tables.shape[1]] = tables
        for tensor, used, nothing in (
            (inputs.slots, requests, 0), (inputs.starts, requests, -1), (inputs.context_lens, rows, -1),
            (inputs.cache_rows, rows, -1),
        ):  # fmt: skip
            tensor[used:] = nothing
