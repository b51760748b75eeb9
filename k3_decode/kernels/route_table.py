# mypy: allow-untyped-decorators
"""The table of expert units: the tokens of several rows grouped by expert.

Units come in ascending order of expert and token, at most `UNIT` tokens to one, so that the expert's weights are read
once for all of them.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import select_bits
from k3_decode.kernels.parts.dsl import Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load, load_shared, store, store_shared
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors
from k3_decode.kernels.route import UNIT

TABLE_THREADS = 1024
NOBODY = 0xFFFFFFFF


@dataclass(frozen=True)
class RouteTable:
    """The units of several rows, in one block.

    Attributes:
        experts: Number of experts, at most 1024.
        top_k: Experts of a token.
    """

    experts: int
    top_k: int

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"route_table_{self.experts}_top{self.top_k}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("ids", "i32", ("m", self.top_k), aligned=False),
            Argument("places", "i32", ("m", self.top_k), aligned=False),
            Argument("unit_experts", "i32", ("u",), aligned=False),
            Argument("unit_tokens", "i32", ("u", UNIT)),
        )

    @property
    def contract(self) -> Contract:
        """Nothing is read before the wait."""
        return Contract()

    @cute.jit
    def __call__(self, ids: Tensor, places: Tensor, unit_experts: Tensor, unit_tokens: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            ids: ``[M, k]`` expert ids, M at most 64.
            places: ``[M, k]`` gets the row of each pick among the units' rows: unit * 8 + column.
            unit_experts: ``[U]`` gets the expert of each unit, -1 beyond the last; U is at least ``M * k``.
            unit_tokens: ``[U, 8]`` gets the tokens of each unit, -1 beyond its last.
            stream: Where to run.
        """
        self.body(
            ids.iterator.toint(), places.iterator.toint(), unit_experts.iterator.toint(),
            unit_tokens.iterator.toint(), Int32(cute.size(ids, mode=[0])), Int32(cute.size(unit_experts, mode=[0])),
        ).launch(grid=[1, 1, 1], block=[TABLE_THREADS, 1, 1], stream=stream, use_pdl=True)  # fmt: skip

    @cute.kernel
    def body(self, ids: Int64, places: Int64, unit_experts: Int64, unit_tokens: Int64, m: Int32, units: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, 3 * TABLE_THREADS + WARP, byte_alignment=128
        ).toint()  # fmt: skip
        low, high, starts, totals = [shared + i * TABLE_THREADS * 4 for i in range(4)]
        release_dependents()
        zero = Uint32(0)
        store_shared(low + thread * 4, [zero])
        store_shared(high + thread * 4, [zero])
        wait_for_predecessors()
        # A thread keeps one pick: 64 rows of 16 experts are as many as the block has threads.
        picks = m * self.top_k
        pick = cutlass.min(thread, picks - 1)
        token, expert = pick // self.top_k, Int32(load(ids + Int64(pick) * 4, words=1)[0])
        for unit in cutlass.range(thread, units, TABLE_THREADS, unroll=1):
            nothing = Int32(-1)
            store(unit_experts + Int64(unit) * 4, [nothing])
            for i in cutlass.range_constexpr(UNIT // 4):
                store(unit_tokens + Int64(unit) * (UNIT * 4) + i * 16, [nothing, nothing, nothing, nothing])
        barrier()  # the masks are clear, and no unit of an older step is left
        if thread < picks:
            mask = (low if token < WARP else high) + expert * 4
            cute.arch.inline_ptx(
                "red.shared.or.b32 [{$r0}], {$r1};", read_only_args=[mask, Uint32(1) << Uint32(token % WARP)]
            )
        barrier()  # the masks name every token of every expert
        self.tabulate(low, high, starts, totals, thread, unit_experts)
        if thread < picks:
            before = self.tokens_before(low, high, expert, token)
            place = Int32(load_shared(starts + expert * 4, words=1)[0]) * UNIT + before
            store(places + Int64(pick) * 4, [place])
            store(unit_tokens + Int64(place) * 4, [token])

    def tokens_before(self, low: Value, high: Value, expert: Value, token: Value) -> Value:
        """Count the tokens of an expert with a smaller index."""
        words = [load_shared(mask + expert * 4, words=1)[0] for mask in (low, high)]
        below = (Uint32(1) << Uint32(token % WARP)) - 1
        late = Uint32(token // WARP)
        in_low = words[0] & select_bits(late, Uint32(NOBODY), below)
        in_high = words[1] & select_bits(late, below, Uint32(0))
        return Int32(cute.arch.popc(in_low)) + Int32(cute.arch.popc(in_high))

    @cute.jit
    def tabulate(
        self, low: Int32, high: Int32, starts: Int32, totals: Int32, thread: Int32, unit_experts: Int64
    ) -> None:
        """Give each expert its run of units: an exclusive sum of units over experts, one expert a thread."""
        lane, warp = thread % WARP, thread // WARP
        tokens = Int32(cute.arch.popc(load_shared(low + thread * 4, words=1)[0])) + Int32(
            cute.arch.popc(load_shared(high + thread * 4, words=1)[0])
        )
        count = (tokens + UNIT - 1) // UNIT
        inclusive = count
        for i in cutlass.range_constexpr(5):
            other = cute.arch.shuffle_sync_up(inclusive, 1 << i, mask_and_clamp=0)
            inclusive = inclusive + (other if lane >= (1 << i) else Int32(0))
        if lane == WARP - 1:
            store_shared(totals + warp * 4, [inclusive])
        barrier()  # the sums of all warps are there
        first = inclusive - count
        for other in cutlass.range_constexpr(TABLE_THREADS // WARP):
            before = Int32(load_shared(totals + other * 4, words=1)[0])
            first = first + (before if other < warp else Int32(0))
        store_shared(starts + thread * 4, [first])
        for i in cutlass.range(count):
            store(unit_experts + Int64(first + i) * 4, [thread])
        barrier()  # the starts of all experts are there
