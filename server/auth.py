"""Who may do what. For now: everybody may read and upload, the admin token opens the rest."""

import hmac
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from server.errors import AppError
from server.services import InService

_BEARER = HTTPBearer(auto_error=False, scheme_name="admin", description="The operator's `BYOGPU_ADMIN_TOKEN`.")


def require_admin(
    services: InService, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]
) -> None:
    """Let only the holder of the admin token pass.

    Raises:
        AppError: ``admin_disabled``, ``unauthorized``.
    """
    expected = services.settings.admin_token
    if expected is None:
        raise AppError("admin_disabled", "Set BYOGPU_ADMIN_TOKEN to open this route.")
    given = credentials.credentials if credentials is not None else ""
    if not hmac.compare_digest(given.encode(), expected.get_secret_value().encode()):
        raise AppError("unauthorized", "Send the admin token.", headers={"WWW-Authenticate": "Bearer"})


Admin = Depends(require_admin)
