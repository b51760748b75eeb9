"""The service and the stand-in, joined over HTTP as in earnest: webhooks one way, the App's calls the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI

from server.contact import WatchedGitHub
from server.github import AppCredentials, GitHubClient, GitHubSettings
from standin import AppIdentity, Forge, StandinSettings, WebhookTarget, free_port, running
from standin.acts import NewComment, NewPull, NewRepository, Press, Push
from standin.credentials import Credentials
from standin.records import Comment, Pull
from standin.serving import served
from standin.settings import system_clock

if TYPE_CHECKING:
    from tests.conftest import Service

APP_ID = 77
SECRET = "webhook-secret-for-tests"
REPOSITORY = "octo/hello"
CLAIMS = '```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: ">= 1.2x baseline"\n```'


@dataclass
class World:
    """Both sides.

    Attributes:
        service: Ours; its tasks run when `work` is called.
        forge: Theirs.
        pull: An open pull request by kim; marta may write, rita may read.
    """

    service: Service
    forge: Forge
    pull: Pull

    def work(self) -> None:
        self.service.work()

    def say(self, body: str, *, author: str = "marta") -> Comment:
        self.service.clock.advance(5)
        return self.forge.comment(NewComment(repository=REPOSITORY, number=self.pull.number, author=author, body=body))

    def push(self, text: str = "two\n") -> str:
        self.service.clock.advance(5)
        wanted = Push(repository=REPOSITORY, number=self.pull.number, files={"a.py": text})
        return self.forge.push(wanted).head_sha

    def push_unheard(self) -> str:
        """A push whose webhook never arrives."""
        told, self.forge.hooks._target = self.forge.hooks._target, None
        try:
            return self.push()
        finally:
            self.forge.hooks._target = told

    def press(self, check_run_id: int, command: str, *, author: str = "marta") -> None:
        """Press the button that the check shows now."""
        with self.forge.store.reading() as state:
            shown = [one.identifier for one in state.check_runs[check_run_id].actions]
        identifier = next(one for one in shown if one.startswith(f"{command}."))
        self.forge.press(Press(check_run_id=check_run_id, author=author, identifier=identifier))

    def ask(self, body: str, *, author: str = "marta") -> str:
        """Comment, let the service work, and give back what it answered: reaction and text."""
        asked = self.say(body, author=author)
        self.work()
        return f"{' '.join(self.reactions(asked))}: {self.answers()[-1] if self.answers() else ''}"

    def answers(self) -> list[str]:
        with self.forge.store.reading() as state:
            ours = [one for one in state.comments.values() if one.by_app]
        return [one.body for one in sorted(ours, key=lambda one: one.id)]

    def reactions(self, comment: Comment) -> list[str]:
        with self.forge.store.reading() as state:
            return [one.content for one in state.reactions.values() if one.comment_id == comment.id]

    def runs(self) -> list[Any]:
        with self.forge.store.reading() as state:
            return [run.model_copy(deep=True) for run in state.check_runs.values()]

    def jobs(self) -> list[Any]:
        return self.service.rows("job")

    def commands(self) -> list[str]:
        return [row["state"] for row in self.service.rows("command")]


class Later:
    """GitHub, as soon as there is one: the service is made first, since the stand-in goes by its clock."""

    client: WatchedGitHub

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)


@pytest.fixture(scope="session")
def app_key() -> rsa.RSAPrivateKey:
    """The App's key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def world(
    request: pytest.FixtureRequest,
    make_service: Callable[..., Service],
    app_key: rsa.RSAPrivateKey,
    tmp_path: Path,
) -> Iterator[World]:
    """A service that knows one pull request, and the stand-in that it knows it from."""
    on_postgres = getattr(request, "param", "sqlite") == "postgres"
    database = {"database_url": request.getfixturevalue("new_postgres")()} if on_postgres else {}
    pem = app_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = app_key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (tmp_path / "app.pem").write_bytes(pem)
    github = Later()
    service = make_service(github=github, github_app_id=APP_ID, github_app_key_file=tmp_path / "app.pem", **database)
    service.clock.now = datetime.now(UTC)
    own_port, port = free_port(), free_port()
    settings = StandinSettings(
        api_url=f"http://127.0.0.1:{port}",
        web_url=f"http://127.0.0.1:{port}",
        app=AppIdentity(app_id=APP_ID, public_key_pem=public.decode()),
        webhook=WebhookTarget(url=f"http://127.0.0.1:{own_port}/api/v1/github/webhooks", secret=SECRET),
        clock=service.clock,
    )
    credentials = AppCredentials(app_id=APP_ID, private_key_pem=pem.decode())
    with (
        running(settings, port=port) as standin,
        GitHubClient(GitHubSettings(credentials=credentials, base_url=standin.url)) as client,
    ):
        # The client signs and expires by the real time, so the App's credentials do too.
        standin.forge.credentials = Credentials(replace(settings, clock=system_clock))
        github.client = WatchedGitHub(client, service.services.database, service.clock)
        with served(cast(FastAPI, service.client.app), port=own_port):
            people = {"marta": "write", "rita": "read", "mina": "maintain", "tom": "triage"}
            standin.forge.create_repository(NewRepository(repository=REPOSITORY, collaborators=people))
            pull = standin.forge.open_pull(
                NewPull(repository=REPOSITORY, title="Faster", body=CLAIMS, author="kim", files={"a.py": "one\n"})
            )
            world = World(service, standin.forge, pull)
            world.work()
            yield world
