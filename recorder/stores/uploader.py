"""Uploads the spool of one process to the object stores that it mirrors; proto/FORMAT.md has the names of pieces.

A complete event file becomes one object. Of one that grows, what is new becomes a piece every ten seconds, at most one
a directory; the complete file replaces its pieces. So each byte is sent at most twice. Other files, such as checkpoints
and exported tensors, are uploaded when they no longer change, and deleted when the training deletes them.
"""

import json
import logging
import math
import os
import platform
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from toposcope.proto.file_name import parse_file_name
from toposcope.proto.piece_name import parse_piece_name, piece_name
from toposcope.recorder.stores.spool import DONE, OWNER, SCHEMES, SEALED, SEGMENT_BYTES

if TYPE_CHECKING:
    from obstore.store import ObjectStore

PIECE_SECONDS = 10.0
LOCK = "lock"
_QUIET_SECONDS = 2.0
"""How long a file that is no event file must not have changed before it is uploaded."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
"""Seconds between two attempts to upload a file, or anything to a bucket, that failed."""
_PART_BYTES, _MAX_PARTS = 5 << 20, 10_000
"""The size of a part of an upload, unless there would be more than S3 accepts."""
_LOST_SECONDS = 300.0
"""After this time without a change, a spool of another machine is not recorded to any more: heartbeats change it."""
_UNREAD = ".npy"
"""Files that training writes and never reads: they are deleted once they are uploaded."""

log = logging.getLogger("toposcope.recorder")
Reply = TypeVar("Reply")


class _Stamp(NamedTuple):
    size: int
    modified: int


class _Rest(NamedTuple):
    """The time after a failure in which nothing is tried."""

    pause: float
    end: float
    """In seconds of time.monotonic()."""


class Uploader:
    """Uploads the files of one spool. Not thread-safe.

    A file that fails stops neither the others for long nor those of other buckets: it rests, and is then tried last.

    Args:
        folder: the spool.
        piece_seconds: least time between two pieces of a directory.
    """

    def __init__(self, folder: Path, piece_seconds: float = PIECE_SECONDS) -> None:
        self._folder = folder
        self._piece_seconds = piece_seconds
        self._clients: dict[str, ObjectStore] = {}
        self._sent: dict[Path, int] = {}
        """Bytes of an event file that are in pieces."""
        self._found = set(_files(folder))
        """The files of which an uploader that has ended may have uploaded pieces."""
        self._piece_times: dict[Path, float] = {}
        """When the last piece of an event file was uploaded, in seconds of time.monotonic()."""
        self._next_piece: dict[Path, float] = {}
        """When the next piece is due, by directory, in seconds of time.monotonic()."""
        self._others: dict[Path, _Stamp] = {}
        """The files that are no event files, as they were uploaded."""
        self._failure = ""
        self._failed: dict[Path, _Rest] = {}
        """The files whose last upload failed."""
        self._resting: dict[str, _Rest] = {}
        """The buckets whose last request failed, by address."""

    @property
    def failure(self) -> str:
        """Why the last attempt failed; "" if it did not."""
        return self._failure

    def is_owned(self) -> bool:
        """Return whether the process that records still runs; on another machine, whether its files still change."""
        if (self._folder / DONE).exists():
            return False
        match _read_json(self._folder / OWNER):
            case {"host": str(host), "pid": int(process_id), "started": int() | float() as started}:
                if host != platform.node():
                    return time.time() - _modified(self._folder) < _LOST_SECONDS
                return _runs(process_id, started)
            case _:
                return False

    def is_own(self) -> bool:
        """Return whether the spool is a folder of the user of this process: others may plant theirs beside it."""
        try:
            status = os.lstat(self._folder)
        except OSError:
            return False
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()

    def upload(self, *, is_ended: bool) -> bool:
        """Upload what is due; return whether nothing is left.

        Args:
            is_ended: whether the recording has ended, so that everything is due, now.
        """
        left: set[str] = set()
        """Buckets in which something has failed just now."""
        for path, task in self._tasks(is_ended):
            address = self._address(path)
            if address in left or not (is_ended or self._is_rested(path, address)):
                continue
            try:
                task(path)
            except FileNotFoundError:
                pass  # The training has deleted it.
            except (_StoreError, OSError) as error:
                self._note_failure(path, str(error))
                left.add(address)
        self._forget_failures()
        is_done = is_ended and not left and not self._failed
        if is_done:
            shutil.rmtree(self._folder, ignore_errors=True)
        return is_done

    def _tasks(self, is_ended: bool) -> Iterator[tuple[Path, Callable[[Path], None]]]:
        """Yield what may have to be done, with the file that it is done for."""
        upload = partial(self._upload_file, is_ended=is_ended)
        yield from ((path, upload) for path in self._in_turn())
        yield from ((path, self._delete_object) for path in list(self._others) if not os.path.lexists(path))

    def _is_rested(self, path: Path, address: str) -> bool:
        """Return whether neither the file nor its bucket has failed just now."""
        rests = (self._failed.get(path), self._resting.get(address))
        return all(rest is None or rest.end <= time.monotonic() for rest in rests)

    def _in_turn(self) -> list[Path]:
        """Return all files; first those of which no piece was uploaded for the longest time, last those that failed.

        So a file that grows without end does not take all pieces of its directory from the others, as lineage.
        """
        return sorted(_files(self._folder), key=lambda path: (path in self._failed, self._piece_times.get(path, 0.0)))

    def _upload_file(self, path: Path, *, is_ended: bool) -> None:
        if parse_file_name(path.name) is None:
            self._upload_other(path, is_ended=is_ended)
        elif is_ended or os.path.exists(f"{path}{SEALED}"):
            self._upload_whole(path)
        else:
            self._upload_piece(path)

    def _upload_whole(self, path: Path) -> None:
        """Upload a complete event file, then delete its pieces and the local file."""
        if path.stat().st_size:
            self._put(path, path)
        has_pieces = self._sent.pop(path, None) != 0
        self._piece_times.pop(path, None)
        if has_pieces:
            self._delete_pieces(path)
        path.unlink()
        Path(f"{path}{SEALED}").unlink(missing_ok=True)

    def _upload_piece(self, path: Path) -> None:
        """Upload what was appended to an event file, if a piece of its directory is due."""
        sent = self._sent.get(path, 0)
        now = time.monotonic()
        if now < self._next_piece.get(path.parent, 0.0):
            return
        if path in self._found:
            sent = self._stored_bytes(path)
            self._found.discard(path)
        self._sent[path] = sent
        with path.open("rb") as file:
            file.seek(sent)
            content = file.read(SEGMENT_BYTES)
        if content:
            self._put(path.with_name(piece_name(path.name, sent)), content)
            self._sent[path] = sent + len(content)
            self._piece_times[path] = now
            self._next_piece[path.parent] = now + self._piece_seconds

    def _upload_other(self, path: Path, *, is_ended: bool) -> None:
        status = path.stat()
        stamp = _Stamp(status.st_size, status.st_mtime_ns)
        is_quiet = is_ended or time.time() - status.st_mtime > _QUIET_SECONDS
        if not is_quiet or self._others.get(path) == stamp:
            return
        self._put(path, path)
        self._others[path] = stamp
        if path.suffix == _UNREAD:
            path.unlink()
            del self._others[path]

    def _delete_object(self, path: Path) -> None:
        """Delete the object of a file that the training has deleted, such as an older checkpoint."""
        client, key = self._target(path)
        self._ask(path, partial(_delete, client, key))
        del self._others[path]

    def _delete_pieces(self, path: Path) -> None:
        import obstore

        client, _ = self._target(path)
        pieces = [key for key, _, _ in self._pieces(path)]
        if pieces:
            self._ask(path, lambda: obstore.delete(client, pieces))

    def _pieces(self, path: Path) -> list[tuple[str, int, int]]:
        """Return (key, first byte, size) of each piece of an event file."""
        import obstore

        client, key = self._target(path)
        pages = self._ask(path, lambda: list(obstore.list(client, key.rpartition("/")[0] or None)))
        objects = [found for page in pages for found in page]
        named = [(found, parse_piece_name(found["path"])) for found in objects]
        return [(found["path"], piece.offset, found["size"]) for found, piece in named if piece and piece.file == key]

    def _stored_bytes(self, path: Path) -> int:
        """Return how many bytes of an event file, from its beginning, are in pieces."""
        sizes = {start: size for _, start, size in self._pieces(path)}
        stored = 0
        while size := sizes.get(stored, 0):
            stored += size
        return stored

    def _put(self, path: Path, content: bytes | Path) -> None:
        """Upload bytes, or a file that need not fit into memory, under the name of a file."""
        import obstore

        client, key = self._target(path)
        size = len(content) if isinstance(content, bytes) else content.stat().st_size
        self._ask(path, lambda: obstore.put(client, key, content, chunk_size=part_bytes(size)))

    def _address(self, path: Path) -> str:
        """Return the address of the bucket that a file belongs to."""
        scheme, bucket, *_ = path.relative_to(self._folder).parts
        return f"{scheme}://{bucket}"

    def _target(self, path: Path) -> "tuple[ObjectStore, str]":
        """Return the bucket that a file belongs to, and its key there."""
        from obstore.exceptions import BaseError
        from obstore.store import from_url

        address = self._address(path)
        if address not in self._clients:
            try:
                self._clients[address] = from_url(address, retry_config={"max_retries": 2})
            except (BaseError, ValueError) as error:
                raise _StoreError(f"{address}: {_first_line(error)}") from None
        return self._clients[address], "/".join(path.relative_to(self._folder).parts[2:])

    def _ask(self, path: Path, request: Callable[[], Reply]) -> Reply:
        """Return the reply to a request for a file.

        Raises:
            FileNotFoundError: the file was deleted.
            _StoreError: the store cannot be reached, or refuses.
        """
        from obstore.exceptions import BaseError

        try:
            reply = request()
        except (BaseError, OSError) as error:
            if isinstance(error, FileNotFoundError) and not os.path.lexists(path):
                raise
            raise _StoreError(_first_line(error)) from None
        self._failed.pop(path, None)
        self._resting.pop(self._address(path), None)
        return reply

    def _note_failure(self, path: Path, reason: str) -> None:
        if not self._failed:
            log.error("%s cannot be uploaded: %s. It is tried again; nothing is lost.", path, reason)
        self._failure = reason
        self._failed[path] = _after(self._failed.get(path))
        self._resting[self._address(path)] = _after(self._resting.get(self._address(path)))

    def _forget_failures(self) -> None:
        """Forget those of files that are gone, and report if none is left."""
        self._failed = {
            path: rest for path, rest in self._failed.items() if path in self._others or os.path.lexists(path)
        }
        if self._failure and not self._failed:
            log.warning("%s is uploaded again.", self._folder)
            self._failure = ""


def part_bytes(size: int) -> int:
    """Return the size of the parts in which a file is uploaded."""
    return max(_PART_BYTES, math.ceil(size / _MAX_PARTS))


def _after(rest: _Rest | None) -> _Rest:
    """Return the rest that follows a failure, twice as long as the one before."""
    pause = min(max(2 * rest.pause, _FIRST_PAUSE), _LONGEST_PAUSE) if rest else _FIRST_PAUSE
    return _Rest(pause, time.monotonic() + pause)


def _delete(client: "ObjectStore", key: str) -> None:
    """Delete an object; some stores report if someone else has deleted it before."""
    import obstore

    with suppress(FileNotFoundError):
        obstore.delete(client, key)


class _StoreError(Exception):
    """A store cannot be reached, or refuses."""


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a spool, except those that are not complete: their names begin with "."."""
    for scheme in SCHEMES:
        for parent, _, names in os.walk(folder / scheme):
            for name in sorted(names):
                path = Path(parent, name)
                # A link would upload a file from elsewhere.
                if not name.startswith(".") and not name.endswith(SEALED) and not path.is_symlink():
                    yield path


def _modified(folder: Path) -> float:
    """Return when a file of a spool was changed last, in seconds since 1970."""
    newest = 0.0
    for path in (folder / OWNER, *_files(folder)):
        with suppress(FileNotFoundError):  # Its own uploader has deleted it meanwhile.
            newest = max(newest, path.stat().st_mtime)
    return newest


def _read_json(path: Path) -> object:
    """Return the contents of a file; None if it has none that can be read."""
    try:
        content: object = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return content


def _runs(process_id: int, started: float) -> bool:
    import psutil

    try:
        process = psutil.Process(process_id)
        return bool(abs(process.create_time() - started) < 1.0 and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].strip()
