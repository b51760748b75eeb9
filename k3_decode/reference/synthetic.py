"""Synthetic checkpoints: seeded random weights in files a loader cannot tell from the published ones.

Run ``python -m k3_decode.reference.synthetic --config k3-tiny --seed 0 --out DIR``.
"""

import argparse
import hashlib
import json
import math
import pathlib
import sys
from collections.abc import Callable, Sequence

import torch
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from safetensors.torch import save_file
from torch import Tensor

from k3_decode.config import CONFIGS, K3Config
from k3_decode.errors import ArgumentError
from k3_decode.reference.tensors import TORCH_TYPES, TensorSpec, tensor_table

SHARD_BYTES = 5_000_000_000
"""Size the files aim at when the number of files is not given."""

MXFP4_RMS = math.sqrt(8.5625)
"""Root mean square of a uniformly drawn e2m1 value."""


GAINS = {
    "lm_head.weight": 2.0,
    "block_sparse_moe.gate.weight": 4.0,
    "routed_expert_up_proj.weight": 0.25,
    "self_attn.o_proj.weight": 0.5,
}
"""Matrices that are not scaled by ``1 / sqrt(inputs)`` alone, by the end of their names.

Decided router scores and modest routed and attention shares keep one flipped near-tie from changing everything after
it, as in a trained model: bfloat16 then picks the same next token as the oracle about four times in five.
"""


class SyntheticSource:
    """Draws every tensor from its own generator, so parts of a model do not depend on the order they are read in.

    Only uniform draws and exact scaling are used, so the same seed gives the same bytes on every machine. Scales keep
    activations of order one: matrices have standard deviation ``1 / sqrt(inputs)``, norm weights are near 1.

    Args:
        config: The model.
        seed: Any integer.
    """

    def __init__(self, config: K3Config, seed: int) -> None:
        self._config = config
        self._seed = seed

    def read(self, spec: TensorSpec, index: tuple[slice, ...]) -> Tensor:
        """Draw a tensor and return part of it; see :class:`k3_decode.reference.weights.TensorSource`."""
        return self.draw(spec)[index]

    def draw(self, spec: TensorSpec) -> Tensor:
        """Draw a whole tensor in its storage type.

        Args:
            spec: Which one.

        Returns:
            ``spec.shape``, of the type the checkpoint stores.
        """
        digest = hashlib.sha256(f"{self._seed}:{spec.name}".encode()).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "little") >> 1)
        if spec.name.endswith("weight_packed"):
            return torch.randint(0, 256, spec.shape, dtype=torch.uint8, generator=generator)
        if spec.name.endswith("weight_scale"):
            inputs = spec.shape[-1] * 32
            centre = 127 - round(math.log2(MXFP4_RMS * math.sqrt(inputs)))
            return torch.randint(centre - 1, centre + 2, spec.shape, dtype=torch.uint8, generator=generator)
        low, high = self._bounds(spec)
        values = torch.rand(spec.shape, generator=generator).mul_(high - low).add_(low)
        if spec.name.endswith("A_log"):
            values[self._config.num_heads :] = 0.0
        return values.to(TORCH_TYPES[spec.dtype])

    def _bounds(self, spec: TensorSpec) -> tuple[float, float]:
        """Give the range a tensor is drawn from."""
        name = spec.name
        if name.endswith("A_log"):
            return -0.5, 0.5
        if name.endswith("dt_bias"):
            return -5.0, 1.0  # decay rates from almost none to most of the bound
        if name.endswith("e_score_correction_bias"):
            return -0.1, 0.1
        if len(spec.shape) == 1:
            return 0.75, 1.25  # norm weights
        if name.endswith("embed_tokens.weight"):
            deviation = 1.0
        elif name.endswith("conv1d.weight"):
            deviation = self._config.conv_width**-0.5
        else:
            gain = next((gain for ending, gain in GAINS.items() if name.endswith(ending)), 1.0)
            deviation = gain / math.sqrt(spec.shape[-1])
        bound = math.sqrt(3.0) * deviation
        return -bound, bound


def write_checkpoint(
    config: K3Config,
    seed: int,
    path: pathlib.Path,
    *,
    num_shards: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write ``config.json``, the index and the sharded tensor files of a synthetic model.

    Args:
        config: The model.
        seed: Seed of the weights.
        path: Folder to write into; made if missing.
        num_shards: Number of tensor files; by default as many as keep each near 5 GB or below.
        on_progress: Called after every tensor drawn with the bytes drawn so far and in all.

    Raises:
        ArgumentError: ``num_shards`` is not positive or exceeds the number of tensors.
    """
    table = tensor_table(config)
    total = sum(spec.nbytes for spec in table)
    count = -(-total // SHARD_BYTES) if num_shards is None else num_shards
    if not 1 <= count <= len(table):
        raise ArgumentError("write_checkpoint", "num_shards", expected=f"1..{len(table)}", got=count)
    path.mkdir(parents=True, exist_ok=True)
    source, weight_map, done = SyntheticSource(config, seed), {}, 0
    for number, shard in enumerate(_partition(table, count), start=1):
        file, tensors = f"model-{number:05d}-of-{count:06d}.safetensors", {}
        for spec in shard:
            tensors[spec.name], weight_map[spec.name] = source.draw(spec), file
            done += spec.nbytes
            if on_progress is not None:
                on_progress(done, total)
        save_file(tensors, path / file, metadata={"format": "pt"})
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    (path / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")
    (path / "config.json").write_text(json.dumps(config.to_hf(), indent=2) + "\n", encoding="utf-8")


def _partition(table: Sequence[TensorSpec], count: int) -> list[list[TensorSpec]]:
    """Cut the table into ``count`` runs of nearly equal bytes, none empty."""
    total, done = sum(spec.nbytes for spec in table), 0
    shards: list[list[TensorSpec]] = [[]]
    for position, spec in enumerate(table):
        left = len(table) - position
        full = done >= total * len(shards) / count or left == count - len(shards)
        if shards[-1] and len(shards) < count and full:
            shards.append([])
        shards[-1].append(spec)
        done += spec.nbytes
    return shards


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a synthetic checkpoint from the command line.

    Args:
        arguments: Command line without the program's name; the process's own by default.

    Returns:
        Exit code: 0 written, 2 wrong usage (argparse exits itself).
    """
    parser = argparse.ArgumentParser(prog="python -m k3_decode.reference.synthetic", description=__doc__)
    parser.add_argument("--config", choices=sorted(CONFIGS), required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write into")
    parser.add_argument("--shards", type=int, default=None, help="number of tensor files")
    options = parser.parse_args(arguments)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(f"writing {options.config}", total=None)
            write_checkpoint(
                CONFIGS[options.config], options.seed, options.out, num_shards=options.shards,
                on_progress=lambda done, total: progress.update(task, completed=done, total=total),
            )  # fmt: skip
    except ArgumentError as error:
        parser.error(str(error))
    print(f"wrote {options.config} (seed {options.seed}) to {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
