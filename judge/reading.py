"""Opens a bundle's blobs by role and turns their rows into tables; what cannot be read becomes a `Problem`."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, TypeVar

from judge import lm_eval
from judge.columns import RequestColumns, StepColumns, StreamNames, TelemetryColumns
from judge.problems import Problem, SecretHit
from judge.tables import CellArm, Stream
from worker.bundle import Bundle, BundleError, digest_stream, read_rows
from worker.bundle.record import Identifier, Record
from worker.bundle.redaction import scan
from worker.bundle.samples import (
    CounterRow,
    KernelTimeRow,
    NumericsRow,
    RequestRow,
    StepRow,
    StreamRow,
    SummaryRow,
    TelemetryRow,
)
from worker.bundle.schema import ArmName, FileEntry

MAX_SECRETS_LISTED = 100
_SCAN_BYTES = 1 << 20
_SCAN_OVERLAP = 10_000

EvalArm = tuple[Identifier, ArmName]
AnyRow = TypeVar("AnyRow", bound=Record)


@dataclass
class Reader:
    """What has been read so far of one bundle's files.

    Attributes:
        bundle: The bundle.
        steps: Step columns by cell and arm; so on for the other roles.
        problems: What could not be read, in file order.
        secrets: Places that look like secrets, at most `MAX_SECRETS_LISTED`.
    """

    bundle: Bundle
    steps: defaultdict[CellArm, StepColumns] = field(default_factory=lambda: defaultdict(StepColumns))
    requests: defaultdict[CellArm, RequestColumns] = field(default_factory=lambda: defaultdict(RequestColumns))
    numerics: defaultdict[CellArm, list[NumericsRow]] = field(default_factory=lambda: defaultdict(list))
    telemetry: defaultdict[Identifier, TelemetryColumns] = field(default_factory=lambda: defaultdict(TelemetryColumns))
    counters: list[CounterRow] = field(default_factory=list)
    streams: defaultdict[EvalArm, list[Stream]] = field(default_factory=lambda: defaultdict(list))
    kernel_times: defaultdict[CellArm, list[KernelTimeRow]] = field(default_factory=lambda: defaultdict(list))
    summaries: list[SummaryRow] = field(default_factory=list)
    results: defaultdict[EvalArm, list[lm_eval.Results]] = field(default_factory=lambda: defaultdict(list))
    samples: defaultdict[EvalArm, list[lm_eval.SampleFile]] = field(default_factory=lambda: defaultdict(list))
    problems: list[Problem] = field(default_factory=list)
    secrets: list[SecretHit] = field(default_factory=list)
    _names: StreamNames = field(default_factory=StreamNames)
    _digests: dict[str, tuple[str, int]] = field(default_factory=dict)

    def read_all(self) -> None:
        """Read the manifest's texts and every file."""
        self._scan_bytes(self.bundle.manifest_bytes, where="manifest")
        for index, entry in enumerate(self.bundle.manifest.files):
            try:
                self._verify(entry)
                with self.bundle.blobs.open(entry.sha256) as stream:
                    self._read(index, entry, stream)
            except BundleError as error:
                self.problems.append(
                    Problem(
                        code=error.code, detail=error.detail[:400], file=index, eval_id=entry.eval_id, arm=entry.arm
                    )
                )

    def eval_arms(self) -> tuple[EvalArm, ...]:
        """Evals and arms with files of lm-eval, sorted."""
        return tuple(sorted({*self.results, *self.samples}))

    def _verify(self, entry: FileEntry) -> None:
        if entry.sha256 not in self._digests:
            with self.bundle.blobs.open(entry.sha256) as stream:
                self._digests[entry.sha256] = digest_stream(stream)
        found, size_bytes = self._digests[entry.sha256]
        if found != entry.sha256:
            raise BundleError("blob_corrupt", f"the blob's digest is {found}, the manifest says {entry.sha256}")
        if size_bytes != entry.size_bytes:
            raise BundleError("size_mismatch", f"the blob has {size_bytes} bytes, the manifest says {entry.size_bytes}")

    def _read(self, index: int, entry: FileEntry, stream: BinaryIO) -> None:
        where = f"files/{index}"
        match entry.role:
            case "steps":
                for step in read_rows(stream, StepRow):
                    self.steps[(step.cell, step.arm)].add(step)
            case "telemetry":
                for sample in read_rows(stream, TelemetryRow):
                    self.telemetry[_eval_of(entry)].add(sample)
            case "requests":
                for request in self._texts(stream, RequestRow, lambda r: (r.error or "", r.finish_reason), where=where):
                    self.requests[(request.cell, request.arm)].add(request)
            case "numerics":
                for case in self._texts(stream, NumericsRow, lambda r: (r.case, r.tolerance_reason), where=where):
                    self.numerics[(case.cell, case.arm)].append(case)
            case "counters":
                self.counters.extend(self._texts(stream, CounterRow, lambda r: (r.name,), where=where))
            case "streams":
                for one in self._texts(
                    stream, StreamRow, lambda r: (" ".join(at.token for at in r.tokens),), where=where
                ):
                    self.streams[(_eval_of(entry), one.arm)].append(self._names.stream(one))
            case "kernel_times":
                for timed in self._texts(stream, KernelTimeRow, lambda r: (r.kernel or "",), where=where):
                    self.kernel_times[(timed.cell, timed.arm)].append(timed)
            case "summary":
                self.summaries.extend(read_rows(stream, SummaryRow))
            case "lm_eval_results":
                self._scan_stream(stream, where=where)
                self.results[(_eval_of(entry), _arm_of(entry))].append(lm_eval.read_results(stream))
            case "lm_eval_samples":
                self._scan_stream(stream, where=where)
                self.samples[(_eval_of(entry), _arm_of(entry))].append(lm_eval.read_samples(stream, name=entry.name))
            case "imported" | "log":
                self._scan_stream(stream, where=where)

    def _texts(
        self, stream: BinaryIO, row: type[AnyRow], texts: Callable[[AnyRow], Iterable[str]], *, where: str
    ) -> Iterator[AnyRow]:
        """Read rows and search their few free texts for secrets; numbers and digests cannot hold any."""
        seen: set[str] = set()
        for one in read_rows(stream, row):
            seen.update(texts(one))
            yield one
        self._scan_bytes("\n".join(sorted(seen)).encode(), where=where)

    def _scan_stream(self, stream: BinaryIO, *, where: str) -> None:
        tail, start = b"", 0
        while chunk := stream.read(_SCAN_BYTES):
            window = tail + chunk
            self._scan_bytes(window, where=where, start=start - len(tail))
            start += len(chunk)
            tail = window[-_SCAN_OVERLAP:]
        stream.seek(0)

    def _scan_bytes(self, data: bytes, *, where: str, start: int = 0) -> None:
        known = {(hit.kind, hit.offset, hit.where) for hit in self.secrets}
        for hit in scan(data):
            found = SecretHit(kind=hit.kind, offset=start + hit.offset, where=where)
            if len(self.secrets) < MAX_SECRETS_LISTED and (found.kind, found.offset, found.where) not in known:
                self.secrets.append(found)


def _eval_of(entry: FileEntry) -> Identifier:
    if entry.eval_id is None:
        raise BundleError("eval_missing", f"a file of role {entry.role} does not say which eval it belongs to")
    return entry.eval_id


def _arm_of(entry: FileEntry) -> ArmName:
    if entry.arm is None:
        raise BundleError("arm_missing", f"a file of role {entry.role} does not say which arm it belongs to")
    return entry.arm
