"""Claims that come at once: no job goes out twice, and the limits hold, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from server import orders
from server.auth import _OPERATOR
from server.jobs import leases
from server.jobs.schemas import ClaimPost
from worker.bundle.job import Needs

NODES = [f"{number:064x}" for number in range(1, 13)]


def test_claims_at_once(yard: Any, make_service: Callable[..., Any], make_offer: Any, database_url: str) -> None:
    service = make_service(
        job_images=yard.services.settings.job_images, jobs_per_owner=3, jobs_per_pull=8, database_url=database_url
    )
    yard = replace(yard, service=service, nodes={})
    for number in (1, 2):
        pull_id = yard.rows.know_pull(number)
        for version in range(5):
            with yard.services.database.write() as session:
                orders.place(
                    session, yard.services.settings, pull_id=pull_id, head_sha="a" * 40, suite="smoke",
                    requested_by="octocat", approved_by="maintainer", now=yard.services.clock(),
                    needs=Needs(driver_version=str(version)),
                )  # fmt: skip
    for place, node in enumerate(NODES):
        yard.rows.know_node(node, owner=f"owner-{place % 2}")

    def claim(node: str) -> str | None:
        posted = ClaimPost(node_key_id=node, offer=make_offer(), sent_at=yard.services.clock())
        granted = leases.claim(yard.services, posted, by=_OPERATOR, address="192.0.2.1").job
        return None if granted is None else granted.job_id

    with ThreadPoolExecutor(len(NODES)) as pool:
        granted = [job_id for job_id in pool.map(claim, NODES) if job_id is not None]
    assert len(granted) == len(set(granted)) == 6, "three for each of two owners"
