"""A small stateful GitHub, for the demo and the tests. Production code never imports it.

It answers the calls that a service which checks pull requests makes, in GitHub's own shapes, verifies App tokens,
sends signed webhooks, and shows each pull request as a plain page. It is stricter than GitHub in one way: nothing can
be read without a token, as if every repository were private.
"""

from standin.app import create_app
from standin.forge import Forge
from standin.serving import RunningStandin, free_port, running
from standin.settings import AppIdentity, OAuthApp, StandinSettings, WebhookTarget

__all__ = [
    "AppIdentity",
    "Forge",
    "OAuthApp",
    "RunningStandin",
    "StandinSettings",
    "WebhookTarget",
    "create_app",
    "free_port",
    "running",
]
