"""Packs that workers of a cluster write and all servers read: in a folder, or below a prefix of an object store.

A server never changes, merges or evicts them. `summary-server index` writes them.
"""

import contextlib
import logging
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from toposcope.server.places.addresses import is_remote
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import Status, is_gone, reason_of
from toposcope.server.reading.index.packs.pack import Pack, read_directory, statuses_of
from toposcope.server.reading.index.packs.pack_contents import NAME, DescribedPack, decode_contents, encode_contents
from toposcope.server.reading.index.packs.stored_packs import (
    StoredPack,
    delete_object,
    get_object,
    list_objects,
    put_object,
)
from toposcope.server.reading.index.segment import DamagedSegmentError

_FOLDER, _SUFFIX = "shared", ".pack"
_AT_ONCE = 16
_LEFT_SECONDS = 86400.0
"""How long after its start a process that writes packs is taken for killed."""

log = logging.getLogger(__name__)


class SharedPacks:
    """The packs at an address, each opened once.

    Args:
        address: of the packs, as shared_address() returns it.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._seen: dict[str, Status] = {}

    def open_new(self) -> list[Pack]:
        """Open the packs that were not there the last time; those that cannot be read are left out, with a warning."""
        try:
            listed = _list(self._address)
        except OSError as error:
            log.warning(
                "the index in %s cannot be read, event files are read instead: %s", self._address, reason_of(error)
            )
            return []
        new = {path: status for path, status in listed.items() if self._seen.get(path) != status}
        self._seen = listed
        return [pack for described in _describe(new, self._address) if (pack := _try_open(described)) is not None]


def shared_address(index: str) -> str:
    """Return where the shared packs of an index are, a folder or an address."""
    return f"{index.rstrip('/')}/{_FOLDER}"


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
        put_object(f"{address}/{name}{_SUFFIX}", content)
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


def describe_shared_packs(address: str) -> list[DescribedPack]:
    """Return all packs at an address, with their directories; damaged ones are left out, with a warning.

    Raises:
        OSError: the packs cannot be listed.
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        ValueError: the address of an object store is not valid.
    """
    return list(_describe(_list(address), address))


def store_contents(address: str, packs: Sequence[DescribedPack]) -> None:
    """Store what the packs in an object store contain, so that a server opens all of them with one request.

    Raises:
        OSError: it cannot be written.
    """
    if is_remote(address) and packs:
        put_object(f"{address}/{NAME}", encode_contents(packs))


def delete_superseded(packs: Iterable[DescribedPack]) -> list[DescribedPack]:
    """Delete the packs of which every file is in a newer state in another one; return the others.

    Raises:
        OSError: one cannot be deleted.
    """
    packs = list(packs)
    statuses = [statuses_of(pack.directory) for pack in packs]
    newest: dict[str, tuple[float, int]] = {}
    for number in sorted(range(len(packs)), key=lambda each: max(file.modified for file in statuses[each].values())):
        for key, file in statuses[number].items():
            if key not in newest or newest[key][0] <= file.modified:
                newest[key] = file.modified, number
    used = {number for _, number in newest.values()}
    for number, pack in enumerate(packs):
        if number not in used and is_remote(pack.path):
            delete_object(pack.path)
        elif number not in used:
            Path(pack.path).unlink(missing_ok=True)
    return [pack for number, pack in enumerate(packs) if number in used]


def delete_left(folder: Path) -> None:
    """Delete what processes that were killed have left in a folder of packs."""
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # Another process deletes it too.
            if path.suffix in (".mark", ".part") and time.time() - path.stat().st_mtime > _LEFT_SECONDS:
                path.unlink()


def open_pack(path: str) -> Pack:
    """Open a pack.

    Args:
        path: a file, or the address of an object.

    Raises:
        OSError: it cannot be read at present.
        DamagedSegmentError: it is not a pack, or is damaged.
    """
    return Pack(path, StoredPack(path)) if is_remote(path) else Pack(Path(path))


def _list(address: str) -> dict[str, Status]:
    """Return the status of each pack, by path."""
    if is_remote(address):
        entries = list_objects(address)
    else:
        entries = UNCHECKED.list(address).entries if Path(address).is_dir() else []
    return {entry.path: entry.status for entry in entries if entry.name.endswith(_SUFFIX) and entry.status}


def _describe(packs: Mapping[str, Status], address: str) -> Iterator[DescribedPack]:
    """Yield packs with their directories, unless they cannot be read."""
    known = _read_contents(packs, address) if packs and is_remote(address) else []
    yield from known
    others = packs.keys() - {pack.path for pack in known}
    with ThreadPoolExecutor(_AT_ONCE if is_remote(address) else 1, "toposcope-packs") as pool:
        yield from filter(None, pool.map(_try_describe, sorted(others)))


def _read_contents(packs: Mapping[str, Status], address: str) -> list[DescribedPack]:
    """Return those of the packs that need no request of their own."""
    path = f"{address}/{NAME}"
    with _reported(path):
        return decode_contents(get_object(path), packs)
    return []


def _try_describe(path: str) -> DescribedPack | None:
    with _reported(path), contextlib.closing(StoredPack(path) if is_remote(path) else UNCHECKED.open(path)) as file:
        return DescribedPack(path, file.status, read_directory(file))
    return None


def _try_open(pack: DescribedPack) -> Pack | None:
    with _reported(pack.path):
        if is_remote(pack.path):
            return Pack(pack.path, StoredPack(pack.path, pack.status), pack.directory)
        return Pack(Path(pack.path), None, pack.directory)
    return None


@contextlib.contextmanager
def _reported(path: str) -> Iterator[None]:
    """Log why something is not used; nothing if it is gone."""
    try:
        yield
    except (OSError, DamagedSegmentError, ValueError, LookupError, TypeError) as error:
        if not is_gone(error):
            log.warning("%s is not used: %s", path, reason_of(error))
