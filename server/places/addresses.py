"""The places of a logdir's addresses: local directories, and object stores."""

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.server.places.place import Place
    from toposcope.server.places.several_places import NamedPlace

_SCHEMES = ("s3://", "gs://", "az://")
_NAMED = re.compile(r"(?P<name>\w[\w.-]*)=(?P<address>.+)", re.DOTALL)
_TEXT = re.compile(rf"\w[\w.-]*=(/|{'|'.join(_SCHEMES)})")
"""How the text of several places begins, and that of no resolved address."""
_NEXT = re.compile(rf" (?={_TEXT.pattern})")
"""What separates the places in it."""


def is_remote(address: str) -> bool:
    """Return whether an address is that of an object store."""
    return address.startswith(_SCHEMES)


def parse_places(arguments: Sequence[str]) -> str | dict[str, str]:
    """Return the address that one argument contains, or the addresses of several arguments NAME=ADDRESS, by name.

    One argument is an address as it is, since "=" is common in the names of directories. With the address of an object
    store after the "=", which no directory has, it is NAME=ADDRESS.

    Raises:
        ValueError: one of several has no name, or a name that another one has.
    """
    matches = [_NAMED.fullmatch(argument) for argument in arguments]
    if len(arguments) == 1 and not (matches[0] and is_remote(matches[0]["address"])):
        return os.path.expanduser(arguments[0])
    places: dict[str, str] = {}
    for argument, match in zip(arguments, matches, strict=True):
        if match is None:
            raise ValueError(
                f"{argument!r} is one of several logdirs and has no name: expected NAME=PLACE, "
                "with a name of letters, digits, '_', '-' and '.'"
            )
        if match["name"] in places:
            raise ValueError(f"two logdirs have the name {match['name']!r}: expected a name of its own for each")
        places[match["name"]] = os.path.expanduser(match["address"])
    return places


def addresses_of(logdir: str | Mapping[str, str]) -> list[str]:
    """Return the addresses of a logdir."""
    return [logdir] if isinstance(logdir, str) else list(logdir.values())


def text_of(logdir: str | Mapping[str, str]) -> str:
    """Return a logdir as one text; that of several places is the same for every order and every path to them."""
    if isinstance(logdir, str):
        return logdir
    return " ".join(f"{name}={resolved(address)}" for name, address in sorted(logdir.items()))


def addresses_in(text: str) -> list[str]:
    """Return the addresses in the text of a logdir; see text_of."""
    return [each.partition("=")[2] for each in _NEXT.split(text)] if _TEXT.match(text) else [text]


def resolved(address: str) -> str:
    """Return an address, or the text of several, that is the same for every path that leads to it."""
    if _TEXT.match(address):
        return address
    return address.rstrip("/") if is_remote(address) else os.path.realpath(address)


def place_of(logdir: str | Mapping[str, str], *, follow_links: bool = False) -> "Place":
    """Return the place of a logdir.

    Args:
        logdir: a directory, or the address of an object store, as "s3://bucket/prefix"; or several of them by name.
        follow_links: whether to follow links of other users that lead out of a directory.

    Raises:
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        ValueError: the address of an object store is not valid, or one of several places contains another one.
    """
    if not isinstance(logdir, str):
        return _several(logdir, follow_links)
    if is_remote(logdir):
        from toposcope.server.places.stores.object_store import ObjectStore

        return ObjectStore(logdir)
    from toposcope.server.places.local_disk import LocalDisk

    return LocalDisk(logdir, follow_links=follow_links)


def _several(addresses: Mapping[str, str], follow_links: bool) -> "Place":
    from toposcope.server.places.several_places import NamedPlace, SeveralPlaces

    places = {
        name: NamedPlace(name, address, place_of(address, follow_links=follow_links), resolved(address))
        for name, address in addresses.items()
    }
    for one, other in itertools.permutations(places.values(), 2):
        _check_apart(one, other)
    return SeveralPlaces(places)


def _check_apart(one: "NamedPlace", other: "NamedPlace") -> None:
    """Check that no file is in both of two places.

    Raises:
        ValueError: the first one contains the other one.
    """
    if one.contains(other.root):
        raise ValueError(
            f"logdir {other.name}={other.root!r} is inside {one.name}={one.root!r}: expected places that share no runs"
        )
