"""The drill: save a service that goes on working, restore it into an empty place, look at every bundle there."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import pytest

from server.backup import BackupError, Damage, backup, restore, verify
from server.services import Services
from server.settings import MIB, Settings
from server.signing import service_key
from server.startup import build, close
from worker.bundle import Bundle
from worker.bundle.dsse import generate_key

if TYPE_CHECKING:
    from tests.conftest import Service


Place = Callable[[], Mapping[str, Any]]


@pytest.fixture(
    params=["sqlite and folder", pytest.param("postgres and s3", marks=[pytest.mark.postgres, pytest.mark.s3])]
)
def place(request: pytest.FixtureRequest) -> Place:
    """Makes settings of empty places, once of each kind."""
    if request.param == "sqlite and folder":
        return dict
    new_postgres, new_bucket = request.getfixturevalue("new_postgres"), request.getfixturevalue("new_bucket")
    return lambda: {"database_url": new_postgres(), **new_bucket()}


@pytest.fixture
def open_place(tmp_path: Path) -> Iterator[Callable[..., Services]]:
    """Build services that do not run."""
    made: list[Services] = []

    def make(**settings: Any) -> Services:
        made.append(build(Settings(data_dir=tmp_path / f"restored-{len(made)}", **settings)))
        return made[-1]

    yield make
    for one in made:
        close(one)


@pytest.fixture
def service(make_service: Callable[..., Service], place: Place) -> Service:
    return make_service(**place())


@pytest.fixture
def bundles(service: Service, make_bundle: Callable[..., Bundle]) -> list[Bundle]:
    """Two bundles that share a blob, one with a blob of several parts, and one whose upload is open."""
    found = [make_bundle(), make_bundle(base_sha="c" * 40), make_bundle(log=b"line\n" * (2 * MIB))]
    for bundle in found:
        service.upload(bundle)
    service.post(make_bundle(rows=7))
    return found


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        path.name: [json.loads(line) for line in gzip.open(path, "rt").readlines()]
        for path in (folder / "tables").iterdir()
    }


def test_the_drill(
    service: Service, bundles: list[Bundle], place: Place, open_place: Callable[..., Services], tmp_path: Path,
    make_bundle: Callable[..., Bundle],
) -> None:  # fmt: skip
    saved = backup(service.services, tmp_path / "backup")
    assert saved.blobs == len({entry.sha256 for bundle in bundles for entry in bundle.manifest.files})
    service.upload(make_bundle(rows=3))  # the service goes on; the backup does not know of it

    fresh = open_place(**place())
    assert restore(fresh, tmp_path / "backup") == saved

    found = verify(fresh)
    assert (found.bundles, found.blobs, found.blob_bytes) == (len(bundles), saved.blobs, saved.blob_bytes)
    assert found.damages == ()
    for bundle in bundles:
        for entry in bundle.manifest.files:
            with fresh.store.open(entry.sha256) as restored, bundle.blobs.open(entry.sha256) as sent:
                assert restored.read() == sent.read()
    backup(fresh, tmp_path / "again")
    assert tables(tmp_path / "again") == tables(tmp_path / "backup")


def test_a_restored_service_goes_on_working(
    service: Service, bundles: list[Bundle], place: Place, make_service: Callable[..., Service],
    make_bundle: Callable[..., Bundle], tmp_path: Path,
) -> None:  # fmt: skip
    service_key(service.services.settings)
    half = make_bundle(rows=9)
    service.put_missing(half, service.post(half).json()["missing"][:1])
    backup(service.services, tmp_path / "backup")
    successor = make_service(**place())
    restore(successor.services, tmp_path / "backup")
    for bundle in bundles:
        pages = [one.client.get(f"/api/v1/bundles/{bundle.id}").json() for one in (service, successor)]
        assert pages[0] == pages[1]
    assert service.client.get("/api/v1/service-key").json() == successor.client.get("/api/v1/service-key").json()
    successor.put_missing(half, successor.post(half).json()["missing"])
    assert successor.submit(half).status_code == 202, "an upload that was open can be completed"
    assert successor.upload(make_bundle(rows=3))["upload_state"] == "complete"
    assert successor.upload(make_bundle(base_sha="d" * 40))["upload_state"] == "complete"


def test_the_key_that_signs_jobs_is_saved_and_restored(
    make_service: Callable[..., Service], open_place: Callable[..., Services], tmp_path: Path
) -> None:
    service = make_service(service_key_file=tmp_path / "elsewhere" / "key.pem")
    assert backup(service.services, tmp_path / "backup").service_key_id is None, "it has signed nothing yet"
    key = service_key(service.services.settings)
    saved = backup(service.services, tmp_path / "backup")
    assert saved.service_key_id == key.key_id
    kept = tmp_path / "backup" / "service-key.pem"
    assert kept.stat().st_mode & 0o777 == 0o600

    fresh = open_place(service_key_file=tmp_path / "new" / "place" / "key.pem")
    restore(fresh, tmp_path / "backup")
    assert service_key(fresh.settings).key_id == key.key_id
    assert fresh.settings.resolved_service_key_file.stat().st_mode & 0o777 == 0o600


def test_a_key_that_agents_do_not_know_is_not_taken_for_the_backups(
    service: Service, open_place: Callable[..., Services], tmp_path: Path
) -> None:
    key = service_key(service.services.settings)
    backup(service.services, tmp_path / "backup")
    fresh = open_place()
    service_key(fresh.settings)
    with pytest.raises(BackupError, match="holds another key than the backup"):
        restore(fresh, tmp_path / "backup")
    fresh.settings.resolved_service_key_file.unlink()
    restore(fresh, tmp_path / "backup")
    assert service_key(fresh.settings).key_id == key.key_id


@pytest.mark.postgres
@pytest.mark.s3
def test_a_backup_of_sqlite_fits_postgres_and_s3(
    make_service: Callable[..., Service], make_bundle: Callable[..., Bundle], open_place: Callable[..., Services],
    new_postgres: Callable[[], str], new_bucket: Callable[[], dict[str, Any]], tmp_path: Path,
) -> None:  # fmt: skip
    service = make_service()
    service.upload(make_bundle())
    saved = backup(service.services, tmp_path / "backup")
    fresh = open_place(database_url=new_postgres(), **new_bucket())
    restore(fresh, tmp_path / "backup")
    assert (verify(fresh).bundles, verify(fresh).damages, saved.blobs) == (1, (), 1)


def test_what_was_retracted_leaves_the_backup(service: Service, bundles: list[Bundle], tmp_path: Path) -> None:
    first = backup(service.services, tmp_path)
    retract = f"/api/v1/bundles/{bundles[2].id}/retract"
    assert service.client.post(retract, json={"reason": "a test"}, headers=service.admin).status_code < 300
    service.work()
    second = backup(service.services, tmp_path)
    gone = bundles[2].manifest.files[-1]
    assert first.blob_bytes - second.blob_bytes >= gone.size_bytes
    assert list((tmp_path / "blobs").rglob(gone.sha256)) == []


class Vanishing:
    """A store whose first blob is retracted at the moment it is to be copied."""

    def __init__(self, service: Service, bundle: Bundle) -> None:
        self.service, self.bundle, self.done = service, bundle, False

    def open(self, sha256: str) -> BinaryIO:
        if not self.done:
            self.done = True
            retract = f"/api/v1/bundles/{self.bundle.id}/retract"
            self.service.client.post(retract, json={"reason": "a test"}, headers=self.service.admin)
            self.service.work()
        return self.service.services.store.open(sha256)


def test_a_retraction_during_the_backup_is_respected(
    service: Service, make_bundle: Callable[..., Bundle], tmp_path: Path
) -> None:
    bundle = make_bundle()
    service.upload(bundle)
    store: Any = Vanishing(service, bundle)
    saved = backup(replace(service.services, store=store), tmp_path)
    assert (saved.blobs, store.done) == (0, True)


def test_damage_is_named_bundle_by_bundle(service: Service, bundles: list[Bundle]) -> None:
    shared = bundles[0].manifest.files[0].sha256
    service.services.store.delete(shared)
    assert set(verify(service.services).damages) == {
        Damage(bundle.id, f"blob {shared} is missing or damaged")
        for bundle in bundles
        if shared in [entry.sha256 for entry in bundle.manifest.files]
    }


def test_a_lost_blob_stops_a_backup(service: Service, bundles: list[Bundle], tmp_path: Path) -> None:
    service.services.store.delete(bundles[0].manifest.files[0].sha256)
    with pytest.raises(BackupError, match="the store has lost blob"):
        backup(service.services, tmp_path)
    with pytest.raises(BackupError, match="no finished backup"):
        restore(service.services, tmp_path)


def test_only_an_empty_database_is_restored_into(service: Service, bundles: list[Bundle], tmp_path: Path) -> None:
    backup(service.services, tmp_path)
    with pytest.raises(BackupError, match="not empty"):
        restore(service.services, tmp_path)


@pytest.mark.parametrize("damage", ["rows", "blob", "missing", "summary", "revision", "key"])
def test_a_damaged_backup_is_refused_and_can_be_repaired(
    make_service: Callable[..., Service], make_bundle: Callable[..., Bundle], open_place: Callable[..., Services],
    damage: str, tmp_path: Path,
) -> None:  # fmt: skip
    service = make_service()
    service.upload(make_bundle())
    service_key(service.services.settings)
    backup(service.services, tmp_path)
    [blob] = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    places = {"rows": tmp_path / "tables" / "bundle.jsonl.gz", "blob": blob, "missing": blob}
    victim = {**places, "key": tmp_path / "service-key.pem"}.get(damage, tmp_path / "backup.json")
    whole = victim.read_bytes()
    match damage:
        case "rows" | "blob":
            victim.write_bytes(whole[:-1] + b"?")
        case "missing":
            victim.unlink()
        case "summary":
            victim.write_bytes(b"{}")
        case "key":
            generate_key(tmp_path / "another.pem")
            victim.write_bytes((tmp_path / "another.pem").read_bytes())
        case _:
            victim.write_bytes(whole.replace(b'"revision": "0', b'"revision": "9'))
    fresh = open_place()
    with pytest.raises(BackupError):
        restore(fresh, tmp_path)
    victim.write_bytes(whole)
    restore(fresh, tmp_path)
    assert verify(fresh).damages == ()
