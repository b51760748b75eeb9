"""Agents and readers: `python -m load.clients`, settings as JSON on standard input, what they saw on the output."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import httpx


@dataclass
class Seen:
    """Durations in seconds, and everything that went wrong."""

    heartbeats: list[float] = field(default_factory=list)
    reads: dict[str, list[float]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    """How much later than asked for this process woke up, each 50 ms: what it adds itself to the durations."""
    reconnects: int = 0
    """Requests that were sent twice because the connection was closed under the first: agents do that too."""


@dataclass
class Crowd:
    """Everybody who talks to the service but the uploaders."""

    url: str
    agents_url: str
    token: str
    agents: int
    readers: int
    bundles: int
    pulls: int
    seconds: float
    every_s: float
    offer: dict[str, Any]
    seen: Seen = field(default_factory=Seen)

    async def run(self) -> Seen:
        """Claim every job, say so, then heartbeat and read until the time is over."""
        async with AsyncExitStack() as clients:

            async def another(url: str) -> httpx.AsyncClient:
                """A client of one's own: a pool that all share looks at each of its connections for each request."""
                return await clients.enter_async_context(
                    httpx.AsyncClient(base_url=url, timeout=60, verify=False)  # plain HTTP: spares 550 contexts
                )

            agents = [await another(self.agents_url) for _ in range(self.agents)]
            leases = [await self._claim(api, number) for number, api in enumerate(agents, start=1)]
            readers = [await another(self.url) for _ in range(self.readers)]
            print("ready", flush=True)
            ends = time.monotonic() + self.seconds
            await asyncio.gather(
                self._clock(ends),
                *(self._agent(api, ends, lease) for api, lease in zip(agents, leases, strict=True) if lease),
                *(self._reader(api, ends, number) for number, api in enumerate(readers)),
            )
        return self.seen

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def _claim(self, api: httpx.AsyncClient, number: int) -> tuple[str, str, int] | None:
        node = sha256(f"node{number}".encode()).hexdigest()
        body = {"node_key_id": node, "offer": self.offer, "sent_at": datetime.now(UTC).isoformat()}
        answer = await api.post("/api/v1/jobs/claim", json=body, headers=self._headers)
        job = answer.json().get("job") if answer.status_code == 200 else None
        if job is None:
            self.seen.faults.append(f"claim: {answer.status_code} {answer.text[:300]}")
            return None
        return job["job_id"], node, job["token"]

    async def _agent(self, api: httpx.AsyncClient, ends: float, lease: tuple[str, str, int]) -> None:
        job_id, node, token = lease
        due = time.monotonic() + random.uniform(0, self.every_s)
        while due < ends:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            body = {"node_key_id": node, "token": token, "sent_at": datetime.now(UTC).isoformat()}
            began = time.perf_counter()
            path = f"/api/v1/jobs/{job_id}/heartbeat"
            try:
                answer = await api.post(path, json=body, headers=self._headers)
            except httpx.TransportError:
                self.seen.reconnects += 1
                answer = await api.post(path, json=body, headers=self._headers)
            self.seen.heartbeats.append(time.perf_counter() - began)
            if answer.status_code != 200 or answer.json()["cancel"]:
                self.seen.faults.append(f"heartbeat: {answer.status_code} {answer.text[:200]}")
            due += self.every_s

    async def _clock(self, ends: float) -> None:
        while (now := time.monotonic()) < ends:
            await asyncio.sleep(0.05)
            self.seen.late.append(time.monotonic() - now - 0.05)

    async def _reader(self, api: httpx.AsyncClient, ends: float, number: int) -> None:
        """Somebody who opens a page every second or two."""
        dice, cursor = random.Random(number), None
        while time.monotonic() < ends:
            await asyncio.sleep(dice.uniform(1.0, 2.0))
            page = dice.choice(("pulls", "pull", "bundles", "bundles", "bundle"))
            path = {
                "pulls": "/api/v1/pulls",
                "pull": f"/api/v1/pulls/octo/kernels/{dice.randint(1, self.pulls)}",
                "bundles": "/api/v1/bundles" + (f"?cursor={cursor}" if cursor else ""),
                "bundle": f"/api/v1/bundles/{sha256(f'bundle{dice.randint(1, self.bundles)}'.encode()).hexdigest()}",
            }[page]
            began = time.perf_counter()
            try:
                answer = await api.get(path)
            except httpx.TransportError:
                self.seen.reconnects += 1
                answer = await api.get(path)
            self.seen.reads.setdefault(page, []).append(time.perf_counter() - began)
            if answer.status_code != 200:
                self.seen.faults.append(f"{path}: {answer.status_code} {answer.text[:200]}")
            elif page == "bundles":
                cursor = answer.json()["next_cursor"] if dice.random() < 0.8 else None


def main() -> None:
    """Read the settings, run, print."""
    seen = asyncio.run(Crowd(**json.load(sys.stdin)).run())
    print(json.dumps(asdict(seen)))


if __name__ == "__main__":
    main()
