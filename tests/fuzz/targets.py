"""What is fuzzed: functions of bytes that must end, whatever the bytes are, in one of the ways that are documented.

An input is a list of choices: most of them say how a valid thing is damaged, so that many damaged ones get past the
first check; its first byte may say instead that the rest is taken as it is.
"""

import contextlib
import copy
import functools
import hashlib
import importlib.util
import io
import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from judge.assess import Assessment, assess
from judge.claims import parse_claims
from judge.evidence import collect
from judge.report import PullRef, ReportUrls, render
from judge.verdict import judge
from server.errors import AppError
from server.intake.parts import parse_content_digest
from server.storage import CorruptBlobError, IncompleteBlobError, LocalBlobs, plan
from worker.bundle import Bundle, BundleError, canonical, parse_manifest
from worker.bundle.export import import_archive

HEAD_SHA = "a" * 40
ODD: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2**53 - 1, 2**53, 10**400, 0.0, 1e-320, 1e308, "", "unknown", "candidate", "serving.c2",
    "0" * 64, "<b>@all</b>", "\u202e", "\x00", "a" * 5000, [], {}, [[]], {"kind": "none"},
)  # fmt: skip
"""Values that damage something; the rest of a document supplies plausible ones."""


@dataclass
class Choices:
    """Decisions taken from an input, zero once it is used up."""

    data: bytes
    at: int = 0

    @property
    def left(self) -> bool:
        """Whether any is left."""
        return self.at < len(self.data)

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit - 1``."""
        wide = 2 if limit > 256 else 1
        found = int.from_bytes(self.data[self.at : self.at + wide], "big")
        self.at += wide
        return found % max(limit, 1)

    def rest(self, most: int) -> bytes:
        """As many bytes as the next choice says."""
        size = self.below(most)
        found = self.data[self.at : self.at + size]
        self.at += size
        return found


def damage(document: Any, choices: Choices, *, most: int = 12) -> Any:
    """Exchange, drop or repeat parts of a JSON document."""
    changed = [copy.deepcopy(document)]
    for _ in range(most):
        if not choices.left:
            break
        parent, key = _place(changed, choices)
        match choices.below(4):
            case 0:
                parent[key] = copy.deepcopy(ODD[choices.below(len(ODD))])
            case 1:
                other, there = _place(changed, choices)
                parent[key] = copy.deepcopy(other[there])
            case 2 if isinstance(parent, list) and parent is not changed:
                parent.insert(key, copy.deepcopy(parent[key]))
            case 3 if parent is not changed:
                del parent[key]
    return changed[0]


def _place(root: list[Any], choices: Choices) -> tuple[Any, Any]:
    """Walk down from the root: the container of a part and its key in there."""
    parent: Any = root
    key: Any = 0
    for _ in range(choices.below(8)):
        inside = parent[key]
        if not isinstance(inside, dict | list) or not inside:
            break
        parent = inside
        keys = list(inside) if isinstance(inside, dict) else range(len(inside))
        key = keys[choices.below(len(keys))]
    return parent, key


# ------------------------------------------------------------------ what is damaged
def _beside(path: Path, name: str) -> ModuleType:
    if (known := sys.modules.get(name)) is not None:
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class _Memory:
    """Blobs that are held in memory."""

    def __init__(self, blobs: dict[str, bytes]) -> None:
        self.blobs = blobs

    def open(self, sha256: str) -> io.BytesIO:
        if sha256 not in self.blobs:
            raise BundleError("blob_missing", f"blob {sha256} is not in the bundle")
        return io.BytesIO(self.blobs[sha256])


@functools.cache
def small() -> tuple[dict[str, Any], dict[str, bytes]]:
    """A valid manifest as JSON and its blobs: the judge's made-up bundle with a few rows of each kind."""
    specimen = _beside(Path(__file__).parents[1] / "judge" / "specimen.py", "fuzz_specimen").build()
    for key, rows in specimen.rows.items():
        kept: dict[Any, int] = {}
        few = []
        for row in rows:
            place = (row.get("cell"), row.get("arm"), row.get("block"))
            kept[place] = kept.get(place, 0) + 1
            # One cell has blocks enough for an interval: drawing samples for every cell takes most of the time.
            if kept[place] <= 2 and (place[0] == "decode-step.b1.c64" or row.get("block", 0) < 4):
                few.append(row)
        specimen.rows[key] = few
    specimen.rows[("kernel_times", "decode-step")] = [
        {
            "cell": "decode-step.b1.c64",
            "arm": "baseline",
            "block": 0,
            "kernel": kernel,
            "launches": 1,
            "times_us": [160.0, 161.0],
        }
        for kernel in ("mla", None)
    ]
    specimen.rows[("summary", "serving")] = [
        {"cell": "serving.c2", "arm": "baseline", "metric": metric, "statistic": "median", "value": 20.0}
        for metric in ("ttft_ms", "achieved_concurrency")
    ]
    with tempfile.TemporaryDirectory() as folder:
        bundle = specimen.write(Path(folder))
        names = {entry.sha256 for entry in bundle.manifest.files}
        blobs = {name: (Path(folder) / "blobs" / name).read_bytes() for name in names}
    return json.loads(bundle.manifest_bytes), blobs


