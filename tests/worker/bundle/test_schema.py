import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from worker.bundle import BundleError, Manifest, canonical, parse_manifest
from worker.bundle.publish import json_schema

DOCS = Path(__file__).parents[3] / "docs"


def test_published_schema_is_the_one_the_code_enforces():
    assert (DOCS / "bundle.schema.json").read_text(encoding="utf-8") == json_schema(), (
        "run: python -m worker.bundle.publish > docs/bundle.schema.json"
    )


def test_manifest_survives_its_canonical_form(bundle):
    assert parse_manifest(bundle.manifest_bytes) == bundle.manifest


@pytest.mark.parametrize("duration_s", [0.1, 3.0, 1e16, 5e-324, 1.7976931348623157e308])
def test_float_fields_have_a_fixed_canonical_form(bundle, duration_s):
    data = damaged(bundle, lambda m: m["producer"].update(duration_s=duration_s))
    assert parse_manifest(data).producer.duration_s == duration_s


def damaged(bundle, change):
    plain = json.loads(bundle.manifest_bytes)
    change(plain)
    return canonical(plain)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda m: m.update(extra=1), "extra"),
        (lambda m: m.pop("origin"), "origin"),
        (lambda m: m.update(format="byogpu.bundle/2"), "format"),
        (lambda m: m["subject"].update(head_sha="A" * 40), "head_sha"),
        (lambda m: m["subject"].update(repository="../etc"), "repository"),
        (lambda m: m["subject"].update(pull_number=True), "pull_number"),
        (lambda m: m["subject"].update(pull_number="3"), "pull_number"),
        (lambda m: m["subject"].update(pull_number=-1), "pull_number"),
        (lambda m: m["producer"].update(worker_version="a\u001b[31mb"), "worker_version"),
        (lambda m: m["producer"].update(started_at="2026-01-01T00:00:00"), "started_at"),
        (lambda m: m["files"][0].update(sha256="0" * 63), "sha256"),
        (lambda m: m["files"][0].update(role="archive"), "role"),
        (lambda m: m["files"][0].update(media_type="text/html"), "media_type"),
        (lambda m: m["evals"][0]["outcome"].update(outcome="won"), "outcome"),
        (lambda m: m["evals"][0]["outcome"].update(duration_s=-1), "duration_s"),
        (lambda m: m["evals"][0]["cells"][0].update(metric="vibes"), "metric"),
    ],
)
def test_a_wrong_field_is_named(bundle, change, field):
    with pytest.raises(BundleError) as caught:
        parse_manifest(damaged(bundle, change))
    assert caught.value.code == "manifest_invalid"
    assert field in caught.value.detail


def test_other_than_canonical_bytes_are_refused(bundle):
    spaced = json.dumps(json.loads(bundle.manifest_bytes), indent=1).encode()
    with pytest.raises(BundleError) as caught:
        parse_manifest(spaced)
    assert caught.value.code == "manifest_not_canonical"


def test_size_limits(bundle):
    with pytest.raises(BundleError) as caught:
        parse_manifest(b" " * 4_000_001)
    assert caught.value.code == "manifest_too_large"
    huge = damaged(bundle, lambda m: m["files"][0].update(size_bytes=513_000_000))
    with pytest.raises(BundleError) as caught:
        parse_manifest(huge)
    assert caught.value.code == "blob_too_large"
    many = damaged(bundle, lambda m: m.update(files=m["files"] * 2_001))
    with pytest.raises(BundleError) as caught:
        parse_manifest(many)
    assert caught.value.code == "manifest_invalid"


def test_records_are_frozen(bundle):
    with pytest.raises(ValidationError):
        bundle.manifest.format = "byogpu.bundle/1"
    assert isinstance(bundle.manifest, Manifest)
