#!/usr/bin/env python3
"""Try the API as its description says, and as it does not: schemathesis against a server process of its own.

    scripts/check_contract.py --examples 100       # the whole campaign, what `make contract` runs
    scripts/check_contract.py --examples 2         # what the tests run

It starts `python -m server` on SQLite and a stand-in for GitHub, asks as the operator, as somebody who is signed in and
as nobody, follows the links of the description, and ends with 0 if nothing was found. The last line is a summary in
JSON.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import httpx

import standin
from standin.acts import NewPull, NewRepository
from standin.settings import OAuthApp, StandinSettings

ROOT = Path(__file__).resolve().parent.parent
OPERATOR = "operator-token-for-the-contract"
REPOSITORY, PULL, HEAD = "octo/kernels", 7, "c" * 40
IMAGE = f"registry.example/eval-smoke@sha256:{'1' * 64}"
CONFIGURATION = ROOT / "tests" / "contracts" / "api"
START_LIMIT_S = 180.0
LEFT_OUT = "positive_data_acceptance,ignored_auth"
"""The first: a manifest or a public key of the right shape need not be one. The second: reading needs no credential."""


CHAINS: Mapping[str, tuple[str, ...]] = {
    "upload": (
        "post_bundle", "announce_parts", "put_part", "submit_bundle", "get_status", "get_bundle", "get_manifest",
        "get_envelope", "get_blob", "compare_bundles", "invalidate_bundle", "reinstate_bundle", "retract_bundle",
    ),
    "jobs": (
        "list_pulls", "get_pull", "order_job", "approve_job", "cancel_job", "repeat_job", "get_job", "post_node",
        "claim_job", "post_heartbeat", "post_progress", "finish_job", "fail_job",
    ),
    "challenges": ("list_pulls", "get_pull", "post_challenge", "get_challenge", "abandon_challenge", "list_challenges"),
    "credentials": (
        "post_token", "list_tokens", "revoke_token", "post_pull_key", "list_pull_keys", "list_keys", "revoke_pull_key",
        "post_node", "list_own_nodes", "revoke_node", "post_device", "post_device_token",
    ),
    "lists": (
        "list_bundles", "list_pulls", "list_jobs", "list_offers", "list_accounts", "list_revalidations", "get_pull",
        "sync_pull", "put_policy", "get_policy", "get_job", "get_bundle", "post_revalidations",
    ),
}  # fmt: skip
"""What a client does one after the other: links are followed among these operations; chance alone seldom would."""


SCENARIOS = 3
"""Walks of a chain for each example of an operation."""


@contextmanager
def service(folder: Path) -> Iterator[str]:
    """Run a server and a stand-in while the block lasts; yields the server's address."""
    hub_port, port = standin.free_port(), standin.free_port()
    hub, url = f"http://127.0.0.1:{hub_port}", f"http://127.0.0.1:{port}"
    settings = StandinSettings(
        api_url=hub,
        web_url=hub,
        tokens={"token-of-the-contract": "octocat"},
        oauth=OAuthApp("contract", "secret-of-the-contract", f"{url}/"),
    )
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("BYOGPU_")},
        "BYOGPU_DATA_DIR": str(folder / "data"),
        "BYOGPU_PORT": str(port),
        "BYOGPU_ADMIN_TOKEN": OPERATOR,
        "BYOGPU_GITHUB_URL": hub,
        "BYOGPU_GITHUB_WEB_URL": hub,
        "BYOGPU_GITHUB_TOKEN": "token-of-the-contract",
        "BYOGPU_GITHUB_WEBHOOK_SECRET": "secret-of-the-contract",
        "BYOGPU_GITHUB_OAUTH_CLIENT_ID": "contract",
        "BYOGPU_GITHUB_OAUTH_CLIENT_SECRET": "secret-of-the-contract",
        "BYOGPU_ACTIONS_ISSUER": hub,
        "BYOGPU_READS_PER_MINUTE": "0",
        "BYOGPU_WRITES_PER_MINUTE": "0",
        "BYOGPU_PARTS_PER_MINUTE": "0",
        "BYOGPU_REFUSALS_PER_MINUTE": "0",
        "BYOGPU_JOB_IMAGES": json.dumps({"smoke": IMAGE}),
        "BYOGPU_JOB_BACKOFF_S": "1",
        "BYOGPU_JOB_FAILURES": "1000000",
        "BYOGPU_JOB_FAILING_NODES": "1000000",
        "BYOGPU_JOB_INTERRUPTIONS": "1000000",
        "BYOGPU_JOBS_PER_OWNER": "1000000",
        "BYOGPU_JOBS_PER_ADDRESS": "1000000",
        "BYOGPU_JOBS_PER_PULL": "1000000",
        "BYOGPU_ORDERS_PER_PULL": "1000000",
        "BYOGPU_ORDERS_PER_REQUESTER": "1000000",
        "BYOGPU_CHALLENGES_PER_PULL": "1000000",
        "BYOGPU_CHALLENGES_PER_REQUESTER": "1000000",
        "BYOGPU_LOG_LEVEL": "error",
    }
    with standin.running(settings, port=hub_port) as github, (folder / "server.log").open("wb") as log:
        github.forge.create_repository(NewRepository(repository=REPOSITORY, collaborators={"octocat": "admin"}))
        for number in range(1, PULL + 1):
            head = HEAD if number == PULL else None
            wanted = NewPull(repository=REPOSITORY, author="octocat", title="Faster", body="", head_sha=head)
            github.forge.open_pull(wanted)
        command = [sys.executable, "-m", "server"]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            _wait(process, url)
            _make_known(url)
            yield url
        finally:
            process.terminate()
            process.wait(30)


