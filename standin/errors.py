"""Refusals in GitHub's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

DOCUMENTATION_URL = "https://docs.github.com/rest"


class ApiError(Exception):
    """A call is refused; the answer has GitHub's error body.

    Attributes:
        status: HTTP status.
        message: GitHub's words for this case.
        errors: For 422, what is wrong with which field.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = tuple(errors)

    def body(self) -> dict[str, object]:
        """Return the JSON body."""
        shown: dict[str, object] = {
            "message": self.message,
            "documentation_url": DOCUMENTATION_URL,
            "status": str(self.status),
        }
        if self.errors:
            shown["errors"] = [dict(error) for error in self.errors]
        return shown


def not_found() -> ApiError:
    """Return the answer for what is absent, and for what the caller may not know of."""
    return ApiError(404, "Not Found")


def not_permitted() -> ApiError:
    """Return the answer to an App or token that lacks the permission."""
    return ApiError(403, "Resource not accessible by integration")


def invalid(resource: str, field: str, message: str) -> ApiError:
    """Return the answer to a request whose content is wrong."""
    error = {"resource": resource, "field": field, "code": "custom", "message": message}
    return ApiError(422, "Validation Failed", errors=[error])