def _judged(bundle: Bundle) -> Assessment:
    """Everything that happens to a bundle after it was parsed."""
    found = assess(collect(bundle))
    assert Assessment.model_validate_json(found.model_dump_json()) == found
    claims = parse_claims('```byogpu-claims\n- {id: a, metric: step_latency_us, relation: ">= 1.1x baseline"}\n```')
    verdicts = judge(claims.claims, (found,), head_sha=HEAD_SHA)
    report = render(
        PullRef(repository="octo/kernels", number=1, head_sha=HEAD_SHA), claims, verdicts, (found,),
        ReportUrls(pull="https://byogpu.example/pulls/1", bundles=()),
    )  # fmt: skip
    for text in (report.title, report.summary, report.text):
        assert "<b>" not in text
        assert "@all" not in text
    return found


# ------------------------------------------------------------------ targets
def manifest(data: bytes) -> None:
    """A manifest is refused with a code, or is canonical and can be judged."""
    choices = Choices(data)
    valid, blobs = small()
    raw = data[1:] if choices.below(4) == 3 else None
    if raw is None:
        with contextlib.suppress(BundleError):
            raw = canonical(damage(valid, choices))
    if raw is None:
        return
    try:
        parsed = parse_manifest(raw)
    except BundleError:
        return
    assert canonical(parsed) == raw
    _judged(Bundle(parsed, raw, None, _Memory(blobs)))


def blobs(data: bytes) -> None:
    """A blob of any role is read, or its problem is a finding; nothing that it holds stops the judge."""
    choices = Choices(data)
    valid, held = small()
    document = copy.deepcopy(valid)
    entry = document["files"][choices.below(len(document["files"]))]
    content = held[entry["sha256"]]
    if choices.below(4) == 3:
        content = data[choices.at :]
    elif entry["role"] == "lm_eval_results":
        content = json.dumps(damage(json.loads(content), choices)).encode("utf-8", "surrogatepass")
    else:
        content = b"".join(_lines(content, choices))
    found = hashlib.sha256(content).hexdigest()
    entry.update(sha256=found, size_bytes=len(content))
    raw = canonical(document)
    _judged(Bundle(parse_manifest(raw), raw, None, _Memory({**held, found: content})))


def _lines(content: bytes, choices: Choices) -> Iterator[bytes]:
    lines = content.splitlines(keepends=True)
    damaged = {choices.below(len(lines)): choices.below(3) for _ in range(1 + choices.below(3))}
    for number, line in enumerate(lines):
        match damaged.get(number):
            case None:
                yield line
            case 0:
                yield json.dumps(damage(json.loads(line), choices, most=3)).encode("utf-8", "surrogatepass") + b"\n"
            case 1:
                at = choices.below(len(line))
                yield line[:at] + choices.rest(32) + line[at:]
            case _:
                yield line * 2


def claims(data: bytes) -> None:
    """A pull request's text has claims or errors, never both, and every error names a line of it."""
    text = data.decode("utf-8", "replace")
    body = text if "byogpu-claims" in text else f"```byogpu-claims\n{text}\n```"
    found = parse_claims(body)
    assert not (found.claims and found.errors)
    assert all(1 <= error.line <= body.count("\n") + body.count("\r") + 1 for error in found.errors)
    assert type(found).model_validate_json(found.model_dump_json()) == found


