"""Uploads the spool of one process to the object stores that it mirrors; proto/FORMAT.md has the names of pieces.

A complete event file becomes one object. Of one that grows, what is new becomes a piece every ten seconds, at most one
a directory; the complete file replaces its pieces. So each byte is sent at most twice. Other files, such as checkpoints
and exported tensors, are uploaded when they no longer change, and deleted when the training deletes them.
"""

import json
import logging
import os
import platform
import shutil
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
"""Seconds between two attempts while a store cannot be reached."""
_LOST_SECONDS = 300.0
"""After this time without a change, a spool of another machine is not recorded to any more: heartbeats change it."""
_UNREAD = ".npy"
"""Files that training writes and never reads: they are deleted once they are uploaded."""

log = logging.getLogger("toposcope.recorder")
Reply = TypeVar("Reply")


class _Stamp(NamedTuple):
    size: int
    modified: int


class Uploader:
    """Uploads the files of one spool. Not thread-safe.

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
        self._piece_times: dict[Path, float] = {}
        """When the last piece of an event file was uploaded, in seconds of time.monotonic()."""
        self._next_piece: dict[Path, float] = {}
        """By directory, in seconds of time.monotonic()."""
        self._others: dict[Path, _Stamp] = {}
        """The files that are no event files, as they were uploaded."""
        self._failure = ""
        self._pause = 0.0
        self._not_before = 0.0

    @property
    def failure(self) -> str:
        """Why the last attempt failed; "" if it did not."""
        return self._failure

    def is_owned(self) -> bool:
        """Return whether the process that records still runs; on another machine, whether its files still change."""
        if (self._folder / DONE).exists():
            return False
        try:
            owner = json.loads((self._folder / OWNER).read_bytes())
        except (OSError, ValueError):
            return False
        if owner["host"] != platform.node():
            return time.time() - _modified(self._folder) < _LOST_SECONDS
        return _runs(owner["pid"], owner["started"])

    def upload(self, *, is_ended: bool) -> bool:
        """Upload what is due; return whether nothing is left.

        Args:
            is_ended: whether the recording has ended, so that everything is due, now.
        """
        if not is_ended and time.monotonic() < self._not_before:
            return False
        try:
            for path in self._in_turn():
                self._upload_file(path, is_ended=is_ended)
            self._delete_removed()
        except _StoreError as error:
            self._note_failure(str(error))
            return False
        self._note_success()
        if is_ended:
            shutil.rmtree(self._folder, ignore_errors=True)
        return is_ended

    def _in_turn(self) -> list[Path]:
        """Return all files; first those of which no piece was uploaded for the longest time.

        So a file that grows without end does not take all pieces of its directory from the others, as lineage.
        """
        return sorted(_files(self._folder), key=lambda path: self._piece_times.get(path, 0.0))

    def _upload_file(self, path: Path, *, is_ended: bool) -> None:
        try:
            if parse_file_name(path.name) is None:
                self._upload_other(path, is_ended=is_ended)
            elif is_ended or os.path.exists(f"{path}{SEALED}"):
                self._upload_whole(path)
            else:
                self._upload_piece(path)
        except FileNotFoundError:
            return  # The training has deleted it.

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
        sent = self._sent.setdefault(path, 0)
        now = time.monotonic()
        if now < self._next_piece.get(path.parent, 0.0):
            return
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

    def _delete_removed(self) -> None:
        """Delete the objects of files that the training has deleted, such as older checkpoints."""
        for path in [path for path in self._others if not path.exists()]:
            client, key = self._target(path)
            self._ask(partial(_delete, client, key))
            del self._others[path]

    def _delete_pieces(self, path: Path) -> None:
        import obstore

        client, key = self._target(path)
        folder = key.rpartition("/")[0]
        pages = self._ask(lambda: list(obstore.list(client, folder or None)))
        keys = [found["path"] for page in pages for found in page]
        pieces = [each for each in keys if (piece := parse_piece_name(each)) is not None and piece.file == key]
        if pieces:
            self._ask(lambda: obstore.delete(client, pieces))

    def _put(self, path: Path, content: bytes | Path) -> None:
        """Upload bytes, or a file that need not fit into memory, under the name of a file."""
        import obstore

        client, key = self._target(path)
        self._ask(lambda: obstore.put(client, key, content))

    def _target(self, path: Path) -> "tuple[ObjectStore, str]":
        """Return the bucket that a file belongs to, and its key there."""
        from obstore.exceptions import BaseError
        from obstore.store import from_url

        scheme, bucket, *key = path.relative_to(self._folder).parts
        address = f"{scheme}://{bucket}"
        if address not in self._clients:
            try:
                self._clients[address] = from_url(address, retry_config={"max_retries": 2})
            except (BaseError, ValueError) as error:
                raise _StoreError(f"{address}: {_first_line(error)}") from None
        return self._clients[address], "/".join(key)

    def _ask(self, request: Callable[[], Reply]) -> Reply:
        from obstore.exceptions import BaseError

        try:
            return request()
        except (BaseError, OSError) as error:
            raise _StoreError(_first_line(error)) from None

    def _note_failure(self, reason: str) -> None:
        if not self._failure:
            log.error("%s cannot be uploaded: %s. It is tried again; nothing is lost.", self._folder, reason)
        self._failure = reason
        self._pause = min(max(2 * self._pause, _FIRST_PAUSE), _LONGEST_PAUSE)
        self._not_before = time.monotonic() + self._pause

    def _note_success(self) -> None:
        if self._failure:
            log.warning("%s is uploaded again.", self._folder)
        self._failure, self._pause, self._not_before = "", 0.0, 0.0


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
                if not name.startswith(".") and not name.endswith(SEALED):
                    yield Path(parent, name)


def _modified(folder: Path) -> float:
    """Return when a file of a spool was changed last, in seconds since 1970."""
    newest = 0.0
    for path in (folder / OWNER, *_files(folder)):
        with suppress(FileNotFoundError):  # Its own uploader has deleted it meanwhile.
            newest = max(newest, path.stat().st_mtime)
    return newest


def _runs(process_id: int, started: float) -> bool:
    import psutil

    try:
        return bool(abs(psutil.Process(process_id).create_time() - started) < 1.0)
    except psutil.NoSuchProcess:
        return False


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].strip()
