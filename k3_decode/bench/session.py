"""A long-lived measuring process, driven by JSON lines, so that a caller can interleave two arms block by block.

| request | answer |
|---|---|
| `{"op": "identity"}` | what runs here, as the engine's `/identity` |
| `{"op": "block", "batch": 4, "context": 128, "steps": 32, "warmup": 4, "seed": 1}` | `BlockResult` |
| the same with `"kernels": true` | `BlockResult` with the times of a step's kernels |
| `{"op": "quit"}`, or the end of the input | `{"quit": true}`, then the process ends |

Each request gets exactly one line. One that cannot be served gets `{"error": {"code", "detail"}}`, with code
`malformed_request` or `block_failed`, and the session goes on.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from k3_decode.bench.decode_block import BlockPlan, BlockResult, time_block
from k3_decode.decoder import NOT_BUILT, DecodeMode, Specialization
from k3_decode.engine.identity import Identity
from k3_decode.reference.model import K3Model


class ErrorDetail(TypedDict):
    """Why a request was not served."""

    code: Literal["malformed_request", "block_failed"]
    detail: str


class ErrorAnswer(TypedDict):
    """Answer to a request that was not served."""

    error: ErrorDetail


class QuitAnswer(TypedDict):
    """Last answer of a session."""

    quit: Literal[True]


Answer = Identity | BlockResult | ErrorAnswer | QuitAnswer


class _Request(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _IdentityRequest(_Request):
    op: Literal["identity"]


class _BlockRequest(_Request):
    op: Literal["block"]
    batch: Annotated[int, Field(ge=1, le=4096)]
    context: Annotated[int, Field(ge=1)]
    steps: Annotated[int, Field(ge=1, le=1_000_000)]
    warmup: Annotated[int, Field(ge=0, le=1_000_000)]
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    kernels: bool = False


class _QuitRequest(_Request):
    op: Literal["quit"]


_REQUEST: TypeAdapter[_IdentityRequest | _BlockRequest | _QuitRequest] = TypeAdapter(
    Annotated[_IdentityRequest | _BlockRequest | _QuitRequest, Field(discriminator="op")]
)


@dataclass(frozen=True)
class Session:
    """Answers requests about one model.

    Attributes:
        model: The model.
        mode: Decode path asked for.
        identity: The answer to ``identity``.
        specialization: What there is of the specialized path.
    """

    model: K3Model
    mode: DecodeMode
    identity: Identity
    specialization: Specialization = NOT_BUILT

    def run(self, lines: Iterable[str]) -> Iterator[Answer]:
        """Yield one answer a line until ``quit`` or the last line."""
        for line in lines:
            try:
                request = _REQUEST.validate_json(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(map(str, first["loc"]))
                yield _error("malformed_request", f"{where}: {first['msg']}" if where else str(first["msg"]))
                continue
            match request:
                case _QuitRequest():
                    break
                case _IdentityRequest():
                    yield self.identity
                case _BlockRequest():
                    yield self._block(request)
        yield {"quit": True}

    def _block(self, request: _BlockRequest) -> BlockResult | ErrorAnswer:
        plan = BlockPlan(**request.model_dump(exclude={"op"}))
        if plan.positions > (most := self.model.config.max_positions):
            return _error("malformed_request", f"{plan.positions} positions, the model has {most}")
        try:
            return time_block(self.model, plan, mode=self.mode, specialization=self.specialization)
        except RuntimeError as error:  # torch reports a full memory and a failed kernel this way
            return _error("block_failed", str(error))


def _error(code: Literal["malformed_request", "block_failed"], detail: str) -> ErrorAnswer:
    return {"error": {"code": code, "detail": detail}}
