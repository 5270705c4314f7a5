"""The folder of a lake, on a local disk or in an object store: files that are written wholly or not at all."""

import errno
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from filelock import FileLock, Timeout

from toposcope.server.places.addresses import is_remote

LOCK = "_state/.lock"
_TEMPORARY = ".part"
_FRESH_SECONDS = 3600.0
"""A file of a writer that was killed is deleted after this time."""


class Folder(Protocol):
    """Reads, replaces and deletes the files of a lake. Names are relative to the folder, with slashes."""

    address: str

    def names(self) -> list[str]:
        """Return the names of all files, sorted, without those that are being written.

        Raises:
            OSError: the folder cannot be listed.
        """
        ...

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises:
            OSError: it cannot be read.
        """
        ...

    @contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        """Open a file that replaces the one of this name when the `with` block ends, or not at all if it raises.

        Raises:
            OSError: it cannot be written.
        """
        ...

    def delete(self, name: str) -> None:
        """Delete a file, if there is one.

        Raises:
            OSError: it cannot be deleted.
        """
        ...

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from changing the whole lake at the same time, where the folder allows that.

        Raises:
            OSError: another process does.
        """
        ...


def open_folder(address: str) -> Folder:
    """Return the folder of a lake, which need not exist.

    Args:
        address: a directory, or that of an object store, as "s3://bucket/prefix".

    Raises:
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        ValueError: the address of an object store is not valid.
    """
    if is_remote(address):
        return StoreFolder(address)
    if "://" in address:
        raise ValueError(f"{address!r} is no address of a lake: expected a directory, s3://, gs:// or az://")
    return LocalFolder(address)


class LocalFolder:
    """A directory, which is created with the first file."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._root = Path(address)

    def names(self) -> list[str]:
        """Return the names of all files, sorted."""
        files = (path.relative_to(self._root) for path in self._root.rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in files if not path.name.startswith("."))

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        return (self._root / name).read_bytes()

    @contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        """Write a file under another name, and rename it."""
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_TEMPORARY}")
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def delete(self, name: str) -> None:
        """Delete a file, if there is one."""
        path = self._root / name
        path.unlink(missing_ok=True)
        with suppress(OSError):  # It is not empty.
            path.parent.rmdir()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the directory; delete what writers that were killed have left."""
        lock = self._root / LOCK
        lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(lock, timeout=0):
                self._delete_left()
                yield
        except Timeout:
            raise OSError(errno.EBUSY, "another process writes it at present", self.address) from None

    def _delete_left(self) -> None:
        for path in self._root.rglob(f".*{_TEMPORARY}"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _FRESH_SECONDS:
                    path.unlink()


class StoreFolder:
    """A prefix in an object store. It has no lock: one process at a time may change the whole lake."""

    def __init__(self, address: str) -> None:
        from toposcope.server.places.stores.object_store import connect

        self.address = address
        self._client = connect(address)

    def names(self) -> list[str]:
        """Return the names of all objects, sorted."""
        import obstore

        pages: Any = _ask(lambda: list(obstore.list(self._client)), self.address)
        return sorted(found["path"] for page in pages for found in page)

    def read(self, name: str) -> bytes:
        """Return the content of an object."""
        import obstore

        return bytes(_ask(lambda: obstore.get(self._client, name).bytes(), name))

    @contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        """Write a local file, and put it into the store."""
        import obstore

        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            _ask(lambda: obstore.put(self._client, name, file), name)

    def delete(self, name: str) -> None:
        """Delete an object, if there is one."""
        import obstore

        with suppress(FileNotFoundError):
            _ask(lambda: obstore.delete(self._client, name), name)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Do nothing."""
        yield


def _ask(request: Any, name: str) -> Any:
    """Return the reply of a store.

    Raises:
        OSError: the store cannot be reached, or refuses; FileNotFoundError: there is no such object.
    """
    from obstore.exceptions import BaseError

    from toposcope.server.places.stores.object_store import first_sentence

    try:
        return request()
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "no such object", name) from None
    except BaseError as error:
        raise OSError(errno.EIO, first_sentence(error), name) from None
