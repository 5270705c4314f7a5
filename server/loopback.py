"""Addresses that only this machine can reach."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Return whether a server bound to the host is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
