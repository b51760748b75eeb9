# mypy: allow-untyped-decorators
"""Kimi Delta Attention for several tokens a request, of which the next step keeps a leading part.

Equals `k3_decode.reference.speculation`: `commit` of what the step before recorded, then `verify_with_record`, with the
gated norm of `k3_decode.reference.kda_layer` behind. A rejected token leaves no trace, because the state that a step
reads is the one before its first token. What it takes to fold a token in is recorded in its place: the decay, the
normalised key and the correction of every head, 1.5 KB beside a state of 64 KB. So each state is read once and written
once a step, however many tokens there are.

A cluster of ``cluster`` blocks serves one head of one request, as in `k3_decode.kernels.kda`. Queries, keys, values and
decays of all tokens are made first, with one reduction for all their norms; a row of the state then goes through the
tokens in the registers of its 8 lanes, with no barrier between them. The one exchange at the end carries the sums of
squares of all tokens; after it, every block has read the old record, which may be replaced.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import bits, exp, from_bits, rsqrt, select_bits, sigmoid, silu
from k3_decode.kernels.parts.decay import HEAD, load_factor, multiply_factor
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.exchange import cluster_sums, mailbox_words, open_mailboxes
from k3_decode.kernels.parts.memory import (
    load,
    load_bf16,
    load_f32,
    load_shared,
    load_shared_f32,
    load_static,
    load_static_f32,
    store,
    store_bf16,
    store_f32,
    store_shared_f32,
)
from k3_decode.kernels.parts.sync import (
    WARP,
    barrier,
    block_sums,
    cluster_rank,
    release_dependents,
    wait_for_predecessors,
    warp_sum,
)

WARPS = 4
THREADS = WARPS * WARP
ROW_LANES = 8
"""Lanes that share a row of the state."""
PASS_ROWS = WARP // ROW_LANES
KEYS = HEAD // ROW_LANES
"""Keys of a lane, four 16-byte loads."""
TAPS = 4
VECTORS = 3
"""What a token records for each head: decay, key, correction."""
MOST_TOKENS = 8


@dataclass(frozen=True)
class KdaVerify:
    """One compiled form of the kernel.

    Attributes:
        heads: Heads of this rank.
        tokens: Tokens of each request, 1 to 8.
        cluster: Blocks of one head: 2, 4 or 8.
        lower_bound: Bound of the log decay.
        eps: Added to the mean square of the output norm.
    """

    heads: int
    tokens: int
    cluster: int
    lower_bound: float = -5.0
    eps: float = 1e-5

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"kda_verify_heads{self.heads}_tokens{self.tokens}_cluster{self.cluster}"

    @property
    def size(self) -> int:
        """Width of one projection: heads times head width."""
        return self.heads * HEAD

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("projected", "bf16", ("m", "w"), strided=True),
            Argument("f_b", "bf16", (self.size, HEAD), static=True, stream=True),
            Argument("conv_weight", "f32", (3 * self.size, TAPS), static=True),
            Argument("a_log", "f32", ("a",), static=True, aligned=False),
            Argument("dt_bias", "f32", (self.size,), static=True),
            Argument("o_norm", "f32", (HEAD,), static=True),
            Argument("slots", "i32", ("r",), aligned=False),
            Argument("context_lens", "i32", ("r",), aligned=False),
            Argument("accepted", "i32", ("r",), aligned=False),
            Argument("conv", "bf16", ("s", 3 * self.size, TAPS - 1)),
            Argument("state", "f32", ("s", self.heads, HEAD, HEAD)),
            Argument("inputs", "bf16", ("s", self.tokens, 3 * self.size)),
            Argument("record", "f32", ("s", self.heads, self.tokens, VECTORS, HEAD)),
            Argument("out", "bf16", ("m", self.size)),
        )

    @property
    def contract(self) -> Contract:
        """The factor of the decay gate and the taps are read before the wait, state and record after it."""
        return Contract(
            before_wait={"f_b": 16, "conv_weight": 3}, after_wait={"state": 4 * self.passes, "record": 8}, products=16
        )

    @property
    def rows(self) -> int:
        """Rows of the state a block owns."""
        return HEAD // self.cluster

    @property
    def passes(self) -> int:
        """Passes of a warp over its rows."""
        return self.rows // (WARPS * PASS_ROWS)

    @cute.jit
    def __call__(
        self, projected: Tensor, f_b: Tensor, conv_weight: Tensor, a_log: Tensor, dt_bias: Tensor, o_norm: Tensor,
        slots: Tensor, context_lens: Tensor, accepted: Tensor, conv: Tensor, state: Tensor, inputs: Tensor,
        record: Tensor, out: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            projected: ``[R * q, 4P + 128 + heads]`` rows of the input projection, the tokens of a request together.
            f_b: ``[P, 128]`` second factor of the decay gate.
            conv_weight: ``[3P, 4]``.
            a_log: At least ``[heads]``.
            dt_bias: ``[P]``.
            o_norm: ``[128]``.
            slots: ``[R]`` slot of each request; 0 or less is padding: zeros out, nothing touched.
            context_lens: ``[R]`` tokens before the step; a request without any starts from zero state.
            accepted: ``[R]`` tokens of the step before to fold in, 0 to q.
            conv: ``[S, 3P, 3]`` windows before the recorded tokens; the accepted ones are moved in.
            state: ``[S, heads, 128, 128]`` likewise.
            inputs: ``[S, q, 3P]`` convolution inputs of the recorded tokens; replaced by this step's.
            record: ``[S, heads, q, 3, 128]`` decay, key and correction of the recorded tokens; replaced likewise.
            out: ``[R * q, P]``.
            stream: Where to run.
        """
        self.body(
            projected.iterator.toint(), f_b.iterator.toint(), conv_weight.iterator.toint(), a_log.iterator.toint(),
            dt_bias.iterator.toint(), o_norm.iterator.toint(), slots.iterator.toint(), context_lens.iterator.toint(),
            accepted.iterator.toint(), conv.iterator.toint(), state.iterator.toint(), inputs.iterator.toint(),
            record.iterator.toint(), out.iterator.toint(), Int32(projected.stride[0]),
        ).launch(
            grid=[self.cluster, self.heads, cute.size(slots, mode=[0])], block=[THREADS, 1, 1],
            cluster=[self.cluster, 1, 1], stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, projected: Int64, f_b: Int64, conv_weight: Int64, a_log: Int64, dt_bias: Int64, o_norm: Int64,
        slots: Int64, context_lens: Int64, accepted: Int64, conv: Int64, state: Int64, inputs: Int64, record: Int64,
        out: Int64, stride: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        _, head, request = cute.arch.block_idx()
        rank = Int32(cluster_rank())
        lane, warp = thread % WARP, thread // WARP
        group, quad = lane // 4, lane % 4
        tokens = range(self.tokens)
        sums = 3 * self.tokens * WARPS
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, 5 * HEAD * self.tokens + sums + self.tokens * WARPS + mailbox_words(self.tokens, self.cluster),
            byte_alignment=128,
        ).toint()  # fmt: skip
        query, key, value, decay, gain = [shared + i * self.tokens * HEAD * 4 for i in range(5)]
        scratch = shared + 5 * self.tokens * HEAD * 4
        squares = scratch + sums * 4
        box = squares + self.tokens * WARPS * 4
        release_dependents()

        factor = load_factor(f_b, head, warp, group, quad)
        channel = head * HEAD + thread
        taps = [
            [from_bits(word) for word in load_static(conv_weight + Int64(part * self.size + channel) * (TAPS * 4))]
            for part in range(3)
        ]
        rate = exp(load_static_f32(a_log + Int64(head) * 4))
        gate_rows = [warp * WARP + tile * 16 + half * 8 + group for tile in range(2) for half in range(2)]
        shifts = [load_static_f32(dt_bias + Int64(head * HEAD + row) * 4) for row in gate_rows]
        norm = load_static_f32(o_norm + Int64(thread) * 4)
        open_mailboxes([(box, self.tokens)], thread, self.cluster)
        wait_for_predecessors()

        slot = Int32(load(slots + Int64(request) * 4, words=1)[0])
        context = Int32(load(context_lens + Int64(request) * 4, words=1)[0])
        kept = Int32(load(accepted + Int64(request) * 4, words=1)[0])
        live = slot > 0
        slot = cutlass.max(slot, Int32(0))
        carried = Uint32(1) if context > 0 else Uint32(0)
        kept = kept if context > 0 else Int32(0)
        first_row = rank * self.rows + warp * (self.rows // WARPS) + lane // ROW_LANES
        base = (Int64(slot) * self.heads + Int64(head)) * (HEAD * HEAD * 4)
        places = [
            state + base + Int64(first_row + p * PASS_ROWS) * (HEAD * 4) + Int64(lane % ROW_LANES) * 16
            for p in range(self.passes)
        ]
        old = [[load(place + j * (ROW_LANES * 16)) for j in range(4)] for place in places]
        steps = [projected + Int64(request * self.tokens + t) * Int64(stride) * 2 for t in tokens]
        raw = [[load_bf16(at + Int64(part * self.size + channel) * 2) for part in range(3)] for at in steps]
        gates = [load_bf16(at + Int64(3 * self.size + channel) * 2) for at in steps]
        betas = [sigmoid(load_bf16(at + Int64(4 * self.size + HEAD + head) * 2)) for at in steps]
        row = request * self.tokens + cutlass.min(group, Int32(self.tokens - 1))
        source = projected + Int64(row) * Int64(stride) * 2 + Int64(4 * self.size * 2 + quad * 16)
        bottleneck = [load(source + c * 64) for c in range(4)]
        windows = [
            [
                from_bits(select_bits(carried, bits(load_bf16(at)), Uint32(0)))
                for at in self.window(conv, inputs, slot, part * self.size + channel, kept)
            ]
            for part in range(3)
        ]

        cells = cute.make_rmem_tensor((self.passes * KEYS,), Float32)
        for p in cutlass.range_constexpr(self.passes):
            for j in cutlass.range_constexpr(4):
                for i in cutlass.range_constexpr(4):
                    cells[p * KEYS + 4 * j + i] = from_bits(select_bits(carried, old[p][j][i], Uint32(0)))
        own = record + (Int64(slot) * self.heads + Int64(head)) * (self.tokens * VECTORS * HEAD * 4)
        for t in cutlass.range(kept, unroll=1):
            self.fold(cells, own + Int64(t) * (VECTORS * HEAD * 4), first_row, lane)
        if live:
            for p in cutlass.range_constexpr(self.passes):
                for j in cutlass.range_constexpr(4):
                    four = [bits(cells[p * KEYS + 4 * j + i]) for i in range(4)]
                    store(places[p] + j * (ROW_LANES * 16), four)

        mixed = []
        for t in cutlass.range_constexpr(self.tokens):
            rows = [windows[part] + [raw[s][part] for s in range(t + 1)] for part in range(3)]
            totals = [sum((r[t + i] * taps[part][i] for i in range(TAPS)), Float32(0.0)) for part, r in enumerate(rows)]
            mixed.append([silu(total) for total in totals])
        products = [x for q, k, _ in mixed for x in (q * q, k * k, q * k)]
        found = block_sums(products, scratch, thread, warps=WARPS)
        agreements = []
        for t in cutlass.range_constexpr(self.tokens):
            q_scale, k_scale = rsqrt(found[3 * t] + 1e-6) * HEAD**-0.5, rsqrt(found[3 * t + 1] + 1e-6)
            agreements.append(found[3 * t + 2] * q_scale * k_scale)
            at = (t * HEAD + thread) * 4
            store_shared_f32(query + at, mixed[t][0] * q_scale)
            store_shared_f32(key + at, mixed[t][1] * k_scale)
            store_shared_f32(value + at, mixed[t][2])
            store_shared_f32(gain + at, norm * sigmoid(gates[t]))
        logits = multiply_factor(factor, bottleneck)
        for tile in cutlass.range_constexpr(2):
            for i in cutlass.range_constexpr(4):
                token, which = quad * 2 + i % 2, 2 * tile + i // 2
                steep = rate * (logits[tile][i] + shifts[which])
                if token < self.tokens:
                    store_shared_f32(
                        decay + (token * HEAD + gate_rows[which]) * 4, exp(self.lower_bound * sigmoid(steep))
                    )  # fmt: skip
        barrier()  # all threads have written the vectors of all tokens

        outputs, corrections, shares = [], [], []
        one = Float32(1.0) if lane % ROW_LANES == 0 else Float32(0.0)
        for t in cutlass.range_constexpr(self.tokens):
            at = lane % ROW_LANES * 16 + t * (HEAD * 4)
            decays, keys, queries = [
                [from_bits(w) for j in range(4) for w in load_shared(vector + at + j * ROW_LANES * 16)]
                for vector in (decay, key, query)
            ]
            square = Float32(0.0)
            for p in cutlass.range_constexpr(self.passes):
                now = [cells[p * KEYS + i] * decays[i] for i in range(KEYS)]
                by_key, by_query = Float32(0.0), Float32(0.0)
                for i in cutlass.range_constexpr(KEYS):
                    by_key = by_key + now[i] * keys[i]
                    by_query = by_query + now[i] * queries[i]
                by_key, by_query = warp_sum(by_key, lanes=ROW_LANES), warp_sum(by_query, lanes=ROW_LANES)
                u = betas[t] * (load_shared_f32(value + (t * HEAD + first_row + p * PASS_ROWS) * 4) - by_key)
                o = by_query + u * agreements[t]
                for i in cutlass.range_constexpr(KEYS):
                    cells[p * KEYS + i] = now[i] + u * keys[i]
                outputs.append(o)
                corrections.append(u)
                square = square + o * o
            shares.append(square * one)  # each row counted once: its 8 lanes hold the same output
        # All shares have arrived when it returns, so every block has read the old record and windows.
        totals = cluster_sums(shares, squares, box, thread, WARPS, self.cluster)
        for t in cutlass.range_constexpr(self.tokens):
            inverse = rsqrt(totals[t] * (1.0 / HEAD) + self.eps)
            for p in cutlass.range_constexpr(self.passes):
                if lane % ROW_LANES == p:
                    place = first_row + p * PASS_ROWS
                    result = outputs[t * self.passes + p] * inverse * load_shared_f32(gain + (t * HEAD + place) * 4)
                    result = result if live else Float32(0.0)
                    target = Int64(request * self.tokens + t) * self.size + Int64(head * HEAD + place)
                    store_bf16(out + target * 2, result)
                    if live:
                        correction = own + Int64((t * VECTORS + 2) * HEAD + place) * 4
                        store_f32(correction, corrections[t * self.passes + p])
        if rank == 0 and live:
            for t in cutlass.range_constexpr(self.tokens):
                vectors = own + Int64(t * VECTORS * HEAD + thread) * 4
                store_f32(vectors, load_shared_f32(decay + (t * HEAD + thread) * 4))
                store_f32(vectors + HEAD * 4, load_shared_f32(key + (t * HEAD + thread) * 4))
            for part in cutlass.range_constexpr(3):
                place = part * self.size + channel
                for i in cutlass.range_constexpr(TAPS - 1):
                    oldest = (Int64(slot) * (3 * self.size) + Int64(place)) * (TAPS - 1)
                    store_bf16(conv + (oldest + i) * 2, windows[part][i])
                for t in cutlass.range_constexpr(self.tokens):
                    first = Int64(slot) * (self.tokens * 3 * self.size) + Int64(place)
                    store_bf16(inputs + (first + t * 3 * self.size) * 2, raw[t][part])

    def window(self, conv: Value, inputs: Value, slot: Value, channel: Value, kept: Value) -> list[Value]:
        """Name the places of a channel's last inputs: of the old window and the accepted tokens, the last three."""
        old = conv + (Int64(slot) * (3 * self.size) + Int64(channel)) * ((TAPS - 1) * 2)
        recorded = inputs + (Int64(slot) * (self.tokens * 3 * self.size) + Int64(channel)) * 2
        places = []
        for i in range(TAPS - 1):
            at = kept + i
            late = recorded + Int64(cutlass.max(at - (TAPS - 1), Int32(0))) * (3 * self.size * 2)
            early = old + Int64(cutlass.min(at, Int32(TAPS - 2))) * 2
            accepted = cutlass.min(cutlass.max(at - (TAPS - 2), Int32(0)), Int32(1))
            places.append(early + (late - early) * Int64(accepted))
        return places

    @cute.jit
    def fold(self, cells: Tensor, at: Int64, first_row: Int32, lane: Int32) -> None:
        """Fold one recorded token into this lane's cells: ``S <- S diag(decay) + u k^T``."""
        source = at + Int64(lane % ROW_LANES) * 16
        decays, keys = [
            [from_bits(w) for j in range(4) for w in load(source + vector * HEAD * 4 + j * ROW_LANES * 16)]
            for vector in range(2)
        ]
        for p in cutlass.range_constexpr(self.passes):
            u = load_f32(at + 2 * HEAD * 4 + Int64(first_row + p * PASS_ROWS) * 4)
            for i in cutlass.range_constexpr(KEYS):
                cells[p * KEYS + i] = cells[p * KEYS + i] * decays[i] + u * keys[i]
