"""Loads the model that a command line names; the same options in the engine and in the bench."""

import argparse
import dataclasses
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import torch

from k3_decode.config import CONFIGS, ExpertAct
from k3_decode.decoder import NOT_BUILT, DecodeMode, Reason, Specialization
from k3_decode.engine.identity import Weights, checkpoint_weights, synthetic_weights
from k3_decode.errors import ArgumentError, CompilerMissingError, K3Error, UnsupportedDeviceError
from k3_decode.reference.model import K3Model

KERNELS_VARIABLE = "K3_DECODE_KERNELS"
"""Environment variable that names the folder of built kernels."""

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
    parser.add_argument(
        "--dtype",
        choices=["auto", *sorted(DTYPES)],
        default="auto",
        help="dtype of activations; auto is bfloat16 on a CUDA device and float32 elsewhere",
    )
    parser.add_argument("--device", default="auto", help="torch device; auto takes CUDA where there is one")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of one operator")
    parser.add_argument(
        "--dequantize-experts",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="decode MXFP4 experts once: faster on a CPU, up to sixteen times their bytes; default: except on CUDA",
    )
    parser.add_argument(
        "--expert-act",
        choices=get_args(ExpertAct),
        default="bf16",
        help="activations that enter the routed experts' products: bfloat16 (W4A16), or rounded to MXFP8 (W4A8)",
    )


def add_decode_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `specialize` reads."""
    parser.add_argument("--decode", choices=get_args(DecodeMode), default="stock", help="decode path to use")
    parser.add_argument(
        "--kernels",
        type=Path,
        metavar="DIR",
        help=f"folder of built kernels; missing ones are built there (default: ${KERNELS_VARIABLE}, else var/kernels)",
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
    device = _device(options.device)
    on_gpu = device.type == "cuda"
    automatic = torch.bfloat16 if on_gpu else torch.float32
    dtype = DTYPES.get(options.dtype, automatic)
    dequantize = not on_gpu if options.dequantize_experts is None else bool(options.dequantize_experts)
    if options.checkpoint is not None:
        model = K3Model.from_checkpoint(
            options.checkpoint,
            dtype=dtype,
            expert_act=options.expert_act,
            device=device,
            dequantize_experts=dequantize,
        )
        weights = checkpoint_weights(options.checkpoint)
    else:
        named = CONFIGS[options.config]
        config = dataclasses.replace(named, expert_act=options.expert_act)
        model = K3Model.synthetic(config, options.seed, dtype, device=device, dequantize_experts=dequantize)
        weights = synthetic_weights(named, seed=options.seed)
    return LoadedModel(model=model, weights=weights, dequantized_experts=dequantize)


def kernels_folder() -> Path:
    """Give the folder of built kernels: the one that `KERNELS_VARIABLE` names, else ``var/kernels`` beside the code."""
    named = os.environ.get(KERNELS_VARIABLE)
    return Path(named) if named else Path(__file__).resolve().parents[2] / "var" / "kernels"


def specialize(model: K3Model, mode: DecodeMode, folder: Path | None) -> Specialization:
    """Get the specialized path ready where it is asked for and possible, and say why where it is not.

    Args:
        model: The model.
        mode: Decode path asked for; nothing is loaded for stock.
        folder: Folder of built kernels; the default one if None.

    Note:
        May compile for minutes, once a model and folder.
    """
    if mode == "stock":
        return Specialization(None)
    if model.device.type != "cuda":
        return NOT_BUILT
    from k3_decode.specialized.prepare import prepare_kernels  # not at the top: it imports the compiler, for seconds

    try:
        return Specialization(prepare_kernels(model, kernels_folder() if folder is None else folder))
    except CompilerMissingError as error:
        return Specialization(None, NOT_BUILT.refusals, str(error))
    except UnsupportedDeviceError as error:
        return Specialization(None, (Reason.ARCHITECTURE,), str(error))
    except ArgumentError as error:
        return Specialization(None, (Reason.MODEL,), str(error))
    except (K3Error, OSError, subprocess.CalledProcessError) as error:
        return Specialization(None, NOT_BUILT.refusals, str(error))


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
