"""How large an engine is."""

from dataclasses import dataclass

from k3_decode.errors import ArgumentError


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """Limits of one engine.

    Attributes:
        max_running: Requests in a step at most; each holds a KDA state slot.
        max_waiting: Requests in the queue at most; further ones are refused.
        max_model_len: Prompt and answer of one request together, in tokens.
        block_size: Tokens in a block of the MLA cache.
        num_blocks: Blocks of the MLA cache that requests can hold.
        max_step_tokens: Tokens computed in a step at most; bounds prompt chunks.

    Raises:
        ArgumentError: A limit is below 1, a step cannot hold all decoding requests, or the cache cannot hold one
            request of full length.
    """

    max_running: int = 64
    max_waiting: int = 1024
    max_model_len: int = 4096
    block_size: int = 16
    num_blocks: int = 4096
    max_step_tokens: int = 512

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise ArgumentError("EngineConfig", name, expected="at least 1", got=value)
        if self.max_step_tokens < self.max_running:
            expected = f"at least max_running = {self.max_running}"
            raise ArgumentError("EngineConfig", "max_step_tokens", expected=expected, got=self.max_step_tokens)
        if self.num_blocks * self.block_size < self.max_model_len:
            expected = f"room for max_model_len = {self.max_model_len} tokens"
            raise ArgumentError("EngineConfig", "num_blocks", expected=expected, got=self.num_blocks)
