"""The ragged batch one forward step works on."""

import dataclasses

from torch import Tensor


@dataclasses.dataclass(frozen=True, eq=False)
class StepBatch:
    """Tokens of several requests, laid end to end: decode, prefill and padding may be mixed freely.

    Request ``r`` owns tokens ``query_starts[r] .. query_starts[r + 1] - 1``. The first of them has position
    ``context_lens[r]``. A request with no context starts from zero state, whatever its slot held before.

    Note:
        Tensors are not copied. Every request must have at least one token; a live request needs a slot of its own
        and blocks enough for ``context_lens[r]`` plus its tokens. :class:`~k3_decode.reference.plan.StepPlan`
        checks this.
    """

    tokens: Tensor
    """``[T]`` int64, token ids. Ids of padding requests are ignored but must be valid."""
    query_starts: Tensor
    """``[R + 1]`` int64, ascending, from 0 to T."""
    context_lens: Tensor
    """``[R]`` int64, tokens of each request that are already in the cache."""
    slots: Tensor
    """``[R]`` int64, KDA state slot of each request; 0 or less marks padding, which reads and writes nothing."""
    block_tables: Tensor
    """``[R, max_blocks]`` int64, MLA cache blocks of each request in order; unused entries are 0."""
    logit_rows: Tensor
    """``[N]`` int64, the tokens (0..T-1) whose logits are wanted, in the order wanted."""

    @property
    def num_tokens(self) -> int:
        """Tokens in the batch, padding included."""
        return self.tokens.shape[0]

    @property
    def num_requests(self) -> int:
        """Requests in the batch, padding included."""
        return self.slots.shape[0]
