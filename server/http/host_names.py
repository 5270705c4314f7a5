"""The hosts and origins that the command line names; apart from what serves requests, which takes long to import."""

import argparse
import ipaddress
import re

ANY_HOST = "*"
"""The allowed host that stands for every name. A rebound name has no cookie, so a token protects as well."""


def is_loopback(host: str) -> bool:
    """Return whether a server bound to the host is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def page_origin(text: str) -> str:
    """Parse the origin of pages that may embed the dashboard, a host source of a content security policy.

    Raises:
        argparse.ArgumentTypeError: it is no origin.
    """
    origin = text.removesuffix("/").lower()
    if not re.fullmatch(r"https?://(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:([0-9]{1,5}|\*))?", origin):
        expected = "expected a scheme, a host and, if it is not the usual one, a port, such as https://lab.example.org"
        raise argparse.ArgumentTypeError(f"invalid origin {text!r}: {expected}")
    return origin
