# mypy: allow-untyped-decorators
"""Kimi Delta Attention for one token a request, everything between its projections in one kernel.

Equals `k3_decode.reference.kda_layer.kda_attention` without its two matrix products of width ``H``: convolution and
SiLU, low-rank decay gate, delta rule on the float32 state, gated norm. States and windows are updated in place.

A cluster of ``cluster`` blocks serves one head of one request; each block owns a share of the 128 value rows of the
state. The vectors that all rows need (query, key, decay) are computed by every block: the factor of the decay gate is
a weight and is read before the dependency wait. A row of the state is spread over 8 lanes, 16 keys each; one pass over
the row gives both ``S' k`` and ``S' q``, because ``S q = S' q + u (k q)``. The only exchange is the sum of squares of
the outputs; it also tells that every block has read the window, which block 0 then shifts.

Slot and context are inputs of the step and known early, so blocks bring their state and the windows into L2 before the
wait, and read them after.
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
    load_shared,
    load_shared_f32,
    load_static,
    load_static_f32,
    prefetch,
    store,
    store_bf16,
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
"""Rows of one pass of a warp."""
KEYS = HEAD // ROW_LANES
"""Keys of a lane, four 16-byte loads."""
TAPS = 4
WINDOW_BYTES = 2 * (TAPS - 1)
"""Bytes of a channel's window."""


