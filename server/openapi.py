"""The API's description: complete, and the same bytes every time. ``python -m server.openapi`` prints it."""

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from judge.policy import MergePolicy
from server.challenges.schemas import ChallengeGivenUp, ChallengePost
from server.errors import Problem
from server.intake.schemas import BundlePost
from server.jobs.schemas import (
    ApprovalPost,
    ClaimPost,
    FailPost,
    FinishPost,
    HeartbeatPost,
    OrderPost,
    ProgressPost,
)
from server.moderation.schemas import RulingPost
from server.nodes.schemas import NodePost

_BODIES: tuple[type[BaseModel], ...] = (
    ApprovalPost,
    BundlePost,
    ChallengeGivenUp,
    ChallengePost,
    ClaimPost,
    FailPost,
    FinishPost,
    HeartbeatPost,
    MergePolicy,
    NodePost,
    OrderPost,
    Problem,
    ProgressPost,
    RulingPost,
)
"""Records that FastAPI does not see because `server.bodies` reads them."""

_REFERENCE = "#/components/schemas/{model}"
_DESCRIPTION = """
Intake, judgement and results of bring-your-own-GPU evaluation. Refusals are problem documents (RFC 9457) with a
stable `code`; all codes are in docs/errors.md. Times are UTC. Lists are paged by cursor.
""".strip()


def describe(app: FastAPI) -> dict[str, Any]:
    """Build the OpenAPI document of an application."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary="Signed, reproducible evidence for claims about GPU kernels.",
        description=_DESCRIPTION,
        routes=app.routes,
        tags=[
            {"name": "upload", "description": "Post the manifest, put the parts, submit. Every step may be repeated."},
            {"name": "challenges", "description": "What a run has to follow, asked for before it begins."},
            {"name": "results", "description": "What the dashboard reads."},
            {"name": "jobs", "description": "Runs that people order and nodes of others carry out."},
            {"name": "nodes", "description": "Contributors' machines and their signing keys."},
            {"name": "moderation", "description": "What an operator decides about bundles, always with a reason."},
            {"name": "GitHub", "description": "Webhooks, and reading pull requests on demand."},
            {"name": "health", "description": "For whoever runs the service."},
        ],
    )
    schemas = document["components"]["schemas"]
    for record in _BODIES:
        schema = record.model_json_schema(ref_template=_REFERENCE)
        schemas.update(schema.pop("$defs", {}))
        schemas[record.__name__] = schema
    for path in document["paths"].values():
        for operation in path.values():
            _drop_framework_errors(operation["responses"])
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return document


def _drop_framework_errors(responses: dict[str, Any]) -> None:
    """Remove the 422 that FastAPI announces for parameters: here they answer 400 ``parameter_invalid``."""
    if "application/json" in responses.get("422", {}).get("content", {}):
        del responses["422"]


def main() -> None:
    """Print the document of the service as it comes."""
    from server.app import describe_service

    print(json.dumps(describe_service(), indent=2, sort_keys=True, ensure_ascii=False))


if __name__ == "__main__":
    main()
