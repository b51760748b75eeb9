"""From stamps to a timeline of one layer."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from k3_decode.timeline.layout import MOMENTS
from k3_decode.timeline.memory import Stamps

MIX = "attention_residual"
"""First launch of a layer, by the beginning of its name."""


class Launch(TypedDict):
    """One launch of a layer. Times are microseconds since the layer's first launch went on.

    ``first``, ``median`` and ``last`` are of the sampled blocks; each gives the time of every moment, in order.
    """

    name: str
    sampled: int
    first: list[float]
    median: list[float]
    last: list[float]


def timeline(stamps: Mapping[str, Sequence[Stamps]]) -> list[Launch]:
    """Order the launches of the layer that was launched last.

    A kernel's stamps are those of its last launch; a mix of other layers has a name of its own and is left out.

    Args:
        stamps: Of each kernel that ran.
    """
    ended = MOMENTS.index("ended")
    order = sorted(
        (name for name in stamps if stamps[name]), key=lambda name: max(each[ended] for each in stamps[name])
    )
    first = next((i for i, name in enumerate(order) if not name.startswith(MIX)), 0)
    order = order[max(0, first - 1) :]
    if not order:
        return []
    zero = min(each[MOMENTS.index("went")] for each in stamps[order[0]])

    def at(name: str, share: float) -> list[float]:
        columns = (sorted(each[i] for each in stamps[name]) for i in range(len(MOMENTS)))
        return [round((column[int(share * (len(column) - 1))] - zero) / 1e3, 2) for column in columns]

    return [
        {"name": name, "sampled": len(stamps[name]), "first": at(name, 0), "median": at(name, 0.5), "last": at(name, 1)}
        for name in order
    ]


def text(launches: Sequence[Launch]) -> str:
    """Write a timeline as a table: of each moment the first, the median and the last sampled block."""
    width = max((len(launch["name"]) for launch in launches), default=0)
    head = f"{'us':{width}}  blocks" + "".join(f"  {moment:^23}" for moment in MOMENTS)
    lines = [
        f"{launch['name']:{width}}  {launch['sampled']:6}"
        + "".join(
            f"  {launch['first'][i]:7.2f} {launch['median'][i]:7.2f} {launch['last'][i]:7.2f}"
            for i in range(len(MOMENTS))
        )
        for launch in launches
    ]
    return "\n".join([head, *lines])
