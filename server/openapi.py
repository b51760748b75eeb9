"""The API's description: complete, and the same bytes every time. ``python -m server.openapi`` prints it."""

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel

from server import operations
from server.errors import Problem
from server.operations import Described

_REFERENCE = "#/components/schemas/{model}"
_DESCRIPTION = """
Intake, judgement and results of bring-your-own-GPU evaluation. Refusals are problem documents (RFC 9457) with a
stable `code`; all codes are in docs/errors.md. Times are UTC. Lists are paged by cursor. Reading needs no credential;
docs/accounts.md says which there are. JSON answers have an `ETag` and are read again with `If-None-Match`.
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
            {"name": "sign-in", "description": "Signing in with GitHub, in a browser or on a device."},
            {"name": "accounts", "description": "Credentials, each told once and kept as a digest; roles."},
            {"name": "nodes", "description": "Contributors' machines and their signing keys."},
            {"name": "moderation", "description": "What an operator decides about bundles, always with a reason."},
            {"name": "GitHub", "description": "Webhooks, and reading pull requests on demand."},
            {"name": "health", "description": "For whoever runs the service."},
        ],
    )
    routes = [Described.of(context) for context in iter_route_contexts(app.routes) if context.include_in_schema]
    schemas = document["components"]["schemas"]
    records: tuple[type[BaseModel], ...] = (Problem, *operations.bodies(routes))
    for record in records:
        schema = record.model_json_schema(ref_template=_REFERENCE)
        schemas.update(schema.pop("$defs", {}))
        schemas[record.__name__] = schema
    named = {}
    for route in routes:
        operation = named[route.name] = document["paths"][route.path][route.method.lower()]
        _drop_framework_errors(operation["responses"])
        operations.complete(route, operation)
    operations.link(named)
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
