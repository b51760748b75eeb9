"""Reads tensors of a checkpoint folder: names under several prefixes, shapes and types checked, slices only."""

import contextlib
import json
import pathlib
from types import TracebackType
from typing import Any, Self

from safetensors import SafetensorError, safe_open
from torch import Tensor

from k3_decode.config import K3Config
from k3_decode.errors import CheckpointError, MissingTensorError, TensorMismatchError
from k3_decode.reference.tensors import PREFIX, TensorSpec

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"


class Checkpoint:
    """An open checkpoint folder, a source of tensors. Use it as a context manager.

    Names are looked up as published (``language_model.model.layers.0...``), without the inner ``model.``
    (``language_model.layers.0...``), and as a text-only checkpoint has them (``model.layers.0...``, ``lm_head...``).

    Args:
        path: Folder with ``config.json`` and either an index with its files or one ``model.safetensors``.

    Attributes:
        config: The model the folder's ``config.json`` describes.

    Raises:
        CheckpointError: A file is missing or not what its name says.
        ConfigError: ``config.json`` is no K3 model.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self.config = K3Config.from_hf(_read_json(path / "config.json"), name=path.name)
        self._files = self._weight_map()
        self._stack = contextlib.ExitStack()
        self._open: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.clear()
        self._stack.close()

    def read(self, spec: TensorSpec, index: tuple[slice, ...]) -> Tensor:
        """Read part of a tensor; see :class:`k3_decode.reference.weights.TensorSource`.

        Raises:
            MissingTensorError: No file has the tensor.
            TensorMismatchError: Its shape or dtype is not the expected one.
            CheckpointError: Its file is missing or damaged.
        """
        name = self._find(spec)
        try:
            view = self._file(name).get_slice(name)
        except SafetensorError as error:
            raise CheckpointError(f"{name}: cannot be read from {self._files[name]}: {error}") from error
        shape, dtype = tuple(view.get_shape()), str(view.get_dtype())
        if dtype != spec.dtype:
            raise TensorMismatchError(name, "dtype", expected=spec.dtype, got=dtype)
        if spec.split == "heads":
            return self._heads(name, shape, view[...], index)
        if shape != spec.shape:
            raise TensorMismatchError(name, "shape", expected=spec.shape, got=shape)
        part: Tensor = view[index]
        return part

    def _heads(self, name: str, shape: tuple[int, ...], stored: Tensor, index: tuple[slice, ...]) -> Tensor:
        """Read a per-head vector stored as heads then padding, as the heads alone, or as ``[1, 1, heads, 1]``."""
        heads, padded = self.config.num_heads, self.config.a_log_size
        if shape not in ((padded,), (heads,), (1, 1, heads, 1)):
            expected = f"({padded},), ({heads},) or (1, 1, {heads}, 1)"
            raise TensorMismatchError(name, "shape", expected=expected, got=shape)
        return stored.flatten()[index[0]]

    def _find(self, spec: TensorSpec) -> str:
        text = spec.name.removeprefix(PREFIX)
        tried = (spec.name, PREFIX + text.removeprefix("model."), text)
        for name in tried:
            if name in self._files:
                return name
        raise MissingTensorError(spec.name, tried=tuple(dict.fromkeys(tried)))

    def _file(self, name: str) -> Any:
        file = self._files[name]
        if file not in self._open:
            try:
                handle = self._stack.enter_context(safe_open(self._path / file, framework="pt"))
            except (OSError, SafetensorError) as error:
                raise CheckpointError(f"{file}: cannot be opened (needed for {name}): {error}") from error
            self._open[file] = handle
        return self._open[file]

    def _weight_map(self) -> dict[str, str]:
        if not (self._path / INDEX).exists() and (self._path / SINGLE).exists():
            with safe_open(self._path / SINGLE, framework="pt") as handle:
                return dict.fromkeys(handle.keys(), SINGLE)
        names = _read_json(self._path / INDEX).get("weight_map")
        if not isinstance(names, dict) or not all(isinstance(file, str) for file in names.values()):
            raise CheckpointError(f"{INDEX}: weight_map: expected tensor names with file names, got {names!r:.80}")
        for file in set(names.values()):
            if pathlib.PurePath(file).name != file:
                raise CheckpointError(f"{INDEX}: weight_map: expected names of files in the folder, got {file!r}")
        return names


def _read_json(path: pathlib.Path) -> dict[str, object]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"{path.name}: cannot be read: {error}") from error
    except ValueError as error:
        raise CheckpointError(f"{path.name}: not JSON: {error}") from error
    if not isinstance(document, dict):
        raise CheckpointError(f"{path.name}: expected a JSON object")
    return document