def _wait(process: "subprocess.Popen[bytes]", url: str) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while process.poll() is None and time.monotonic() < limit:
        try:
            with urllib.request.urlopen(f"{url}/ready", timeout=5):  # noqa: S310  our own server
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def _make_known(url: str) -> None:
    """Have the server read the pull request that the hooks speak of."""
    address = f"{url}/api/v1/pulls/{REPOSITORY}/{PULL}/sync"
    asked = urllib.request.Request(address, method="POST", headers={"Authorization": f"Bearer {OPERATOR}"})  # noqa: S310
    with urllib.request.urlopen(asked, timeout=30):  # noqa: S310  our own server
        pass


def _member(url: str) -> "Caller":
    """Sign somebody in; returns what their browser would send."""
    with httpx.Client() as browser:
        asked = browser.get(f"{url}/api/v1/sign-in").headers["location"]
        back = browser.get(f"{asked}&as_login=octocat").headers["location"]
        browser.get(back)
        page = browser.get(f"{url}/api/v1/session").json()
        cookie = browser.cookies["byogpu_session"]
    headers = (
        f"Cookie: byogpu_session={cookie}",
        f"X-CSRF-Token: {page['csrf_token']}",
        f"Origin: {url}",
        "Sec-Fetch-Site: same-origin",
    )
    return Caller(headers, page["account"]["id"])


@dataclass(frozen=True)
class Caller:
    """Whose requests they are.

    Attributes:
        headers: What they send along.
        account: Their number; None: they have no account.
        chains: What they do one after the other.
    """

    headers: tuple[str, ...] = ()
    account: int | None = None
    chains: tuple[str, ...] = tuple(CHAINS)


