"""The built dashboard: its files, and its one page for every address that is the dashboard's own."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from starlette.convertors import PathConvertor, register_url_convertor

from server.errors import AppError
from server.headers import DASHBOARD_POLICY

_POLICY = {"Content-Security-Policy": DASHBOARD_POLICY}
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
_FRESH = {"Cache-Control": "no-cache"}
BESIDE_THE_PACKAGES = Path(__file__).parent.parent / "web" / "dist"


class _PageConvertor(PathConvertor):
    """Any path but the API's, whose own routes say what is wrong with a request."""

    regex = "(?!api(?:/|$)).*"


def mount(app: FastAPI, folder: Path) -> None:
    """Serve the dashboard, after every other route.

    Args:
        app: The application; its other routes are added already.
        folder: What the web build wrote: ``index.html``, and files whose names hold their digest under ``assets/``.
    """
    root = folder.resolve()
    index = root / "index.html"

    register_url_convertor("page", _PageConvertor())

    @app.get("/{path:page}", include_in_schema=False)
    def get_dashboard(path: str) -> Response:
        if "\0" in path:
            raise AppError("not_found", "There is no such page.")
        found = (root / path).resolve()
        if path and found.is_relative_to(root) and found.is_file():
            caching = _FOREVER if found.parent.name == "assets" else _FRESH
            return FileResponse(found, headers={**_POLICY, **caching})
        if "." in path.rsplit("/", 1)[-1] and path.split("/", 1)[0] == "assets":
            raise AppError("not_found", "The dashboard has no such file.")
        return FileResponse(index, headers={**_POLICY, **_FRESH})
