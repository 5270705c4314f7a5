"""Several places that are served as one logdir, in which the runs of each begin with its name."""

import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping

from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import Listing, OpenFile, Place, Status, is_gone


class NamedPlace:
    """One of several places.

    Args:
        name: the first part of the names of its runs.
        address: a directory, or the address of an object store.
        place: lists and reads what is there.
        root: the address without links, as far as is known.
    """

    def __init__(self, name: str, address: str, place: Place, root: str) -> None:
        self.name = name
        self.place = place
        self.root = root
        """The root that the last call of resolve() found."""
        self._address = address

    def resolve(self) -> str:
        """Return the address without links.

        Raises:
            OSError: what the links lead to is not known at present.
        """
        self.root = self.place.resolve(self._address)
        return self.root

    def is_directory(self) -> bool:
        """Return whether there is a directory at the address.

        Raises:
            OSError: that is not known at present; FileNotFoundError: there is nothing.
        """
        return self.place.is_directory(self._address)

    def identify(self) -> Hashable:
        """Return what changes when another directory takes the place of that at the address; None if there is none."""
        return self.place.identify(self._address)

    def contains(self, path: str) -> bool:
        """Return whether a path is in this place."""
        return f"{path}/".startswith(f"{self.root.rstrip('/')}/")


class SeveralPlaces:
    """Reads each path where it lies; discover() walks one place after the other.

    Args:
        places: none of them contains another one.
    """

    def __init__(self, places: Mapping[str, NamedPlace]) -> None:
        self._places = places
        self._folders: dict[str, NamedPlace] = {}

    def add_folder(self, folder: str) -> None:
        """Let files be read in a local directory that is not walked and has no runs of its own."""
        self._folders.setdefault(folder, NamedPlace("", folder, UNCHECKED, folder))

    def __iter__(self) -> Iterator[NamedPlace]:
        return iter(self._places.values())

    def resolve(self, path: str) -> str:
        """Return a directory that is above all places, whatever the path is."""
        return "/"

    def is_directory(self, path: str) -> bool:
        """Return whether any of the places exists, whatever the path is."""
        unknown: OSError | None = None
        for each in self:
            try:
                if each.is_directory():
                    return True
            except OSError as error:
                unknown = unknown if is_gone(error) else error
        if unknown is not None:
            raise unknown
        return False

    def identify(self, directory: str) -> Hashable:
        """Return what changes when any of the places is replaced, whatever the path is; None if there is none."""
        identities = tuple(each.identify() for each in self)
        return None if set(identities) == {None} else identities

    def list(self, directory: str) -> Listing:
        """Return the contents of a directory in one of the places."""
        return self._place_of(directory).list(directory)

    def stat(self, path: str) -> Status:
        """Return the status of a file in one of the places."""
        return self._place_of(path).stat(path)

    def expect(self, reads: Iterable[tuple[str, int]]) -> None:
        """Prepare each place for what will be read next there."""
        wanted = list(reads)
        for each in self:
            each.place.expect(read for read in wanted if each.contains(read[0]))

    def open(self, path: str) -> OpenFile:
        """Open a file in one of the places."""
        return self._place_of(path).open(path)

    def _place_of(self, path: str) -> Place:
        """Return the place that contains a path.

        Raises:
            FileNotFoundError: none does, as a link leads to another directory now.
        """
        for each in itertools.chain(self, self._folders.values()):
            if each.contains(path):
                return each.place
        raise FileNotFoundError(2, "it is in none of the places of the logdir", path)
