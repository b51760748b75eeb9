"""The upload client against the real service, in this process, over a wire that can be cut anywhere."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
import pytest

from worker.bundle import Bundle
from worker.errors import ServerError
from worker.service import Service
from worker.settings import Settings
from worker.upload import MAX_ROUNDS, upload, wait

Cut = Literal["before", "after"]


@dataclass
class Wire(httpx.BaseTransport):
    """Carries requests to a service in this process, and notes them.

    Attributes:
        server: The service; may be replaced while an upload is under way.
        cut_at: Request, counted from 0, whose connection breaks; None: none.
        cut: Whether it breaks before the service sees the request, or after it acted.
        then: What happens at the cut.
    """

    server: Any
    cut_at: int | None = None
    cut: Cut = "before"
    then: Callable[[], None] = lambda: None
    requests: list[str] = field(default_factory=list)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        number = len(self.requests)
        self.requests.append(f"{request.method} {request.url.path}")
        if number == self.cut_at and self.cut == "before":
            self.then()
            raise httpx.ConnectError("cut", request=request)
        headers = {name: value for name, value in request.headers.items() if name.lower() != "host"}
        answer = self.server.client.request(
            request.method, str(request.url.raw_path, "ascii"), content=request.read(), headers=headers
        )
        if number == self.cut_at:
            self.then()
            raise httpx.ReadError("cut", request=request)
        return httpx.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)


@pytest.fixture
def connect() -> Iterator[Callable[..., Service]]:
    """Makes clients that do not really wait between tries."""
    made: list[Service] = []

    def make(transport: httpx.BaseTransport, **settings: Any) -> Service:
        chosen = Settings(server_url="http://byogpu.example", **settings)  # type: ignore[arg-type]
        made.append(Service(chosen, transport=transport, sleep=lambda _: None, resolve=look_up))
        return made[-1]

    yield make
    for one in made:
        one.__exit__(None, None, None)


def kept(service: Any) -> dict[str, Any]:
    """What the service keeps of an upload, without times."""
    bundles = [{k: v for k, v in row.items() if not k.endswith("_at")} for row in service.rows("bundle")]
    return {"bundles": bundles, "blobs": [row["sha256"] for row in service.rows("blob")]}


def test_a_bundle_arrives_and_is_judged(service: Any, make_bundle: Callable[..., Bundle], connect: Any) -> None:
    bundle, sent = make_bundle(), []
    client = connect(Wire(service))
    receipt = upload(bundle, client, sent=sent.append)
    assert (receipt.bundle_id, receipt.upload_state) == (bundle.id, "complete")
    assert sum(sent) == sum(entry.size_bytes for entry in bundle.manifest.files)
    service.work()
    assert wait(bundle, client, limit_s=5).validation_state in ("valid", "invalid", "quarantined")


def test_a_bundle_that_is_there_costs_one_request(
    service: Any, make_bundle: Callable[..., Bundle], connect: Any
) -> None:
    bundle = make_bundle()
    upload(bundle, connect(Wire(service)))
    service.work()
    wire = Wire(service)
    upload(bundle, connect(wire))
    assert wire.requests == ["POST /api/v1/bundles"]


@pytest.mark.parametrize("cut", ["before", "after"])
def test_the_wire_may_be_cut_at_any_step(
    make_service: Callable[..., Any], make_bundle: Callable[..., Bundle], connect: Any, cut: Cut
) -> None:
    bundle = make_bundle()
    undisturbed, wire = make_service(part_size_bytes=1024), Wire(None)
    wire.server = undisturbed
    upload(bundle, connect(wire))
    steps = len(wire.requests)
    assert steps >= 5
    for step in range(steps):
        service = make_service(part_size_bytes=1024)
        upload(bundle, connect(Wire(service, cut_at=step, cut=cut)))
        assert kept(service) == kept(undisturbed)


@pytest.mark.parametrize("cut", ["before", "after"])
def test_the_client_may_die_at_any_step_and_start_again(
    make_service: Callable[..., Any], make_bundle: Callable[..., Bundle], connect: Any, cut: Cut
) -> None:
    bundle = make_bundle()
    undisturbed, wire = make_service(part_size_bytes=1024), Wire(None)
    wire.server = undisturbed
    upload(bundle, connect(wire))
    for step in range(len(wire.requests)):
        service = make_service(part_size_bytes=1024)
        with pytest.raises(ServerError, match="server_unreachable"):
            upload(bundle, connect(Wire(service, cut_at=step, cut=cut), retry_attempts=1))
        second = Wire(service)
        upload(bundle, connect(second))
        assert kept(service) == kept(undisturbed)
        parts_sent_again = sum(request.startswith("PUT") for request in second.requests)
        assert parts_sent_again <= max(0, len(wire.requests) - 1 - step)


def test_an_upload_that_expired_meanwhile_begins_anew(
    service: Any, make_bundle: Callable[..., Bundle], connect: Any
) -> None:
    from server.intake.expiry import sweep

    def let_it_expire() -> None:
        service.clock.advance(10 * 24 * 3600)
        sweep(service.services, "uploads")

    bundle = make_bundle()
    wire = Wire(service, cut_at=3, cut="after", then=let_it_expire)
    receipt = upload(bundle, connect(wire))
    assert receipt.upload_state == "complete"
    assert wire.requests.count("POST /api/v1/bundles") > 1


def test_a_damaged_manifest_is_refused_on_its_merits(
    service: Any, make_bundle: Callable[..., Bundle], connect: Any
) -> None:
    bundle = make_bundle()
    object.__setattr__(bundle, "manifest_bytes", bundle.manifest_bytes + b" ")
    wire = Wire(service)
    with pytest.raises(ServerError) as caught:
        upload(bundle, connect(wire))
    assert (caught.value.code, caught.value.server_code) == ("upload_refused", "manifest_not_canonical")
    assert caught.value.exit_code == 1
    assert len(wire.requests) == 1


def test_waiting_has_an_end(service: Any, make_bundle: Callable[..., Bundle], connect: Any) -> None:
    bundle = make_bundle()
    wire = Wire(service)
    client = connect(wire)
    upload(bundle, client)
    with pytest.raises(ServerError, match="validation_pending: not judged after 7 s"):
        wait(bundle, client, limit_s=7)
    assert 4 <= sum(request.endswith("/status") for request in wire.requests) <= 12


# ------------------------------------------------------------------ servers that answer wrongly
def receipt_for(bundle: Bundle, **changes: Any) -> dict[str, Any]:
    [entry] = bundle.manifest.files
    part = {"number": 1, "offset": 0, "size_bytes": entry.size_bytes, "received": False}
    blob = {
        "sha256": entry.sha256,
        "size_bytes": entry.size_bytes,
        "upload": {"part_size_bytes": entry.size_bytes, "parts": [part]},
    }
    usual = {
        "bundle_id": bundle.id,
        "upload_state": "open",
        "validation_state": "pending",
        "trust_level": None,
        "missing": [blob],
        "url": "http://byogpu.example/bundles/1",
    }
    return {**usual, **changes}


def answering(
    receipt: dict[str, Any], part: Any = None, *, status: int = 200, **address: Any
) -> tuple[httpx.MockTransport, list[httpx.Request]]:
    """A server that gives the same answers whatever it is asked; keyword arguments change the address of a part."""
    seen: list[httpx.Request] = []
    given = {"number": 1, "url": "/parts/1", "headers": {"Content-Digest": "sha-256=:x:"}, **address}

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if request.method == "PUT":
            return httpx.Response(status, json=part) if part is not None else httpx.Response(status)
        if request.url.path.endswith("/parts"):
            return httpx.Response(200, json={"parts": [given]})
        return httpx.Response(202 if request.url.path.endswith("/submit") else 201, json=receipt)

    return httpx.MockTransport(handle), seen


def with_part(bundle: Bundle, **changes: Any) -> dict[str, Any]:
    receipt = receipt_for(bundle)
    receipt["missing"][0]["upload"]["parts"][0].update(changes)
    return receipt


STORE = "https://store.example/bucket/part?X-Amz-Signature=abc"


def test_only_the_servers_own_address_gets_the_token(make_bundle: Callable[..., Bundle], connect: Any) -> None:
    bundle = make_bundle()
    headers = {"x-amz-checksum-sha256": "abc="}
    transport, seen = answering(receipt_for(bundle), url=STORE, headers=headers)
    upload(bundle, connect(transport, token="a-token"))
    authorized = {request.url.host: "authorization" in request.headers for request in seen}
    assert authorized == {"byogpu.example": True, "store.example": False}
    [put] = [request for request in seen if request.method == "PUT"]
    assert put.url.params["X-Amz-Signature"] == "abc"
    assert put.headers["x-amz-checksum-sha256"] == "abc="
    assert put.headers["content-type"] == "application/vnd.byogpu.part"  # no store has to guess what it is


def test_parts_are_announced_with_their_digests(make_bundle: Callable[..., Bundle], connect: Any) -> None:
    bundle = make_bundle()
    [entry] = bundle.manifest.files
    transport, seen = answering(
        receipt_for(bundle), part={"sha256": entry.sha256, "number": 1, "size_bytes": entry.size_bytes}
    )
    upload(bundle, connect(transport))
    [said] = [json.loads(request.content) for request in seen if request.url.path.endswith("/parts")]
    assert said == {"parts": [{"number": 1, "size_bytes": entry.size_bytes, "sha256": entry.sha256}]}


@pytest.mark.parametrize("status", [400, 403, 404, 412])
def test_an_address_that_the_store_refuses_is_asked_for_anew(
    make_bundle: Callable[..., Bundle], connect: Any, status: int
) -> None:
    bundle = make_bundle()
    transport, seen = answering(receipt_for(bundle), status=status, url=STORE)
    with pytest.raises(ServerError, match=f"server_failed: .*status {status}"):
        upload(bundle, connect(transport))
    asked = [request for request in seen if request.url.path.endswith("/parts")]
    assert len(asked) == MAX_ROUNDS


@pytest.mark.parametrize(
    "headers", [{"Authorization": "x"}, {"Cookie": "x"}, {"Host": "x"}, {"x-amz-checksum-sha256": "a\r\nb: c"}]
)
def test_an_address_may_ask_for_headers_about_the_part_only(
    make_bundle: Callable[..., Bundle], connect: Any, headers: dict[str, str]
) -> None:
    bundle = make_bundle()
    transport, seen = answering(receipt_for(bundle), headers=headers)
    with pytest.raises(ServerError, match="server_answer_invalid"):
        upload(bundle, connect(transport))
    assert [request for request in seen if request.method == "PUT"] == []


def test_addresses_for_other_parts_are_not_believed(make_bundle: Callable[..., Bundle], connect: Any) -> None:
    bundle = make_bundle()
    transport, _ = answering(receipt_for(bundle), number=2)
    with pytest.raises(ServerError, match=r"server_answer_invalid: .*other parts"):
        upload(bundle, connect(transport))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bundle_id": "0" * 64}, "another bundle"),
        ({"validation_state": "splendid"}, "validation_state"),
        ({"missing": None}, "missing"),
    ],
)
def test_an_answer_about_something_else_is_not_believed(
    make_bundle: Callable[..., Bundle], connect: Any, change: dict[str, Any], words: str
) -> None:
    bundle = make_bundle()
    transport, seen = answering(receipt_for(bundle, **change))
    with pytest.raises(ServerError, match=f"server_answer_invalid: .*{words}"):
        upload(bundle, connect(transport))
    assert len(seen) == 1


def test_a_file_that_the_bundle_does_not_list_is_never_sent(make_bundle: Callable[..., Bundle], connect: Any) -> None:
    bundle = make_bundle()
    receipt = receipt_for(bundle)
    receipt["missing"][0]["sha256"] = "0" * 64
    transport, seen = answering(receipt)
    with pytest.raises(ServerError, match="a file that the bundle does not have"):
        upload(bundle, connect(transport))
    assert [request.method for request in seen] == ["POST"]


@pytest.mark.parametrize("change", [{"offset": 1}, {"number": 2}, {"size_bytes": 1}])
def test_parts_that_are_not_the_blob_are_refused(
    make_bundle: Callable[..., Bundle], connect: Any, change: dict[str, Any]
) -> None:
    bundle = make_bundle()
    transport, _ = answering(with_part(bundle, **change))
    with pytest.raises(ServerError, match="server_answer_invalid"):
        upload(bundle, connect(transport))


@pytest.mark.parametrize("part", [{"sha256": "0" * 64, "number": 1, "size_bytes": 1}, {}, [1]])
def test_a_receipt_for_another_part_is_not_believed(
    make_bundle: Callable[..., Bundle], connect: Any, part: Any
) -> None:
    bundle = make_bundle()
    transport, _ = answering(receipt_for(bundle), part=part)
    with pytest.raises(ServerError, match="server_answer_invalid"):
        upload(bundle, connect(transport))


@pytest.mark.parametrize(
    "url",
    [
        "http://store.example/part", "file:///etc/passwd", "ftp://store.example/part", "http://byogpu.example/part",
        "https://inside.example/part", "https://10.0.0.1/part", "https://[::1]/part", "https://a:b@store.example/part",
    ],
)  # fmt: skip
def test_data_goes_to_the_server_and_to_public_stores_only(make_bundle: Callable[..., Bundle], url: str) -> None:
    bundle = make_bundle()
    transport, seen = answering(receipt_for(bundle), url=url)
    with (
        Service(Settings(), url="https://byogpu.example", transport=transport, resolve=look_up) as client,
        pytest.raises(ServerError, match="server_untrusted"),
    ):
        upload(bundle, client)
    assert [request.method for request in seen] == ["POST", "POST"]


@pytest.mark.parametrize(
    ("server", "url", "named"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:9000/part", None),
        ("http://byogpu.example", "http://10.0.0.1:9000/part", "http://10.0.0.1:9000"),
        ("https://byogpu.example", "https://inside.example/part", "https://inside.example"),
        ("https://byogpu.example", "https://store.example/part", None),
    ],
)
def test_data_goes_to_the_servers_host_and_where_the_user_says(
    make_bundle: Callable[..., Bundle], server: str, url: str, named: str | None
) -> None:
    bundle = make_bundle()
    transport, seen = answering(receipt_for(bundle), url=url)
    settings = Settings(store_url=named)  # type: ignore[arg-type]
    with Service(settings, url=server, transport=transport, resolve=look_up) as client:
        upload(bundle, client)
    assert [str(request.url) for request in seen if request.method == "PUT"] == [url]


def look_up(host: str) -> list[str]:
    """The addresses of hosts in these tests."""
    return {"store.example": ["93.184.215.14"], "inside.example": ["93.184.215.14", "10.1.2.3"]}.get(host, [host])
