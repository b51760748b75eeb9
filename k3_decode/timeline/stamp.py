"""What instrumented kernels call: one thread of every fourth block writes the GPU's clock to a fixed address.

Only a copy of the kernels that `k3_decode.timeline.instrument` made imports this module. The memory is the host's, so
that no kernel takes another argument; a store is on its way when the thread goes on.
"""

import json
import pathlib

from k3_decode.kernels.parts.dsl import Int32, Int64, cute
from k3_decode.timeline.layout import BASE, BLOCK_BYTES, MOMENTS, SAMPLED, SLOT_BYTES

SLOTS = "slots.json"
"""File beside this module, in a copy: where the stamps of each kernel go, by its name."""

_slot = 0  # of the kernel that is being traced: by one thread, from its first statement to its last


def begin(name: str) -> None:
    """Stamp the start of a kernel, and let the stamps that follow be its own.

    Args:
        name: Of the operator that is being traced.
    """
    global _slot
    _slot = json.loads(pathlib.Path(__file__).with_name(SLOTS).read_text(encoding="utf-8"))[name]
    stamp("started")


def stamp(moment: str) -> None:
    """Write the time of one of `MOMENTS`, in nanoseconds, by thread 0 of a sampled block."""
    thread, other, _ = cute.arch.thread_idx()
    x, y, z = cute.arch.block_idx()
    columns, rows, _ = cute.arch.grid_dim()
    block = Int32(x) + Int32(columns) * (Int32(y) + Int32(rows) * Int32(z))
    place = Int64(BASE + _slot * SLOT_BYTES) + Int64(block // SAMPLED) * BLOCK_BYTES
    cute.arch.inline_ptx(
        f"{{ .reg .pred p; setp.eq.u32 p, {{$r0}}, 0; "
        f"@p st.global.u64 [{{$r1}}+{MOMENTS.index(moment) * 8}], {{$r2}}; }}",
        read_only_args=[Int32(thread) | Int32(other) | (block % SAMPLED), place, Int64(cute.arch.globaltimer())],
    )
