"""Whom a request without a credential is counted for."""

from ipaddress import IPv6Address, ip_address

from fastapi import Request

from server.settings import Settings


def address_of(request: Request, settings: Settings) -> str:
    """The client's address, or that of the proxy in front of it if that does not pass the client's on.

    Of IPv6 the network, of which one owner has all addresses.
    """
    header = settings.client_address_header
    passed_on = request.headers.getlist(header)[-1:] if header else []
    if passed_on:
        return counted(passed_on[0].rpartition(",")[2].strip())
    return counted(request.client.host if request.client else None)


def counted(host: str | None) -> str:
    """How an address is written in counters: at most 64 characters."""
    try:
        address = ip_address(host or "")
    except ValueError:
        return (host or "unknown")[:64]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return f"{IPv6Address(int(address) >> 64 << 64)}/64"
    return str(getattr(address, "ipv4_mapped", None) or address)