@dataclass
class Counted:
    """What was tried.

    Attributes:
        cases: Requests.
        stateful: Those along links, and their beginnings.
        followed: Operations that were reached by a link and did what they are for.
        exit_code: 0: nothing was found.
    """

    cases: int = 0
    stateful: int = 0
    followed: set[str] = field(default_factory=set)
    exit_code: int = 0

    def read(self, report: Path) -> None:
        """Count what a report says."""
        with report.open(encoding="utf-8") as lines:
            for line in lines:
                finished = json.loads(line).get("ScenarioFinished") or {}
                self._scenario(finished.get("recorder") or {}, stateful=str(finished.get("phase")) == "stateful")

    def _scenario(self, recorder: Mapping[str, Any], *, stateful: bool) -> None:
        cases = recorder.get("cases", {})
        self.cases += len(cases)
        if not stateful:
            return
        self.stateful += len(cases)
        for name, case in cases.items():
            answer = recorder["interactions"].get(name, {}).get("response") or {}
            if case["is_transition_applied"] and answer.get("status_code", 500) < 300:
                self.followed.add(f"{case['value']['method']} {case['value']['path']}")


def campaign(url: str, folder: Path, caller: Caller, *, phases: str, chain: str | None, options: Namespace) -> Counted:
    """Run schemathesis once; returns what it counted, and what it ended with."""
    report = folder / "report.ndjson"
    only = () if chain is None else CHAINS[chain]
    examples = options.examples if chain is None else SCENARIOS * options.examples
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run", str(ROOT / "docs" / "openapi.json"), "--url", url,
        "--phases", phases, "--max-examples", str(examples), "--seed", str(options.seed),
        "--generation-deterministic", "--exclude-checks", LEFT_OUT, "--exclude-operation-id", "delete_session",
        "--report", "ndjson", "--report-ndjson-path", str(report), "--no-color", "--continue-on-failure",
        *(argument for header in caller.headers for argument in ("--header", header)),
        *(argument for operation in only for argument in ("--include-operation-id", operation)),
        *(("--mode", "positive") if only else ()),
    ]  # fmt: skip
    account = {} if caller.account is None else {"BYOGPU_CONTRACT_ACCOUNT": str(caller.account)}
    ended = subprocess.run(command, cwd=folder, env=os.environ | {"BYOGPU_CONTRACT_HEAD": HEAD} | account, check=False)
    counted = Counted(exit_code=ended.returncode)
    counted.read(report)
    return counted


def tried(url: str, folder: Path, caller: Caller, options: Namespace) -> Counted:
    """Try each operation by itself, then the chains; returns the sum."""
    phases = [phase for phase in options.phases.split(",") if phase != "stateful"]
    runs: list[tuple[str, str | None]] = [(",".join(phases), None)] if phases else []
    if "stateful" in options.phases.split(","):
        runs += [("stateful", chain) for chain in caller.chains]
    total = Counted()
    for chosen, chain in runs:
        one = campaign(url, folder, caller, phases=chosen, chain=chain, options=options)
        total.cases += one.cases
        total.stateful += one.stateful
        total.followed |= one.followed
        total.exit_code = total.exit_code or one.exit_code
    return total


def main() -> None:
    """Run the campaigns and print the summary."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=100, help="most cases of a phase for one operation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--caller", choices=("operator", "member", "nobody"), help="only as this one")
    parser.add_argument("--phases", default="examples,coverage,fuzzing,stateful")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="byogpu-contract-") as made:
        folder = Path(made)
        for name in ("schemathesis.toml", "hooks.py"):  # it keeps a cache beside them
            shutil.copy(CONFIGURATION / name, folder)
        with service(folder) as url:
            callers = {
                "operator": Caller((f"Authorization: Bearer {OPERATOR}",)),
                "member": _member(url),
                "nobody": Caller(chains=("upload", "challenges", "lists")),
            }
            found = {
                name: tried(url, folder, caller, options)
                for name, caller in callers.items()
                if options.caller in (None, name)
            }
        broken = (folder / "server.log").read_text(encoding="utf-8")
    summary = {name: {**asdict(one), "followed": sorted(one.followed)} for name, one in found.items()}
    print(json.dumps({**summary, "cases": sum(one.cases for one in found.values())}))
    if broken.strip():
        print(broken[-4000:], file=sys.stderr)
    sys.exit(1 if any(one.exit_code for one in found.values()) or "Traceback" in broken else 0)


if __name__ == "__main__":
    main()
