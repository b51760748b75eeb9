"""Where parts of a bundle may be sent: the server names addresses, and may not make us knock at just any door."""

import socket
from collections.abc import Callable, Sequence
from ipaddress import ip_address

import httpx

from worker.errors import ServerError

Resolve = Callable[[str], Sequence[str]]


def resolve(host: str) -> Sequence[str]:
    """The addresses of a host.

    Raises:
        OSError: It has none.
    """
    return [str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address."""
    default = {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, url.port or default


def require_allowed(target: httpx.URL, *, server: httpx.URL, stores: Sequence[httpx.URL], resolve: Resolve) -> None:
    """Let an address pass that the server named for a part.

    That is the server's own host; a blob store that the user named; or, over HTTPS, a public host. A server that lies
    thus reaches nothing inside the user's network: HTTPS asks for a certificate, so a name that is made to lead inside
    after it was looked at leads nowhere.

    Args:
        target: The address.
        server: The server's.
        stores: Blob stores that the user named.
        resolve: Looks a host up.

    Raises:
        ServerError: ``server_untrusted``.
    """
    if target.scheme not in ("http", "https") or (server.scheme == "https" and target.scheme != "https"):
        raise ServerError("server_untrusted", f"the server wants data sent over {target.scheme or 'nothing'}")
    if target.userinfo:
        raise ServerError("server_untrusted", "the server named an address with a user in it")
    if target.host == server.host or origin(target) in [origin(store) for store in stores]:
        return
    if target.scheme != "https" or not _is_public(target.host, resolve):
        hint = "if it is the server's blob store, name it in BYOGPU_STORE_URL"
        raise ServerError("server_untrusted", f"the server wants data sent to {target.host}, inside a network; {hint}")


def _is_public(host: str, resolve: Resolve) -> bool:
    try:
        found = resolve(host)
        return bool(found) and all(ip_address(one.partition("%")[0]).is_global for one in found)
    except (OSError, ValueError) as error:
        raise ServerError("server_unreachable", f"{host} is named by the server and has no address") from error
