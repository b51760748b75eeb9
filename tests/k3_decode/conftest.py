"""Kernels that check what they are given and compute nothing, for launches on a machine without a GPU."""

import contextlib

import pytest
import torch

from k3_decode.kernels.operator import Argument, Operator

DTYPES = {"bf16": torch.bfloat16, "f32": torch.float32, "i32": torch.int32, "u8": torch.uint8}


class Checking:
    """Hands out kernels that check their tensors and compute nothing."""

    def __init__(self) -> None:
        self.manifest = {"kernels": {}}
        self.launched: set[str] = set()

    def kernel(self, operator: Operator):
        def launch(*tensors: torch.Tensor) -> None:
            assert len(tensors) == len(operator.arguments), operator.name
            extents: dict[str, int] = {}
            for tensor, argument in zip(tensors, operator.arguments, strict=True):
                check(tensor, argument, extents, f"{operator.name}: {argument.name}")
            self.launched.add(operator.name)

        return launch


def check(tensor: torch.Tensor, argument: Argument, extents: dict[str, int], where: str) -> None:
    assert tensor.dtype == DTYPES[argument.dtype], where
    assert tensor.dim() == len(argument.shape), where
    for found, expected in zip(tensor.shape, argument.shape, strict=True):
        assert found == (expected if isinstance(expected, int) else extents.setdefault(expected, found)), where
    assert tensor.stride(-1) == 1 if argument.strided else tensor.is_contiguous(), where
    if argument.aligned:
        rows = tensor.stride(0) * tensor.element_size() if tensor.dim() > 1 else 0
        assert (tensor.data_ptr() % 16, rows % 16) == (0, 0), where


class Graph:
    """A graph of no kernels."""

    def replay(self) -> None:
        """Do nothing."""


@pytest.fixture
def library(monkeypatch) -> Checking:
    """Kernels for a machine whose graphs do nothing."""
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", lambda graph: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device=None: None)
    return Checking()
