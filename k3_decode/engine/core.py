"""The engine: `Engine.step` schedules, runs the model once, chooses tokens, and says what each request gained.

Everything here belongs to one thread; `k3_decode.engine.worker_thread` owns it in the server.
"""

from collections.abc import Sequence

import torch

from k3_decode.decoder import NOT_BUILT, DecodeMode, Decoder, Ranked, Specialization
from k3_decode.engine.config import EngineConfig
from k3_decode.engine.output_text import OutputText
from k3_decode.engine.pools import Pool
from k3_decode.engine.request import FinishReason, Output, Request, RequestError, SamplingParams, TokenLogprob
from k3_decode.engine.sampler import Draw, finite_rows, logprobs, sample
from k3_decode.engine.scheduler import Chunk, Scheduler
from k3_decode.engine.stats import Counters, Stats
from k3_decode.engine.tokenizer import ByteTokenizer, TokenizerError
from k3_decode.ledger import StepShape
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.model import K3Model


class Engine:
    """Continuous batching over one model.

    Args:
        model: The model; its cache is allocated here.
        config: Limits.
        mode: Decode path asked for.
        specialization: What there is of the specialized path.

    Attributes:
        tokenizer: Byte-level, for the model's vocabulary.
        decoder: Plans and counts the steps; its ledger is the engine's.
        scheduler: Queue, running requests and what they hold.
        counters: Totals since the start.
    """

    def __init__(
        self,
        model: K3Model,
        *,
        config: EngineConfig,
        mode: DecodeMode,
        specialization: Specialization = NOT_BUILT,
    ) -> None:
        self.config = config
        self.tokenizer = ByteTokenizer(model.config.vocab_size)
        blocks, slots = Pool(config.num_blocks + 1), Pool(config.max_running + 1)
        cache = model.new_cache(
            num_slots=config.max_running + 1, num_blocks=config.num_blocks + 1, block_size=config.block_size
        )
        self.decoder = Decoder(model, cache, mode=mode, specialization=specialization)
        self.scheduler = Scheduler(
            blocks=blocks, slots=slots, block_size=config.block_size, max_step_tokens=config.max_step_tokens
        )
        self.counters = Counters()
        self._requests: dict[str, Request] = {}

    def check(self, prompt: Sequence[int], params: SamplingParams) -> None:
        """Refuse a request that can never run.

        Raises:
            RequestError: ``empty_prompt``, ``token_out_of_range`` or ``context_length_exceeded``.
        """
        if not prompt:
            raise RequestError("empty_prompt", "the prompt has no tokens", param="prompt")
        try:
            self.tokenizer.check(prompt)
        except TokenizerError as error:
            raise RequestError("token_out_of_range", str(error), param="prompt") from error
        total = len(prompt) + params.max_tokens
        if total > self.config.max_model_len:
            detail = (
                f"at most {self.config.max_model_len} tokens are possible, the prompt has {len(prompt)} and "
                f"{params.max_tokens} are to be generated"
            )
            raise RequestError("context_length_exceeded", detail, param="prompt")

    def add(self, request_id: str, prompt: Sequence[int], params: SamplingParams) -> None:
        """Queue a request.

        Raises:
            RequestError: As `check`; ``duplicate_request``.
        """
        self.check(prompt, params)
        if request_id in self._requests:
            raise RequestError("duplicate_request", f"a request {request_id} is running")
        text = OutputText(self.tokenizer, stop=params.stop)
        request = Request(id=request_id, prompt=tuple(prompt), params=params, text=text)
        self._requests[request_id] = request
        self.scheduler.add(request)

    def abort(self, request_id: str) -> None:
        """Drop a request and free what it holds; nothing happens if it has ended already."""
        if (request := self._requests.get(request_id)) is not None:
            self._end(request, FinishReason.ABORT)

    @property
    def idle(self) -> bool:
        """Whether no request waits or runs."""
        return not self._requests

    def stats(self) -> Stats:
        """Take one reading; call it between steps."""
        scheduler, counters = self.scheduler, self.counters
        return Stats(
            waiting=scheduler.waiting,
            running=scheduler.running,
            blocks_used=scheduler.blocks.used,
            blocks_total=scheduler.blocks.capacity,
            slots_used=scheduler.slots.used,
            slots_total=scheduler.slots.capacity,
            prompt_tokens=counters.prompt_tokens,
            generation_tokens=counters.generation_tokens,
            preemptions=scheduler.preemptions,
            finished=dict(counters.finished),
            step_requests=dict(counters.step_requests),
        )

    def step(self) -> list[Output]:
        """Run one step.

        Returns:
            An output for each request that gained a token or ended; empty when there is nothing to do or only
            prompts were read.
        """
        chunks = self.scheduler.schedule()
        if not chunks:
            return []
        batch, spans = self._batch(chunks)
        shape = StepShape.of(
            tokens=[chunk.count for chunk in chunks], reading_prompt=[not chunk.decoding for chunk in chunks]
        )
        if all(_takes_the_likeliest(chunk.request.params) for chunk in chunks):
            ranked = self.decoder.ranked(batch, shape)
            if ranked is not None:
                self._count(chunks, shape)
                return self._advance_ranked(chunks, ranked)
        logits = self.decoder.forward(batch, shape)
        self._count(chunks, shape)
        finite = finite_rows(logits)
        failed = self._fail_non_finite(chunks, [all(finite[row] for row in span) for span in spans])
        alive = [index for index, chunk in enumerate(chunks) if chunk.request.id not in failed]
        self._collect_prompt_logprobs([(chunks[i], spans[i]) for i in alive], logits)
        complete = [(chunks[i].request, spans[i][-1]) for i in alive if chunks[i].completes]
        return list(failed.values()) + self._advance(complete, logits)

    def _count(self, chunks: Sequence[Chunk], shape: StepShape) -> None:
        """Note that a step has run."""
        self.counters.count_step(shape, requests=len(chunks), prompt_tokens=_prompt_tokens(chunks))
        for chunk in chunks:
            chunk.request.computed += chunk.count

    def _batch(self, chunks: Sequence[Chunk]) -> tuple[StepBatch, list[range]]:
        """Lay chunks end to end; also tell which logit rows belong to each."""
        tokens: list[int] = []
        starts, rows, spans = [0], list[int](), list[range]()
        for chunk in chunks:
            request, end = chunk.request, chunk.start + chunk.count
            tokens += request.tokens[chunk.start : end]
            starts.append(len(tokens))
            wanted = _wanted_rows(chunk)
            spans.append(range(len(rows), len(rows) + wanted))
            rows += range(len(tokens) - wanted, len(tokens))
        width = max(len(chunk.request.blocks) for chunk in chunks)
        tables = [chunk.request.blocks + [0] * (width - len(chunk.request.blocks)) for chunk in chunks]
        batch = StepBatch(
            tokens=self._tensor(tokens),
            query_starts=self._tensor(starts),
            context_lens=self._tensor([chunk.start for chunk in chunks]),
            slots=self._tensor([chunk.request.slot or 0 for chunk in chunks]),
            block_tables=self._tensor(tables),
            logit_rows=self._tensor(rows),
        )
        return batch, spans

    def _tensor(self, values: list[int] | list[list[int]]) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.int64, device=self.decoder.device)

    def _fail_non_finite(self, chunks: Sequence[Chunk], finite: Sequence[bool]) -> dict[str, Output]:
        """End requests whose logits are not numbers: choosing a token from them would hide the fault."""
        failed: dict[str, Output] = {}
        for chunk, sound in zip(chunks, finite, strict=True):
            if not sound:
                detail = "the model gave logits that are not finite"
                self._end(chunk.request, FinishReason.ERROR)
                failed[chunk.request.id] = Output(request_id=chunk.request.id, finish=FinishReason.ERROR, error=detail)
        return failed

    def _collect_prompt_logprobs(self, chunks: Sequence[tuple[Chunk, range]], logits: torch.Tensor) -> None:
        """Score prompt tokens: the row of position p scores the token at p + 1, once also across preemptions."""
        jobs: list[tuple[Request, int, int]] = []
        for chunk, span in chunks:
            request = chunk.request
            if request.params.prompt_logprobs is None:
                continue
            known = len(request.prompt_logprobs)
            for row, position in zip(span, range(chunk.start, len(request.prompt) - 1), strict=False):
                if position >= known:
                    jobs.append((request, row, request.prompt[position + 1]))
        rows = [row for _, row, _ in jobs]
        tops = [request.params.prompt_logprobs or 0 for request, _, _ in jobs]
        scored = logprobs(logits[rows], [token for _, _, token in jobs], tops)
        for (request, _, _), entry in zip(jobs, scored, strict=True):
            request.prompt_logprobs.append(entry)

    def _advance(self, complete: Sequence[tuple[Request, int]], logits: torch.Tensor) -> list[Output]:
        """Choose the next token of every request whose known tokens are all computed."""
        choosing = [(request, row) for request, row in complete if request.params.max_tokens > 0]
        rows = logits[[row for _, row in choosing]]
        chosen = sample(rows, [self._draw(request) for request, _ in choosing])
        tops = [request.params.logprobs or 0 for request, _ in choosing]
        wanted = any(request.params.logprobs is not None for request, _ in choosing)
        scored = logprobs(rows, chosen, tops) if wanted else [None] * len(chosen)
        outputs = [
            self._gain(request, token, entry)
            for (request, _), token, entry in zip(choosing, chosen, scored, strict=True)
        ]
        for request, _ in complete:
            if request.params.max_tokens == 0:
                outputs.append(self._output(request, finish=FinishReason.LENGTH))
        self.counters.generation_tokens += len(choosing)
        return outputs

    def _advance_ranked(self, chunks: Sequence[Chunk], ranked: Ranked) -> list[Output]:
        """Take the likeliest token of every request, of a step in which all are greedy and decode."""
        failed = self._fail_non_finite(chunks, ranked.finite)
        gained = []
        for chunk, ids in zip(chunks, ranked.ids, strict=True):
            if chunk.request.id not in failed:
                banned = self._banned(chunk.request)
                gained.append(self._gain(chunk.request, next(token for token in ids if token != banned), None))
        self.counters.generation_tokens += len(gained)
        return list(failed.values()) + gained

    def _banned(self, request: Request) -> int | None:
        """Give the token that a request may not choose next, if there is one."""
        return self.tokenizer.eos_id if request.generated < request.params.min_tokens else None

    def _draw(self, request: Request) -> Draw:
        return Draw(request.params, position=request.generated, banned=self._banned(request))

    def _gain(self, request: Request, token: int, entry: TokenLogprob | None) -> Output:
        request.tokens.append(token)
        params, finish = request.params, None
        ends = token == self.tokenizer.eos_id and not params.ignore_eos
        if ends or request.text.push(token):
            finish = FinishReason.STOP
        elif request.generated >= params.max_tokens:
            finish = FinishReason.LENGTH
        scored = () if entry is None or params.logprobs is None else (entry,)
        return self._output(request, finish=finish, tokens=(token,), scored=scored)

    def _output(
        self,
        request: Request,
        *,
        finish: FinishReason | None,
        tokens: tuple[int, ...] = (),
        scored: tuple[TokenLogprob, ...] = (),
    ) -> Output:
        if finish is not None:
            request.text.finish()
            self._end(request, finish)
        first = request.generated == len(tokens)
        reports_prompt = first and request.params.prompt_logprobs is not None
        return Output(
            request_id=request.id,
            tokens=tokens,
            text=request.text.take(),
            logprobs=scored,
            prompt_logprobs=(None, *request.prompt_logprobs) if reports_prompt else None,
            finish=finish,
            stopped_by=request.text.stopped_by,
        )

    def _end(self, request: Request, finish: FinishReason) -> None:
        self.scheduler.remove(request)
        del self._requests[request.id]
        self.counters.finished[finish] += 1


def _takes_the_likeliest(params: SamplingParams) -> bool:
    """Tell whether a request asks for no more of the logits than which is the largest."""
    return params.temperature == 0 and params.logprobs is None


def _wanted_rows(chunk: Chunk) -> int:
    """Count the trailing rows of a chunk whose logits are needed."""
    if chunk.request.params.prompt_logprobs is not None and chunk.start < len(chunk.request.prompt):
        return chunk.count
    return 1 if chunk.completes else 0


def _prompt_tokens(chunks: Sequence[Chunk]) -> int:
    return sum(chunk.count for chunk in chunks if not chunk.decoding)
