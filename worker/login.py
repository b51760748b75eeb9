"""Signing in on a machine without a browser, and this machine's node as its user's own."""

from collections.abc import Callable

from worker import api, credentials
from worker.bundle.registration import prove
from worker.bundle.signature import NodeKey
from worker.errors import ServerError, WorkerError
from worker.service import Service
from worker.settings import Settings


def sign_in(
    service: Service, settings: Settings, *, name: str, told: Callable[[api.DeviceReceipt], None]
) -> api.AccountRef:
    """Sign in, and keep the token for this server.

    Args:
        service: The server.
        settings: Where tokens are kept.
        name: Of the token, for whoever reads the list of them later.
        told: Shows the user which page to open and what to type there.

    Raises:
        ServerError: ``sign_in_failed``: the user said no, or nothing in time; and what `Service` raises.
        WorkerError: See `worker.credentials.save`.
    """
    device = api.post_device(service)
    told(device)
    interval_s, waited_s = device.interval_s, 0
    while waited_s < device.expires_in_s:
        service.pause(interval_s)
        waited_s += interval_s
        progress = _poll(service, api.DevicePost(device_code=device.device_code, name=name))
        if progress.token is not None and progress.account is not None:
            kept = credentials.Kept(
                token=progress.token.token,
                token_id=progress.token.id,
                login=progress.account.login,
                expires_at=progress.token.expires_at,
            )
            credentials.save(settings.credentials_file, service.origin, kept)
            return progress.account
        interval_s = progress.interval_s or interval_s
    raise ServerError("sign_in_failed", "nobody agreed in time")


def sign_out(service: Service, settings: Settings) -> str:
    """End the token that is kept for this server, there and here; returns whose it was.

    Raises:
        WorkerError: ``not_signed_in``; ServerError: the server could not be asked: then the token is still good.
    """
    kept = credentials.load(settings.credentials_file, service.origin)
    if kept is None:
        raise WorkerError("not_signed_in", f"nobody is signed in at {service.origin}")
    try:
        api.revoke_token(service, kept.token_id)
    except ServerError as error:
        if error.server_code not in ("unauthorized", "token_not_found"):
            raise
    credentials.forget(settings.credentials_file, service.origin)
    return kept.login


def register_node(service: Service, key: NodeKey) -> api.NodeReceipt:
    """Make this machine's node the account's that is signed in.

    Raises:
        WorkerError: ``not_signed_in``; ServerError: See `Service`.
    """
    account = api.get_session(service).account
    if account is None:
        raise WorkerError("not_signed_in", "a node belongs to an account: byogpu login")
    proof = prove(key, account_id=account.id).decode()
    return api.post_node(service, api.NodePost(public_key=key.public_key, proof=proof))


def _poll(service: Service, asked: api.DevicePost) -> api.DeviceProgress:
    try:
        return api.post_device_token(service, asked)
    except ServerError as error:
        if error.server_code in ("sign_in_denied", "sign_in_expired"):
            raise ServerError("sign_in_failed", error.detail, status=error.status) from error
        raise
