"""Uploading with a bar, and saying how it ended."""

from byogpu.output import Output
from worker.bundle import Bundle
from worker.progress import Bars
from worker.service import Service
from worker.settings import Settings
from worker.upload import Receipt, upload, wait

JUDGEMENT_LIMIT_S = 300.0


def send(bundle: Bundle, settings: Settings, *, server: str | None, output: Output) -> Receipt:
    """Upload a bundle and wait until the server has judged it.

    Args:
        bundle: Its blobs are whole.
        settings: Patience and token.
        server: Address; None: the settings'.
        output: Told where the bundle's page is.

    Raises:
        WorkerError: See `worker.upload`.
    """
    with Service(settings, url=server) as service, Bars() as bars:
        total = sum({entry.sha256: entry.size_bytes for entry in bundle.manifest.files}.values())
        bars.begin("upload", total=max(total, 1))
        upload(bundle, service, sent=lambda amount: bars.advance("upload", amount))
        bars.end("upload")
        bars.begin("judgement", total=1)
        receipt = wait(bundle, service, limit_s=JUDGEMENT_LIMIT_S)
        bars.end("judgement")
    output.line(f"The server finds the bundle {receipt.validation_state}: {receipt.url}")
    return receipt