@dataclass(frozen=True)
class KdaDecode:
    """One compiled form of the kernel.

    Attributes:
        heads: Heads of this rank.
        cluster: Blocks of one head: 2, 4 or 8.
        lower_bound: Bound of the log decay.
        eps: Added to the mean square of the output norm.
    """

    heads: int
    cluster: int
    lower_bound: float = -5.0
    eps: float = 1e-5

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"kda_decode_heads{self.heads}_cluster{self.cluster}"

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
            Argument("slots", "i32", ("m",), aligned=False, settled=True),
            Argument("context_lens", "i32", ("m",), aligned=False, settled=True),
            Argument("conv", "bf16", ("s", 3 * self.size, TAPS - 1)),
            Argument("state", "f32", ("s", self.heads, HEAD, HEAD)),
            Argument("out", "bf16", ("m", self.size)),
        )

    @property
    def contract(self) -> Contract:
        """The factor of the decay gate and the taps are read before the wait, the state after it."""
        return Contract(
            before_wait={"f_b": 16, "conv_weight": 3}, after_wait={"state": 4 * self.passes}, brought=("state", "conv"),
            products=16,
        )  # fmt: skip

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
        slots: Tensor, context_lens: Tensor, conv: Tensor, state: Tensor, out: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            projected: ``[M, 4P + 128 + heads]`` rows of the input projection: q, k, v, output gate, bottleneck, beta.
            f_b: ``[P, 128]`` second factor of the decay gate.
            conv_weight: ``[3P, 4]``.
            a_log: At least ``[heads]``.
            dt_bias: ``[P]``.
            o_norm: ``[128]``.
            slots: ``[M]`` state slot of each row; 0 or less is padding: zeros out, no state touched.
            context_lens: ``[M]``; a row without context starts from zero state, whatever the slot holds.
            conv: ``[S, 3P, 3]`` windows, oldest first; updated.
            state: ``[S, heads, 128, 128]`` value by key; updated.
            out: ``[M, P]``.
            stream: Where to run.
        """
        self.body(
            projected.iterator.toint(), f_b.iterator.toint(), conv_weight.iterator.toint(), a_log.iterator.toint(),
            dt_bias.iterator.toint(), o_norm.iterator.toint(), slots.iterator.toint(), context_lens.iterator.toint(),
            conv.iterator.toint(), state.iterator.toint(), out.iterator.toint(), Int32(projected.stride[0]),
        ).launch(
            grid=[self.cluster, self.heads, cute.size(projected, mode=[0])], block=[THREADS, 1, 1],
            cluster=[self.cluster, 1, 1], stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, projected: Int64, f_b: Int64, conv_weight: Int64, a_log: Int64, dt_bias: Int64, o_norm: Int64,
        slots: Int64, context_lens: Int64, conv: Int64, state: Int64, out: Int64, stride: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        _, head, row = cute.arch.block_idx()
        rank = Int32(cluster_rank())
        lane, warp = thread % WARP, thread // WARP
        group, quad = lane // 4, lane % 4
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, 5 * HEAD + 4 * WARPS + mailbox_words(1, self.cluster), byte_alignment=128
        ).toint()  # fmt: skip
        query, key, value, decay, gain = [shared + i * HEAD * 4 for i in range(5)]
        scratch = shared + 5 * HEAD * 4
        squares, box = scratch + 3 * WARPS * 4, scratch + 4 * WARPS * 4
        release_dependents()

        factor = load_factor(f_b, head, warp, group, quad)
        channel = head * HEAD + thread
        taps = [
            [from_bits(word) for word in load_static(conv_weight + Int64(part * self.size + channel) * (TAPS * 4))]
            for part in range(3)
        ]
        gate_row = warp * WARP + quad // 2 * 16 + quad % 2 * 8 + group
        rate = exp(load_static_f32(a_log + Int64(head) * 4))
        shift = load_static_f32(dt_bias + Int64(head * HEAD + gate_row) * 4)
        norm = load_static_f32(o_norm + Int64(thread) * 4)
        slot = Int32(load(slots + Int64(row) * 4, words=1)[0])
        context = Int32(load(context_lens + Int64(row) * 4, words=1)[0])
        live = slot > 0
        slot = cutlass.max(slot, Int32(0))
        base = (Int64(slot) * self.heads + Int64(head)) * (HEAD * HEAD * 4)
        if thread == 0:
            prefetch(state + base + Int64(rank) * (self.rows * HEAD * 4), Int32(self.rows * HEAD * 4))
            if rank == 0:
                for part in cutlass.range_constexpr(3):
                    window = Int64(slot) * (3 * self.size) + Int64(part * self.size + head * HEAD)
                    prefetch(conv + window * WINDOW_BYTES, Int32(HEAD * WINDOW_BYTES))
        open_mailboxes([(box, 1)], thread, self.cluster)
        wait_for_predecessors()

        carried = Uint32(1) if context > 0 else Uint32(0)
        inputs = projected + Int64(row) * Int64(stride) * 2
        first_row = rank * self.rows + warp * (self.rows // WARPS) + lane // ROW_LANES
        places = [
            state + base + Int64(first_row + p * PASS_ROWS) * (HEAD * 4) + Int64(lane % ROW_LANES) * 16
            for p in range(self.passes)
        ]
        windows = [
            conv + (Int64(slot) * (3 * self.size) + Int64(part * self.size + channel)) * ((TAPS - 1) * 2)
            for part in range(3)
        ]
        raw = [load_bf16(inputs + Int64(part * self.size + channel) * 2) for part in range(3)]
        bottleneck = [load(inputs + (4 * self.size * 2 + quad * 16 + c * 64)) for c in range(4)]
        history = [[self.keep(carried, load_bf16(at + 2 * i)) for i in range(TAPS - 1)] for at in windows]
        gate = load_bf16(inputs + Int64(3 * self.size + channel) * 2)
        strength = load_bf16(inputs + Int64(4 * self.size + HEAD + head) * 2)
        old = [[load(place + j * (ROW_LANES * 16)) for j in range(4)] for place in places]
        beta = sigmoid(strength)

        mixed = []
        for part in cutlass.range_constexpr(3):
            total = raw[part] * taps[part][TAPS - 1]
            for i in cutlass.range_constexpr(TAPS - 1):
                total = total + history[part][i] * taps[part][i]
            mixed.append(silu(total))
        q, k, v = mixed
        sums = block_sums([q * q, k * k, q * k], scratch, thread, warps=WARPS)
        q_scale, k_scale = rsqrt(sums[0] + 1e-6) * HEAD**-0.5, rsqrt(sums[1] + 1e-6)
        agreement = sums[2] * q_scale * k_scale
        store_shared_f32(query + thread * 4, q * q_scale)
        store_shared_f32(key + thread * 4, k * k_scale)
        store_shared_f32(value + thread * 4, v)
        store_shared_f32(gain + thread * 4, norm * sigmoid(gate))
        logit = self.gate_logit(factor, bottleneck, quad)
        store_shared_f32(decay + gate_row * 4, exp(self.lower_bound * sigmoid(rate * (logit + shift))))
        barrier()  # all threads have written the head's vectors

        at_lane = lane % ROW_LANES * 16
        decays, keys, queries = [
            [from_bits(w) for j in range(4) for w in load_shared(vector + at_lane + j * ROW_LANES * 16)]
            for vector in (decay, key, query)
        ]
        outputs, square = [], Float32(0.0)
        for p in cutlass.range_constexpr(self.passes):
            cells = [self.keep(carried, from_bits(w)) * decays[4 * j + i] for j in range(4) for i, w in
                     enumerate(old[p][j])]  # fmt: skip
            by_key, by_query = Float32(0.0), Float32(0.0)
            for i in cutlass.range_constexpr(KEYS):
                by_key = by_key + cells[i] * keys[i]
                by_query = by_query + cells[i] * queries[i]
            by_key, by_query = warp_sum(by_key, lanes=ROW_LANES), warp_sum(by_query, lanes=ROW_LANES)
            u = beta * (load_shared_f32(value + (first_row + p * PASS_ROWS) * 4) - by_key)
            o = by_query + u * agreement
            outputs.append(o)
            square = square + o * o
            if live:
                for j in cutlass.range_constexpr(4):
                    store(places[p] + j * (ROW_LANES * 16),
                          [bits(cells[4 * j + i] + u * keys[4 * j + i]) for i in range(4)])  # fmt: skip
        # Each row counted once: its 8 lanes hold the same output.
        own = Float32(1.0) if lane % ROW_LANES == 0 else Float32(0.0)
        # All shares have arrived when it returns, so every block has read the windows.
        total = cluster_sums([square * own], squares, box, thread, WARPS, self.cluster)[0]
        inverse = rsqrt(total * (1.0 / HEAD) + self.eps)
        for p in cutlass.range_constexpr(self.passes):
            if lane % ROW_LANES == p:
                place = first_row + p * PASS_ROWS
                result = outputs[p] * inverse * load_shared_f32(gain + place * 4)
                result = result if live else Float32(0.0)
                store_bf16(out + (Int64(row) * self.size + Int64(head * HEAD + place)) * 2, result)
        if rank == 0 and live:
            for part in cutlass.range_constexpr(3):
                for i in cutlass.range_constexpr(TAPS - 2):
                    store_bf16(windows[part] + 2 * i, history[part][i + 1])
                store_bf16(windows[part] + 2 * (TAPS - 2), raw[part])

    def keep(self, carried: Value, value: Value) -> Value:
        """Give a carried value, or 0 for a row that starts without context, whatever the memory holds."""
        return from_bits(select_bits(carried, bits(value), Uint32(0)))

    def gate_logit(self, factor: list[list[Value]], bottleneck: list[list[Value]], quad: Value) -> Value:
        """Multiply the factor by the bottleneck; each lane gets the row that its quad index selects."""
        rows = [acc[i] for acc in multiply_factor(factor, bottleneck) for i in (0, 2)]
        even = [from_bits(select_bits(quad // 2, bits(rows[2 + i]), bits(rows[i]))) for i in range(2)]
        return from_bits(select_bits(quad % 2, bits(even[1]), bits(even[0])))
