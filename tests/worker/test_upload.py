"""The upload client against the real service, in this process, over a wire that can be cut anywhere."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
import pytest

from worker.bundle import Bundle
from worker.errors import ServerError
from worker.service import Service
from worker.settings import Settings
from worker.upload import upload, wait

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
        made.append(Service(chosen, transport=transport, sleep=lambda _: None))
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
    part = {"number": 1, "url": "/parts/1", "offset": 0, "size_bytes": entry.size_bytes, "received": False}
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


def answering(receipt: dict[str, Any], part: Any = None) -> tuple[httpx.MockTransport, list[httpx.Request]]:
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if request.method == "PUT":
            return httpx.Response(200, json=part) if part is not None else httpx.Response(200)
        return httpx.Response(202 if request.url.path.endswith("/submit") else 201, json=receipt)

    return httpx.MockTransport(handle), seen


def with_part(bundle: Bundle, **changes: Any) -> dict[str, Any]:
    receipt = receipt_for(bundle)
    receipt["missing"][0]["upload"]["parts"][0].update(changes)
    return receipt


def test_only_the_servers_own_address_gets_the_token(make_bundle: Callable[..., Bundle], connect: Any) -> None:
    bundle = make_bundle()
    transport, seen = answering(with_part(bundle, url="https://store.example/bucket/part?X-Amz-Signature=abc"))
    upload(bundle, connect(transport, token="a-token"))
    authorized = {request.url.host: "authorization" in request.headers for request in seen}
    assert authorized == {"byogpu.example": True, "store.example": False}
    [put] = [request for request in seen if request.method == "PUT"]
    assert put.url.params["X-Amz-Signature"] == "abc"


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


@pytest.mark.parametrize("url", ["http://store.example/part", "file:///etc/passwd", "ftp://store.example/part"])
def test_data_does_not_leave_an_encrypted_server_for_an_open_address(
    make_bundle: Callable[..., Bundle], url: str
) -> None:
    bundle = make_bundle()
    transport, seen = answering(with_part(bundle, url=url))
    with (
        Service(Settings(), url="https://byogpu.example", transport=transport) as client,
        pytest.raises(ServerError, match="server_untrusted"),
    ):
        upload(bundle, client)
    assert [request.method for request in seen] == ["POST"]
