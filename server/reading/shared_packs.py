"""Packs that workers of a cluster write and all servers read: in a folder, or below a prefix of an object store.

A server never changes, merges or evicts them. `summary-server index` writes them.
"""

import errno
import functools
import logging
import secrets
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from toposcope.server.places.addresses import is_remote
from toposcope.server.places.place import Buffer, Status, is_gone, reason_of
from toposcope.server.reading.index import Index, default_folder
from toposcope.server.reading.pack import Pack
from toposcope.server.reading.segment import DamagedSegmentError

if TYPE_CHECKING:
    from toposcope.server.places.object_store import ObjectStore

_FOLDER, _SUFFIX = "shared", ".pack"
_AT_ONCE = 16
_TAIL_BYTES = 128 << 10
"""Read with the first request: most directories are not larger."""

log = logging.getLogger(__name__)


def shared_address(index: str) -> str:
    """Return where the shared packs of an index are, a folder or an address."""
    return f"{index.rstrip('/')}/{_FOLDER}"


def open_index(index: str | None) -> Index:
    """Open the index in a folder, with the shared packs in it, or those at an address with the user's own index.

    Args:
        index: None: the user's own.

    Raises:
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        ValueError: the address of an object store is not valid.
    """
    folder = default_folder() if index is None or is_remote(index) else Path(index)
    address = shared_address(str(folder) if index is None else index)
    try:
        packs = open_shared_packs(address)
    except OSError as error:
        log.warning("the index in %s cannot be read, event files are read instead: %s", address, reason_of(error))
        packs = []
    return Index(folder, shared=packs)


def store_shared_pack(address: str, name: str, content: bytes) -> None:
    """Store a pack, so that it is never visible half written; one of the same name is replaced.

    Args:
        address: where shared packs are; a folder is created.
        name: of the pack, without suffix.
        content: the pack.

    Raises:
        OSError: it cannot be written.
    """
    if is_remote(address):
        _put(address, f"{name}{_SUFFIX}", content)
        return
    folder = Path(address)
    folder.mkdir(parents=True, exist_ok=True)
    part_file = folder / f"{secrets.token_hex(8)}.part"
    try:
        part_file.write_bytes(content)
        part_file.replace(folder / f"{name}{_SUFFIX}")
    except BaseException:
        part_file.unlink(missing_ok=True)
        raise


def open_shared_packs(address: str) -> list[Pack]:
    """Open all packs at an address; damaged ones are left out, with a warning.

    Raises:
        OSError: the packs cannot be listed.
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        ValueError: the address of an object store is not valid.
    """
    return list(_open_all(_list(address), address))


def delete_superseded(address: str, packs: Iterable[Pack]) -> int:
    """Delete the packs of which every file is in a newer state in another one; return how many.

    Raises:
        OSError: one cannot be deleted.
    """
    newest: dict[str, tuple[float, Pack]] = {}
    all_packs = sorted(packs, key=lambda pack: max(file.status.modified for file in pack.files.values()))
    for pack in all_packs:
        for key, file in pack.files.items():
            if key not in newest or newest[key][0] <= file.status.modified:
                newest[key] = file.status.modified, pack
    used = {id(pack) for _, pack in newest.values()}
    superseded = [str(pack.path) for pack in all_packs if id(pack) not in used]
    for path in superseded:
        if is_remote(path):
            _delete(address, path.rpartition("/")[2])
        else:
            Path(path).unlink(missing_ok=True)
    return len(superseded)


def open_pack(path: str) -> Pack:
    """Open a pack.

    Args:
        path: a file, or the address of an object.

    Raises:
        OSError: it cannot be read at present.
        DamagedSegmentError: it is not a pack, or is damaged.
    """
    if not is_remote(path):
        return Pack(Path(path))
    store = _store(path.rpartition("/")[0])
    return Pack(path, _Ranges(store, path, store.stat(path)))


def _list(address: str) -> list[str]:
    if not is_remote(address):
        return sorted(str(path) for path in Path(address).glob(f"*{_SUFFIX}"))
    try:
        entries = _store(address).list(address).entries
    except FileNotFoundError:
        return []
    return [entry.path for entry in entries if entry.name.endswith(_SUFFIX)]


def _open_all(paths: Iterable[str], address: str) -> Iterator[Pack]:
    with ThreadPoolExecutor(_AT_ONCE if is_remote(address) else 1, "toposcope-packs") as pool:
        for opened in pool.map(_try_open, paths):
            if opened is not None:
                yield opened


def _try_open(path: str) -> Pack | None:
    try:
        return open_pack(path)
    except (OSError, DamagedSegmentError, ValueError, LookupError, TypeError) as error:
        if not is_gone(error):
            log.warning("%s is not used: %s", path, reason_of(error))
        return None


@functools.cache
def _store(address: str) -> "ObjectStore":
    from toposcope.server.places.object_store import ObjectStore

    return ObjectStore(address)


def _put(address: str, name: str, content: bytes) -> None:
    import obstore
    from obstore.exceptions import BaseError

    from toposcope.server.places.object_store import connect, first_sentence

    try:
        obstore.put(connect(address), name, content)
    except BaseError as error:
        raise OSError(errno.EIO, first_sentence(error), f"{address}/{name}") from None


def _delete(address: str, name: str) -> None:
    import obstore
    from obstore.exceptions import BaseError

    from toposcope.server.places.object_store import connect, first_sentence

    try:
        obstore.delete(connect(address), name)
    except BaseError as error:
        raise OSError(errno.EIO, first_sentence(error), f"{address}/{name}") from None


class _Ranges:
    """A pack in an object store: its end stays in memory, everything else is requested when it is read."""

    def __init__(self, store: "ObjectStore", path: str, status: Status) -> None:
        self.status = status
        self._store = store
        self._path = path
        self._tail_start = max(status.size - _TAIL_BYTES, 0)
        self._tail = store.read(path, self._tail_start, status.size) if status.size else b""

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset; fewer only if the pack ends before."""
        end = min(offset + length, self.status.size)
        if offset >= end:
            return b""
        if offset >= self._tail_start:
            return self._tail[offset - self._tail_start : end - self._tail_start]
        return self._store.read(self._path, offset, end)

    def read_into(self, buffer: Buffer, offset: int) -> int:
        """Fill a buffer with the bytes at an offset; return how many there were."""
        content = self.read(offset, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        """Do nothing: no connection is kept."""
