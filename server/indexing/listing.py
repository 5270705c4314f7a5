"""What the process that listed object stores knows of their files, for workers that read some of them."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from toposcope.server.places.place import Place
from toposcope.server.places.several_places import SeveralPlaces
from toposcope.server.places.stores.pieces import Merged

if TYPE_CHECKING:
    from toposcope.server.places.stores.object_store import ObjectStore


def listing_of(place: Place, paths: Collection[str]) -> Merged:
    """Return where some files are in object stores; of those on a disk nothing has to be known."""
    listing = Merged({}, {})
    for store in _stores(place):
        found = store.listed(paths)
        listing.files.update(found.files)
        listing.parts.update(found.parts)
    return listing


def assume(place: Place, listing: Merged) -> None:
    """Make the object stores of a place open files as they were listed elsewhere, without a request for each."""
    if listing.files:
        for store in _stores(place):
            store.assume(listing)


def _stores(place: Place) -> "Iterator[ObjectStore]":
    from toposcope.server.places.local_disk import LocalDisk

    if isinstance(place, SeveralPlaces):
        for each in place:
            yield from _stores(each.place)
    elif not isinstance(place, LocalDisk):
        from toposcope.server.places.stores.object_store import ObjectStore

        assert isinstance(place, ObjectStore)
        yield place
