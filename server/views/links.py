"""Short links to views: files that are named by what they contain, the oldest of which are deleted."""

import hashlib
from base64 import b32encode
from typing import NamedTuple

import orjson

from toposcope.server.data_files.json_files import SUFFIX, Content, DamagedFileError, JsonFiles
from toposcope.server.views.view import Workspace

MAX_LINKS = 10_000
MAX_BYTES = 256 << 20
"""The size of the files of all links."""
SHORTEST_ID, LONGEST_ID = 10, 52
"""Characters; 52 are a whole SHA-256 in base 32."""


class Link(NamedTuple):
    """What a link leads to."""

    address: str
    workspace: Workspace | None


class Links:
    """Stores and finds links. Thread-safe; several servers may use the same folder."""

    def __init__(self, files: JsonFiles) -> None:
        self._files = files

    @property
    def path(self) -> str:
        """The folder."""
        return self._files.address

    def find(self, identity: str) -> Link | None:
        """Return what a link leads to; None if there is no such link, or its file is damaged.

        Raises:
            OSError: the file cannot be read.
        """
        try:
            return _link(self._files.read(identity + SUFFIX))
        except (FileNotFoundError, DamagedFileError):
            return None

    def store(self, link: Link) -> str:
        """Return the link to a view. The same view has the same link, which becomes the newest one.

        Raises:
            OSError: the folder cannot be written.
        """
        whole = _whole_id(link)
        identity = next(
            whole[:size]
            for size in range(SHORTEST_ID, LONGEST_ID + 1)
            if size == LONGEST_ID or self.find(whole[:size]) in (None, link)
        )
        if self.find(identity) == link:
            self._files.touch(identity + SUFFIX)
        else:
            self._files.update(identity + SUFFIX, lambda _: link._asdict(), is_indented=False)
            self._delete_oldest(identity + SUFFIX)
        return identity

    def _delete_oldest(self, newest: str) -> None:
        """Delete the links that are created least recently, until the others are within the limits."""
        stamps = self._files.stamps()
        oldest_first = sorted(stamps, key=lambda name: (name == newest, stamps[name].modified))
        count, size = len(stamps), sum(stamp.size for stamp in stamps.values())
        for name in oldest_first[:-1]:
            if count <= MAX_LINKS and size <= MAX_BYTES:
                return
            self._files.delete(name)
            count, size = count - 1, size - stamps[name].size


def _whole_id(link: Link) -> str:
    encoded = orjson.dumps(link._asdict(), option=orjson.OPT_SORT_KEYS)
    return b32encode(hashlib.sha256(encoded).digest()).decode().rstrip("=").lower()


def _link(content: Content) -> Link:
    match content:
        case {"address": str(address), "workspace": dict() | None as workspace}:
            return Link(address, workspace)
    raise DamagedFileError("it does not contain a link: expected address and workspace")
