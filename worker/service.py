"""Talking to the server: one request at a time, tried again where that can help, its answers checked."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self

import httpx
from pydantic import BaseModel, ValidationError

from worker import api, credentials
from worker.bundle.canonical import describe
from worker.bundle.record import Identifier
from worker.bundle.schema import Challenge, Subject, SuiteRef
from worker.bundle.signature import NodeKey
from worker.destinations import Resolve, origin, require_allowed, resolve
from worker.errors import ServerError, WorkerError
from worker.identity import printable
from worker.messages import Answer, AnyAnswer
from worker.settings import Settings
from worker.suites import Suite
from worker.suites.plan import plan_run

MAX_ANSWER_BYTES = 16_000_000
FIRST_WAIT_S = 0.5
PART_TYPE = "application/vnd.byogpu.part"
"""What a part says it is where it goes to a blob store. Without a type of its own, or as octets, SeaweedFS compresses
what looks like text, and decompresses it at each read: 13 instead of 10 ms of a core to write a megabyte, and 5.6
instead of 0.9 ms to read it (2026-11-30, 8 MiB parts of a log)."""
_RETRY_STATUS = frozenset({429, 500, 502, 503, 504})


class _Problem(Answer):
    code: Identifier
    detail: str


class Service:
    """A connection to the server. Use as a context manager.

    A request is tried again, with growing and jittered waits or as ``Retry-After`` says, when there was no connection,
    on 429 and on 5xx; a refusal (any other 4xx) is final at once.

    Args:
        settings: Server, token, patience.
        url: Server to use instead of the settings'.
        transport: Replaces the network.
        sleep: Waits that many seconds.
        jitter: Returns a number in 0 … 1.
        resolve: Looks up a host that the server names.

    Raises:
        WorkerError: ``usage``: no server is named.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        url: str | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        resolve: Resolve = resolve,
    ) -> None:
        address = url or (str(settings.server_url) if settings.server_url else None)
        if address is None:
            raise WorkerError("usage", "no server is named: give --server, or set BYOGPU_SERVER_URL")
        try:
            self._base = httpx.URL(address.rstrip("/"))
        except httpx.InvalidURL as error:
            raise WorkerError("usage", f"the server's address is no URL: {error}") from error
        if self._base.scheme not in ("http", "https") or not self._base.host:
            raise WorkerError("usage", "the server's address has to begin with http:// or https://")
        token = settings.bearer() or _kept(settings, self.origin)
        self._authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._settings = settings
        self._sleep = sleep
        self._jitter = jitter
        self._resolve = resolve
        timeout = httpx.Timeout(settings.request_timeout_s)
        self._client = httpx.Client(timeout=timeout, transport=transport, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    @property
    def origin(self) -> str:
        """Scheme, host and port of the server: what a token is kept for."""
        scheme, host, port = origin(self._base)
        return f"{scheme}://{host}:{port}"

    def pause(self, seconds: float) -> None:
        """Wait."""
        self._sleep(seconds)

    def subject(self, repository: str, number: int, *, suite: SuiteRef) -> Subject:
        """Ask what a run about a pull request is evidence for.

        Raises:
            ServerError: The server does not know the pull request, or could not be asked.
        """
        owner, _, name = repository.partition("/")
        page = api.get_pull(self, owner, name, number)
        with _honest():
            return Subject(
                repository_id=page.pull.repository_id,
                repository=page.pull.repository,
                pull_number=page.pull.number,
                head_sha=page.pull.head_sha,
                base_sha=page.pull.base_sha,
                suite=suite,
                claim_ids=tuple(claim.id for claim in page.claims),
            )

    def challenge(self, subject: Subject, *, suite: Suite, key: NodeKey | None) -> Challenge:
        """Ask for the challenge of one run, before it begins.

        Args:
            subject: What the run is about, as `subject` gave it.
            suite: What will be run.
            key: Signs the bundle. If its node is registered, no other can use the challenge.

        Raises:
            ServerError: ``server_refused``: the pull request is closed, there are too many unused challenges, and the
                like; ``server_answer_invalid``: the challenge is about another commit or another plan than this
                worker would carry out.
        """
        asked = api.ChallengePost(
            repository=subject.repository,
            pull_number=subject.pull_number,
            suite_digest=suite.digest,
            node_key_id=None if key is None else key.key_id,
        )
        try:
            issued = api.post_challenge(self, asked)
        except ServerError as error:
            if error.server_code != "node_not_found":
                raise
            issued = api.post_challenge(self, asked.model_copy(update={"node_key_id": None}))
        if (issued.repository_id, issued.head_sha) != (subject.repository_id, subject.head_sha):
            raise ServerError("server_answer_invalid", "the pull request has a new commit by now: run again")
        if issued.plan_digest != plan_run(suite, issued.nonce).digest:
            raise ServerError("server_answer_invalid", "the server plans this suite otherwise: versions differ")
        with _honest():
            return Challenge(id=issued.id, nonce=issued.nonce, plan_digest=issued.plan_digest)

    def give_up(self, challenge: Challenge) -> None:
        """Say that the run of a challenge ended without a bundle.

        Raises:
            ServerError: See `Service`.
        """
        api.abandon_challenge(self, challenge.id, api.ChallengeGivenUp(nonce=challenge.nonce))

    def ask(
        self,
        method: str,
        path: str,
        answer: type[AnyAnswer],
        *,
        body: BaseModel | None = None,
        query: Mapping[str, str | int | None] | None = None,
    ) -> AnyAnswer:
        """Send a request that may be sent twice, as the functions of `worker.api` do.

        Raises:
            ServerError: See `Service`.
        """
        stated = {name: value for name, value in (query or {}).items() if value is not None}
        url = self._url(path).copy_merge_params(stated)
        content = None if body is None else body.model_dump_json(by_alias=True).encode()
        return _parse(self._request(method, url, content=content), answer)

    def put(self, url: str, data: bytes, *, beside: str, headers: Mapping[str, str]) -> bytes | None:
        """Send a part where the server said.

        Args:
            url: Absolute, or relative to ``beside``.
            data: The part.
            beside: Path of the request whose answer named the address.
            headers: Go along; the token does only if the address is the server's own.

        Returns:
            The answer's body; None if another host answered, whose words mean nothing to us.

        Raises:
            ServerError: ``server_untrusted``: data may not be sent there (`worker.destinations`); ``address_refused``:
                another host refused the part, so that a new address is needed; and see `Service`.
        """
        try:
            target = self._url(beside).join(url)
        except httpx.InvalidURL as error:
            raise ServerError("server_untrusted", "the server named an address that is no URL") from error
        named = self._settings.store_url
        stores = [] if named is None else [httpx.URL(str(named))]
        require_allowed(target, server=self._base, stores=stores, resolve=self._resolve)
        own = origin(target) == origin(self._base)
        kind = {} if own else {"Content-Type": PART_TYPE}
        try:
            body = self._request("PUT", target, content=data, headers={**headers, **kind})
        except ServerError as error:
            if own or error.code != "server_refused":
                raise
            raise ServerError(
                "address_refused", f"{target.host}: status {error.status}", status=error.status
            ) from error
        return body if own else None

    def _url(self, path: str) -> httpx.URL:
        return self._base.copy_with(path=self._base.path.rstrip("/") + path)

    def _request(
        self, method: str, url: httpx.URL, *, content: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        own = origin(url) == origin(self._base)
        kind = {"Content-Type": "application/json" if method == "POST" else "application/octet-stream"}
        sent = {**(kind if content is not None else {}), **(self._authorization if own else {}), **(headers or {})}
        for attempt in range(self._settings.retry_attempts):
            last = attempt + 1 == self._settings.retry_attempts
            try:
                with self._client.stream(method, url, content=content, headers=sent) as response:
                    body = _read(response)
            except httpx.TransportError as error:
                if last:
                    detail = f"{url.host}: {type(error).__name__}, after {attempt + 1} tries"
                    raise ServerError("server_unreachable", detail) from error
                self._sleep(self._wait_s(attempt, None))
                continue
            if response.status_code in _RETRY_STATUS and not last:
                self._sleep(self._wait_s(attempt, response.headers.get("Retry-After")))
                continue
            if not 200 <= response.status_code < 300:
                raise _refusal(response.status_code, body)
            return body
        raise AssertionError("the last try returned or raised")

    def _wait_s(self, attempt: int, retry_after: str | None) -> float:
        longest_s = self._settings.retry_longest_wait_s
        asked_s = _seconds(retry_after)
        if asked_s is not None:
            return min(asked_s, 10 * longest_s)
        return float(min(FIRST_WAIT_S * 2**attempt, longest_s) * (0.5 + self._jitter() / 2))


def _kept(settings: Settings, server: str) -> str | None:
    kept = credentials.load(settings.credentials_file, server)
    return None if kept is None else kept.token


@contextmanager
def _honest() -> Iterator[None]:
    """Take what the server said into a record of ours, or say that it cannot be so."""
    try:
        yield
    except ValidationError as error:
        raise ServerError("server_answer_invalid", describe(error)) from error


def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise ServerError("server_answer_invalid", f"more than {MAX_ANSWER_BYTES} bytes")
    return bytes(body)


def _parse(body: bytes, answer: type[AnyAnswer]) -> AnyAnswer:
    try:
        return answer.model_validate_json(body)
    except ValidationError as error:
        raise ServerError("server_answer_invalid", describe(error)) from error


def _refusal(status: int, body: bytes) -> ServerError:
    """Make the error for a status that is no success; quotes the problem document if there is one."""
    code = "server_failed" if status >= 500 else "server_refused"
    try:
        problem = _Problem.model_validate_json(body)
    except ValidationError:
        return ServerError(code, f"status {status}", status=status)
    detail = f"{problem.code}: {printable(problem.detail)[:500]}"
    return ServerError(code, detail, status=status, server_code=problem.code)


def _seconds(retry_after: str | None) -> float | None:
    """Read a ``Retry-After``: seconds, or a date (RFC 9110, section 10.2.3)."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        when = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp())
