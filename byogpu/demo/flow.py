"""The demo's stages, in order."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from byogpu.demo.pull import REPOSITORY, demo_pull
from byogpu.demo.stage import Stage, staged
from byogpu.demo.summary import DemoCheck, DemoVerdict, Summary
from server.results.schemas import BundlePage, PullPage
from worker.arms import Arms, resolve
from worker.bundle import Bundle
from worker.errors import WorkerError
from worker.node_key import node_key
from worker.progress import Progress
from worker.run import RunRequest, run_suite
from worker.service import Service
from worker.settings import Settings
from worker.suites import load
from worker.upload import upload, wait

PUBLISH_LIMIT_S = 60.0
POLL_S = 0.2


@contextmanager
def performed(folder: Path, *, port: int | None, progress: Progress) -> Iterator[Summary]:
    """From nothing to a judged pull request: start, open, measure, upload, judge, publish.

    Args:
        folder: Database, blobs, the stand-in's state, the bundle; new or empty.
        port: Port of the service; None: a free one.
        progress: Told how far it is.

    Yields:
        What came out; every page answers until the block ends.

    Raises:
        WorkerError: A stage failed; the message says which and why.
    """
    began_s = time.monotonic()
    settings = Settings(
        node_key=folder / "node.pem", state_folder=folder / "state", runs_folder=folder / "runs",
        token=None, token_file=None,
    )  # fmt: skip
    key = node_key(settings)
    arms = _arms()
    with staged(folder, port=port) as stage:
        stage.register_node(key)
        number = stage.github.forge.open_pull(demo_pull(arms)).number
        with Service(settings, url=stage.url) as service:
            suite = load("smoke")
            subject = service.subject(REPOSITORY, number, suite=suite.reference)
            challenge = service.challenge(subject, suite=suite, key=key)
            request = RunRequest(suite, arms, subject, settings.runs_folder / "bundle", challenge)
            bundle = run_suite(request, settings=settings, key=key, progress=progress)
            _send(bundle, service, progress)
        page = _judged(stage, number, progress)
        yield _summary(stage, bundle, number, page, duration_s=time.monotonic() - began_s)


def _arms() -> Arms:
    with tempfile.TemporaryDirectory(prefix="byogpu-") as scratch:
        return Arms(resolve("baseline", work=Path(scratch)), resolve("candidate", work=Path(scratch)))


def _send(bundle: Bundle, service: Service, progress: Progress) -> None:
    total = sum({entry.sha256: entry.size_bytes for entry in bundle.manifest.files}.values())
    progress.begin("upload", total=total)
    upload(bundle, service, sent=lambda amount: progress.advance("upload", amount))
    progress.end("upload")
    progress.begin("validation", total=1)
    receipt = wait(bundle, service, limit_s=PUBLISH_LIMIT_S)
    progress.advance("validation")
    progress.end("validation", remark=receipt.validation_state)


def _judged(stage: Stage, number: int, progress: Progress) -> PullPage:
    """Wait until the check stands on the pull request."""
    progress.begin("check", total=1)
    limit_s = time.monotonic() + PUBLISH_LIMIT_S
    while True:
        page = PullPage.model_validate_json(_read(f"{stage.url}/api/v1/pulls/{REPOSITORY}/{number}"))
        if page.verdicts and page.evidence and page.check is not None and page.check.state == "sent":
            progress.advance("check")
            progress.end("check", remark=page.check.conclusion)
            return page
        if page.check is not None and page.check.state == "dead":
            raise WorkerError("server_failed", f"the check was not published: {page.check.detail}")
        if time.monotonic() > limit_s:
            raise WorkerError("validation_pending", f"no check stood on the pull request after {PUBLISH_LIMIT_S:g} s")
        time.sleep(POLL_S)


def _summary(stage: Stage, bundle: Bundle, number: int, page: PullPage, *, duration_s: float) -> Summary:
    assessment = BundlePage.model_validate_json(_read(f"{stage.url}/api/v1/bundles/{bundle.id}")).assessment
    check = page.check
    if check is None or check.url is None or assessment is None:
        raise WorkerError("server_answer_invalid", "the check has no address, or the bundle no assessment")
    return Summary(
        bundle_id=bundle.id,
        trust=assessment.trust,
        findings=assessment.findings,
        verdicts={
            verdict.claim_id: DemoVerdict(outcome=verdict.outcome, reason=verdict.reason) for verdict in page.verdicts
        },
        check=DemoCheck(conclusion=check.conclusion, title=check.title, url=check.url),
        urls={
            "pulls": f"{stage.url}/pulls",
            "pull": f"{stage.url}/pulls/{REPOSITORY}/{number}",
            "bundle": f"{stage.url}/bundles/{bundle.id}",
            "compare": f"{stage.url}/compare?a={bundle.id}&b={bundle.id}",
            "rules": f"{stage.url}/rules",
            "suites": f"{stage.url}/suites",
            "pull_on_github": f"{stage.github.url}/{REPOSITORY}/pull/{number}",
            "check_on_github": check.url,
        },
        duration_s=round(duration_s, 1),
    )


def _read(url: str) -> bytes:
    answer = httpx.get(url, timeout=PUBLISH_LIMIT_S)
    if not answer.is_success:
        raise WorkerError("server_failed", f"{url} answered {answer.status_code}")
    return answer.content
