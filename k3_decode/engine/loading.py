"""Loads the model that a command line names; the same options in the engine and in the bench."""

import argparse
from dataclasses import dataclass
from pathlib import Path

import torch

from k3_decode.config import CONFIGS
from k3_decode.engine.identity import Weights, checkpoint_weights, synthetic_weights
from k3_decode.errors import ArgumentError
from k3_decode.reference.model import K3Model

DTYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16}


@dataclass(frozen=True, kw_only=True)
class LoadedModel:
    """A model, and what the identity says about where it came from."""

    model: K3Model
    weights: Weights
    dequantized_experts: bool


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `load_model` reads."""
    parser.add_argument("--config", choices=sorted(CONFIGS), default="k3-tiny", help="model configuration")
    parser.add_argument("--checkpoint", type=Path, metavar="DIR", help="checkpoint folder; takes the place of --config")
    parser.add_argument("--seed", type=int, default=0, help="seed of synthetic weights (without --checkpoint)")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="float32", help="dtype of activations")
    parser.add_argument("--device", default="auto", help="torch device; auto takes CUDA where there is one")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of one operator")
    parser.add_argument(
        "--dequantize-experts",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="decode MXFP4 experts once: faster on a CPU, up to sixteen times their bytes",
    )


def load_model(options: argparse.Namespace) -> LoadedModel:
    """Load the model that the options name.

    Args:
        options: Parsed options of `add_model_options`.

    Raises:
        K3Error: The checkpoint cannot be read, or there is no such device.

    Note:
        Sets torch's thread counts for the whole process.
    """
    torch.set_num_threads(options.threads)
    dtype, device, dequantize = DTYPES[options.dtype], _device(options.device), options.dequantize_experts
    if options.checkpoint is not None:
        model = K3Model.from_checkpoint(options.checkpoint, dtype=dtype, device=device, dequantize_experts=dequantize)
        weights = checkpoint_weights(options.checkpoint)
    else:
        config = CONFIGS[options.config]
        model = K3Model.synthetic(config, options.seed, dtype, device=device, dequantize_experts=dequantize)
        weights = synthetic_weights(config, seed=options.seed)
    return LoadedModel(model=model, weights=weights, dequantized_experts=dequantize)


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ArgumentError("load_model", "device", expected="a torch device", got=repr(name)) from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ArgumentError("load_model", "device", expected="cpu, as this machine has no CUDA device", got=name)
    return device
