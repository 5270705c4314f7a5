"""A folder of JSON files in an object store, each replaced on the condition that nobody else replaced it before."""

import contextlib
import errno
import itertools
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from toposcope.server.data_files.json_files import (
    SUFFIX,
    Change,
    Content,
    Item,
    Result,
    Stamp,
    apply,
    encode,
    parse,
)
from toposcope.server.places.stores.object_store import connect, first_sentence

if TYPE_CHECKING:
    from obstore import PutMode, UpdateVersion

_POLL_SECONDS = 10.0
"""How often the store is listed for what other servers changed."""
_CONNECTIONS = 16
_MAX_TRIES = 20
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.5
"""The most seconds between the first two tries to change a file that other servers change, and between any two."""
_NO_VERSION: "UpdateVersion" = {"e_tag": '"00000000000000000000000000000000"', "version": "1"}
"""That of no object; Google Cloud Storage compares the version, the others the ETag."""


class JsonStore:
    """Implements JsonFiles.

    A change reads an object and replaces it if its ETag is still the same (the header If-Match of S3; If-None-Match for
    a new object); otherwise it begins again. An object of no bytes is a deleted file: no store deletes on a condition.

    Args:
        address: of the folder, as "s3://bucket/prefix".
        largest_file: a file of more bytes is damaged.

    Raises:
        ModuleNotFoundError: obstore is not installed.
        ValueError: the address is not valid.
    """

    def __init__(self, address: str, largest_file: int) -> None:
        self.address = address
        self._client = connect(address)
        self._largest_file = largest_file
        self._pool = ThreadPoolExecutor(_CONNECTIONS, "toposcope-data")
        self._honours_conditions = False

    @property
    def is_slow(self) -> bool:
        """True."""
        return True

    def problem(self) -> None:
        """Return None: permissions are not known without trying."""

    def modified(self) -> int:
        """Return a number that changes every ten seconds, when the store is listed again."""
        return int(time.monotonic() / _POLL_SECONDS)

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamps of all files, by name; a thousand with each request."""
        import obstore

        pages: Any = self._ask(lambda: list(obstore.list(self._client)))
        return {
            found["path"]: Stamp(str(found["e_tag"]), int(1e9 * found["last_modified"].timestamp()), found["size"])
            for page in pages
            for found in page
            if found["path"].endswith(SUFFIX) and found["size"]
        }

    def read(self, name: str) -> Content:
        """Return the object in a file."""
        encoded, _ = self._get(name)
        if not encoded:
            raise FileNotFoundError(errno.ENOENT, "no such object", name)
        return parse(encoded, self._largest_file)

    def update(self, name: str, change: Change, *, is_indented: bool = True) -> None:
        """Replace the content of a file by what a change makes of it."""
        self._check_conditions()
        for number in range(_MAX_TRIES):
            if self._put(name, *self._get(name), change, is_indented):
                return
            # Servers that try again at once may come after each other in the same order each time.
            time.sleep(random.uniform(0, min(_FIRST_PAUSE * 2**number, _LONGEST_PAUSE)))
        raise TimeoutError(errno.ETIMEDOUT, "other servers change it all the time", name)

    def _check_conditions(self) -> None:
        """Check once that the store refuses to create an object that exists, and to replace one that has changed.

        Raises:
            OSError: it ignores one of these conditions, so that changes of other servers could be lost.
        """
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        if self._honours_conditions:
            return
        name = f"conditions-{uuid.uuid4().hex}"
        conditions: dict[str, PutMode] = {"If-None-Match": "create", "If-Match": _NO_VERSION}
        self._ask(lambda: obstore.put(self._client, name, b""))
        try:
            for header, condition in conditions.items():
                with contextlib.suppress(AlreadyExistsError, PreconditionError):
                    self._ask(partial(obstore.put, self._client, name, b"", mode=condition))
                    raise OSError(
                        errno.ENOTSUP, f"the store ignores {header}: several servers could lose notes", self.address
                    )
        finally:
            self.delete(name)
        self._honours_conditions = True

    def _put(self, name: str, encoded: bytes, mode: "PutMode", change: Change, is_indented: bool) -> bool:
        """Replace the content of a file; return False if another server replaced it meanwhile."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        update = apply(change, encoded or None, self._largest_file)
        if update.new == update.old and not update.is_damaged:
            return True
        if update.is_damaged:
            self._keep_damaged(name.removesuffix(SUFFIX), encoded)
        written = b"" if update.new is None else encode(update.new, is_indented=is_indented)
        try:
            self._ask(lambda: obstore.put(self._client, name, written, mode=mode))
        except (AlreadyExistsError, PreconditionError):
            return False
        return True

    def _keep_damaged(self, name: str, encoded: bytes) -> None:
        """Store a damaged object under another name; earlier ones stay."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        for number in itertools.chain([""], map(".{}".format, itertools.count(2))):
            with contextlib.suppress(AlreadyExistsError):
                kept = f"{name}{number}.damaged"
                self._ask(partial(obstore.put, self._client, kept, encoded, mode="create"))
                return

    def update_many(self, changes: Iterable[tuple[str, Change]]) -> dict[str, Exception]:
        """Update many files, several at once."""
        return {name: problem for name, problem in self.map(self._try_update, changes) if problem is not None}

    def _try_update(self, item: tuple[str, Change]) -> tuple[str, Exception | None]:
        name, change = item
        try:
            self.update(name, change)
        except (OSError, ValueError) as error:
            return name, error
        return name, None

    def touch(self, name: str) -> None:
        """Make a file the one that was modified last, by writing it again."""
        import obstore

        encoded, _ = self._get(name)
        self._ask(lambda: obstore.put(self._client, name, encoded))

    def delete(self, name: str) -> None:
        """Delete a file, if there is one."""
        import obstore

        self._ask(lambda: obstore.delete(self._client, name))

    def map(self, read: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Return the results of reading items, several at once."""
        return self._pool.map(read, items)

    def _get(self, name: str) -> tuple[bytes, "PutMode"]:
        """Return the bytes of an object, and the condition that it is as it is now; no bytes if there is none."""
        import obstore

        def get() -> tuple[bytes, Mapping[str, Any]]:
            reply = obstore.get(self._client, name)
            return bytes(reply.bytes()), reply.meta

        try:
            encoded, facts = self._ask(get)
        except FileNotFoundError:
            return b"", "create"
        return encoded, _version(facts)

    def _ask(self, request: Callable[[], Result]) -> Result:
        """Return the reply to a request.

        Raises:
            OSError: the store cannot be reached, or refuses; FileNotFoundError: there is no such object.
            PreconditionError, AlreadyExistsError: another server replaced the object.
        """
        from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError

        try:
            return request()
        except (FileNotFoundError, AlreadyExistsError, PreconditionError):
            raise
        except BaseError as error:
            raise OSError(errno.EIO, first_sentence(error), self.address) from None


def _version(facts: Mapping[str, Any]) -> "UpdateVersion":
    version: UpdateVersion = {}
    if facts["e_tag"]:
        version["e_tag"] = facts["e_tag"]
    if facts["version"]:
        version["version"] = facts["version"]
    return version
