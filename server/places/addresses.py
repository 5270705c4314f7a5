"""The place of a logdir's address: a local directory, or an object store."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.server.places.place import Place

_SCHEMES = ("s3://", "gs://", "az://")


def is_remote(address: str) -> bool:
    """Return whether an address is that of an object store."""
    return address.startswith(_SCHEMES)


def resolved(address: str) -> str:
    """Return an address that is the same for every path that leads to it."""
    return address.rstrip("/") if is_remote(address) else os.path.realpath(address)


def place_of(address: str, *, follow_links: bool = False) -> "Place":
    """Return the place of an address.

    Args:
        address: a directory, or the address of an object store, as "s3://bucket/prefix".
        follow_links: whether to follow links of other users that lead out of a directory.

    Raises:
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        ValueError: the address of an object store is not valid.
    """
    if is_remote(address):
        from toposcope.server.places.object_store import ObjectStore

        return ObjectStore(address)
    from toposcope.server.places.local_disk import LocalDisk

    return LocalDisk(address, follow_links=follow_links)
