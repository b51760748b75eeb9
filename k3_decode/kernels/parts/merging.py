# mypy: allow-untyped-decorators
"""What the blocks that divide a request's keys found, merged over a cluster and then over the clusters."""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Cache
from k3_decode.kernels.parts.arithmetic import bits, pack_bf16, reciprocal
from k3_decode.kernels.parts.attention import TILE_HEADS
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Tensor, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load, load_shared, store, store_shared, store_shared_f32
from k3_decode.kernels.parts.splits import arrive, weighted
from k3_decode.kernels.parts.sync import (
    WARP,
    barrier,
    cluster_arrive_relaxed,
    cluster_barrier,
    cluster_rank,
    cluster_wait,
    load_peer,
    peer_address,
)


@dataclass(frozen=True)
class Merging:
    """Blocks of a cluster take a share of the columns each; the last cluster of a request to arrive merges all of them.

    A warp of a block holds a run of the columns, of all heads of the block.

    Attributes:
        latent: Columns of an output.
        tiles: Tiles of 8 heads of a block.
        splits: Blocks that divide the keys of a request.
        warps: Warps of a block.
        cache: Type of the cache, which decides the columns that a lane holds.
        cluster: Blocks of a cluster.
    """

    latent: int
    tiles: int
    splits: int
    warps: int
    cache: Cache
    cluster: int

    @property
    def heads(self) -> int:
        """Heads of a block."""
        return self.tiles * TILE_HEADS

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.warps * WARP

    @property
    def run(self) -> int:
        """Columns of a warp."""
        return self.latent // self.warps

    @property
    def clusters(self) -> int:
        """Clusters that divide the keys of a request."""
        return self.splits // self.cluster

    @property
    def columns(self) -> int:
        """Columns that a block merges."""
        return self.latent // self.cluster

    @property
    def scratch(self) -> tuple[Argument, Argument]:
        """What clusters leave: their shares, and maxima and sums."""
        merged = ("m", "g", self.cluster, self.clusters, self.heads)
        return Argument("partial", "f32", (*merged, self.columns)), Argument("sums", "f32", (*merged, 2))

    @property
    def pitch(self) -> int:
        """Bytes between the heads of a block's outputs in shared memory, where lanes that write meet no bank twice."""
        return self.latent * 4 + 16

    @cute.jit
    def merge(
        self, acc: Tensor, free: Int32, stats: Int32, word: Int32, partial: Int64, sums: Int64, counters: Int64,
        out: Int64, split: Int32, slot: Int64, live: Int32, thread: Int32,
    ) -> None:  # fmt: skip
        """Merge this block's share of the columns over the cluster, then over the clusters if it is the last.

        Args:
            acc: Outputs of this warp's columns.
            free: Shared memory for the block's outputs.
            stats: Shared memory with the maximum and the sum of each head, side by side.
            word: Shared memory for a word, which no peer reads.
            partial: Scratch of all requests.
            sums: The same.
            counters: Clusters that have arrived, of all requests.
            out: Output of the block's first head.
            split: Index of the block among those of its request.
            slot: Index of the request and its group of heads.
            live: Heads of the block that there are.
            thread: Index of the thread in the block.
        """
        lane, warp, rank = thread % WARP, thread // WARP, Int32(cluster_rank())
        for at, which, column in self.held(lane):
            target = free + self.head(which, lane) * self.pitch + (warp * self.run + column) * 4
            store_shared_f32(target, acc[at])
        peers = [peer_address(free, Int32(p)) for p in range(self.cluster)]
        cluster_barrier()  # every block has left its outputs
        own = slot * self.cluster + Int64(rank)
        first, units = own * (self.clusters * self.heads), self.columns // 4
        for item in cutlass.range(thread, live * units, self.threads, unroll=1):
            here, column = item // units, item % units * 4
            known = [load_peer(peer + (stats - free) + here * 8, words=2) for peer in peers]
            at = here * self.pitch + (rank * self.columns + column) * 4
            largest, whole, values = weighted(known, [load_peer(peer + at) for peer in peers])
            if cutlass.const_expr(self.clusters == 1):
                self.finish(out, here, rank * self.columns + column, whole, values)
            else:
                place = first + Int64(split // self.cluster * self.heads + here)
                store(partial + (place * self.columns + Int64(column)) * 4, [bits(value) for value in values])
                if column == 0:
                    store(sums + place * 8, [bits(largest), bits(whole)])
        cluster_arrive_relaxed()  # this block has read its peers
        if cutlass.const_expr(self.clusters > 1):
            barrier()  # all threads have written
            if thread == 0:
                store_shared(word, [arrive(counters + own * 4, self.clusters)])
            barrier()  # all threads know whether this block is the last
            if Int32(load_shared(word, words=1)[0]) == self.clusters - 1:
                for item in cutlass.range(thread, live * units, self.threads, unroll=1):
                    here, column = item // units, item % units * 4
                    places = [first + Int64(n * self.heads + here) for n in range(self.clusters)]
                    known = [load(sums + each * 8, words=2) for each in places]
                    found = [load(partial + (each * self.columns + Int64(column)) * 4) for each in places]
                    _, whole, values = weighted(known, found)
                    self.finish(out, here, rank * self.columns + column, whole, values)
        cluster_wait()  # no block leaves while a peer may still read its outputs

    def held(self, lane: Value) -> list[tuple[int, int, Value]]:
        """List a lane's outputs: where its accumulators hold each, which of its heads, and the column of the run."""
        found = []
        for group in range(self.run // 16):
            for tile in range(self.tiles):
                for i in range(4):
                    column = lane // 4 + i // 2 * 8 if self.cache == "bf16" else lane // 4 * 2 + i // 2
                    found.append(((group * self.tiles + tile) * 4 + i, 2 * tile + i % 2, group * 16 + column))
        return found

    def head(self, which: int, lane: Value) -> Value:
        """Give the head of the block that is this lane's ``which``."""
        return which // 2 * TILE_HEADS + lane % 4 * 2 + which % 2

    @cute.jit
    def finish(self, out: Int64, here: Int32, column: Int32, whole: Float32, values: list[Value]) -> None:
        """Divide four columns of a head by its sum and write them.

        Args:
            out: Address of the first head's output.
            here: Head of the block.
            column: First of the columns.
            whole: Sum of the shares.
            values: Float32.
        """
        inverse = reciprocal(whole) if whole > 0.0 else Float32(0.0)
        v = [value * inverse for value in values]
        target = out + Int64(here * self.latent + column) * 2
        store(target, [pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3])])