@functools.cache
def _scratch() -> Path:
    memory = Path("/dev/shm")
    kept = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    _KEPT.append(kept)
    return Path(kept.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@functools.cache
def _tiny() -> tuple[bytes, str, bytes]:
    """A manifest with one blob."""
    document, held = copy.deepcopy(small()[0]), small()[1]
    document["files"] = [one for one in document["files"] if one["role"] == "numerics"][:1]
    name = document["files"][0]["sha256"]
    return canonical(document), name, held[name]


def export(data: bytes) -> None:
    """An archive is refused with a code and leaves nothing, or it gives the bundle whose digest it names."""
    choices = Choices(data)
    archive = data[1:] if choices.below(4) == 3 else _archive(choices)
    source, folder = _scratch() / "x.byogpu", _scratch() / "out"
    source.write_bytes(archive)
    try:
        assert import_archive(source, folder).id == hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
        for path in folder.rglob("*"):
            assert path.is_dir() or path.parent == folder or hashlib.sha256(path.read_bytes()).hexdigest() == path.name
    except BundleError:
        assert not folder.exists()
    finally:
        _remove(folder)
    assert [path.name for path in _scratch().iterdir() if path.name.startswith((".", "out"))] == []


def _archive(choices: Choices) -> bytes:
    """A good archive with odd entries, then bytes of it exchanged."""
    document, name, blob = _tiny()
    good = {"manifest.json": document, f"blobs/{name}": blob}
    names = (*good, "envelope.json", "../evil", "/etc/x", "blobs/", "blobs\\x", f"blobs/{name[:-1]}", "MANIFEST.JSON")
    target = io.BytesIO()
    with contextlib.suppress(ValueError), zipfile.ZipFile(target, "w", strict_timestamps=False) as archive:
        for one, content in good.items():
            archive.writestr(_info(one, choices), content if choices.below(8) else choices.rest(64))
        for _ in range(choices.below(4)):
            chosen = names[choices.below(len(names))]
            if chosen not in archive.namelist():
                archive.writestr(_info(chosen, choices), choices.rest(64) * (1 + choices.below(3) ** 8))
    found = bytearray(target.getvalue())
    for _ in range(choices.below(6)):
        at = len(found) - 1 - choices.below(min(len(found), 2000))
        found[at] = choices.below(256)
    return bytes(found[: len(found) - choices.below(40)] if choices.below(8) == 7 else found)


def _info(name: str, choices: Choices) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)[
        choices.below(4)
    ]
    info.external_attr = (0o100644, 0o120777, 0o20644, 0)[choices.below(4)] << 16 if choices.below(4) == 3 else 0
    return info


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True) if folder.exists() else ():
        path.rmdir() if path.is_dir() else path.unlink()
    if folder.exists():
        folder.rmdir()


def parts(data: bytes) -> None:
    """Whatever parts of a blob arrive in whatever order, only the blob that its digest names becomes visible."""
    choices = Choices(data)
    with contextlib.suppress(AppError):
        assert len(parse_content_digest(data.decode("latin-1"))) == 32
    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        store, blob = LocalBlobs(Path(folder)), bytes(range(choices.below(20)))
        sha256, planned = hashlib.sha256(blob).hexdigest(), plan(len(blob), 1 + choices.below(8))
        assert b"".join(blob[one.offset : one.offset + one.size_bytes] for one in planned) == blob
        for _ in range(12):
            match choices.below(6) if choices.left else -1:
                case -1:
                    break
                case 0:
                    store.discard_parts(sha256)
                case 1:
                    with contextlib.suppress(CorruptBlobError, IncompleteBlobError):
                        store.assemble(sha256, planned, {})
                case 2:
                    store.delete(sha256)
                case _:
                    one = planned[choices.below(len(planned))]
                    sent = blob[one.offset : one.offset + one.size_bytes] if choices.below(4) else choices.rest(8)
                    with store.part(sha256, one.number) as sink:
                        sink.write(sent)
                        if choices.below(8):
                            sink.keep()
            assert store.arrived(sha256, planned, {}) <= {one.number for one in planned}
            with contextlib.suppress(BundleError), store.open(sha256) as stream:
                assert stream.read() == blob


TARGETS: dict[str, Callable[[bytes], None]] = {
    "manifest": manifest,
    "blobs": blobs,
    "claims": claims,
    "export": export,
    "parts": parts,
}
