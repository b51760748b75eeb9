"""Who an engine is: everything that decides its answers, and nothing secret."""

import dataclasses
import hashlib
import json
import platform
import struct
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypedDict

import torch

from k3_decode.config import K3Config
from k3_decode.decoder import NOT_BUILT, DecodeMode, Specialization, standing_reasons
from k3_decode.engine.chat import CHAT_TEMPLATE_DIGEST
from k3_decode.engine.config import EngineConfig
from k3_decode.engine.tokenizer import ByteTokenizer
from k3_decode.errors import CheckpointError
from k3_decode.hf_config import QUANTIZATION_FORMAT
from k3_decode.reference.model import K3Model

PACKAGES = ("byogpu", "torch", "numpy", "safetensors", "fastapi", "starlette", "uvicorn", "pydantic")
"""Packages whose versions can change an answer or a measurement."""

_READ_BYTES = 1 << 22


class Weights(TypedDict):
    """Digest of the weights, what it was taken over, and how the weights are stored."""

    sha256: str
    over: str
    format: str


class _TensorEntry(TypedDict):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


class DecodeIdentity(TypedDict):
    """The decode path asked for, and what rules the specialized one out in every step."""

    mode: str
    standing_reasons: list[str]


class Identity(TypedDict):
    """Answer of ``/identity``."""

    model: dict[str, object]
    weights: Weights
    engine: dict[str, int]
    dtype: str
    device: str
    dequantized_experts: bool
    threads: int
    decode: DecodeIdentity
    tokenizer_sha256: str
    chat_template_sha256: str
    packages: dict[str, str]


def describe(
    model: K3Model,
    *,
    weights: Weights,
    dequantized_experts: bool,
    mode: DecodeMode,
    specialization: Specialization = NOT_BUILT,
    engine: EngineConfig | None = None,
) -> Identity:
    """Collect the identity of a loaded model.

    Args:
        model: The model.
        weights: From `synthetic_weights` or `checkpoint_weights`.
        dequantized_experts: Whether the MXFP4 experts were decoded when the model was loaded.
        mode: Decode path asked for.
        specialization: What there is of the specialized path.
        engine: Limits of the engine; None where no engine runs, as in the bench.
    """
    config = model.config
    reasons = standing_reasons(mode, model.device, specialization=specialization)
    return {
        "model": dataclasses.asdict(config),
        "weights": weights,
        "engine": {} if engine is None else dataclasses.asdict(engine),
        "dtype": str(model.dtype).removeprefix("torch."),
        "device": str(model.device),
        "dequantized_experts": dequantized_experts,
        "threads": torch.get_num_threads(),
        "decode": {"mode": mode, "standing_reasons": [str(reason) for reason in reasons]},
        "tokenizer_sha256": ByteTokenizer(config.vocab_size).digest,
        "chat_template_sha256": CHAT_TEMPLATE_DIGEST,
        "packages": {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES},
    }


def synthetic_weights(config: K3Config, *, seed: int) -> Weights:
    """Digest synthetic weights by what they are drawn from: the configuration and the seed."""
    facts = {"config": dataclasses.asdict(config), "seed": seed}
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    return {"sha256": digest, "over": "config and seed", "format": QUANTIZATION_FORMAT}


def checkpoint_weights(folder: Path) -> Weights:
    """Digest the tensors of a checkpoint, independently of how they are split into files.

    Args:
        folder: Folder with ``*.safetensors`` files.

    Returns:
        SHA-256 over the sorted lines ``name dtype shape sha256-of-bytes``.

    Raises:
        CheckpointError: The folder has no such file, or one of them is cut short.

    Note:
        Reads every byte once.

    Source:
        safetensors format: eight bytes of header length, a JSON header, the data.
    """
    lines = [line for file in sorted(folder.glob("*.safetensors")) for line in _tensor_lines(file)]
    if not lines:
        raise CheckpointError(f"{folder}: no tensors in *.safetensors files")
    digest = hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()
    return {"sha256": digest, "over": "checkpoint tensors", "format": QUANTIZATION_FORMAT}


def _tensor_lines(file: Path) -> list[str]:
    with file.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        header: dict[str, _TensorEntry] = json.loads(stream.read(length))
        lines = []
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            begin, end = entry["data_offsets"]
            stream.seek(8 + length + begin)
            digest, left = hashlib.sha256(), end - begin
            while left:
                piece = stream.read(min(left, _READ_BYTES))
                if not piece:
                    raise CheckpointError(f"{file.name}: {name}: the file ends {left} bytes early")
                digest.update(piece)
                left -= len(piece)
            lines.append(f"{name} {entry['dtype']} {entry['shape']} {digest.hexdigest()}")
    return lines


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
