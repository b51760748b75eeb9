"""The stores under one roof: what holds for one has to hold for the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from server.settings import MIB, Settings
from server.startup import store_of
from server.storage import BlobStore, Part, plan

PART_BYTES = 5 * MIB


@dataclass
class Shelf:
    """A store, and a blob of three parts to bring there."""

    store: BlobStore
    data: bytes = bytes(range(256)) * (2 * PART_BYTES // 256) + b"end"
    said: dict[int, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return sha256(self.data).hexdigest()

    @property
    def parts(self) -> tuple[Part, ...]:
        return plan(len(self.data), PART_BYTES)

    def piece(self, number: int) -> bytes:
        part = self.parts[number - 1]
        return self.data[part.offset : part.offset + part.size_bytes]

    def put(self, number: int, data: bytes | None = None, *, digest: str | None = None) -> None:
        """Bring a part through the service."""
        data = self.piece(number) if data is None else data
        with self.store.part(digest or self.digest, number) as sink:
            sink.write(data[: len(data) // 2])
            sink.write(data[len(data) // 2 :])
            sink.keep()
        self.said[number] = sha256(data).hexdigest()

    def put_all(self) -> None:
        for part in self.parts:
            self.put(part.number)

    def arrived(self) -> set[int]:
        return set(self.store.arrived(self.digest, self.parts, self.said))

    def assemble(self) -> None:
        self.store.assemble(self.digest, self.parts, self.said)

    def read(self) -> bytes:
        with self.store.open(self.digest) as stream:
            return stream.read()


@pytest.fixture(params=["local", pytest.param("s3", marks=pytest.mark.s3)])
def place(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """Settings that name an empty store, once of each kind."""
    return {} if request.param == "local" else request.getfixturevalue("new_bucket")()


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[..., BlobStore]]:
    """Open the store that settings name."""
    made: list[BlobStore] = []

    def make(**settings: Any) -> BlobStore:
        made.append(store_of(Settings(data_dir=tmp_path, **settings)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def shelf(place: Mapping[str, Any], open_store: Callable[..., BlobStore]) -> Shelf:
    """An empty store of each kind."""
    return Shelf(open_store(**place))
