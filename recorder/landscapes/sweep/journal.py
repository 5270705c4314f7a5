"""Journal: what has been measured of one landscape, a record a place, appended as it comes."""

import contextlib
import os
import struct
import zlib
from importlib import import_module
from types import TracebackType
from typing import Any, NamedTuple

from toposcope.recorder.landscapes.models.loss_sums import LossSums

KINDS = ("node", "plane", "real")
# Kind, level, i, j, whether it has a loss, samples wanted; samples, units, total, squares, seconds; and the checksum.
_CONTENT = struct.Struct("<BBHHBIQQddf")
_CHECKSUM = struct.Struct("<I")
RECORD_BYTES = _CONTENT.size + _CHECKSUM.size
_BINARY = getattr(os, "O_BINARY", 0)  # Windows writes line ends of its own otherwise.


class Place(NamedTuple):
    """Where a loss is measured, and on how many samples."""

    kind: str
    """"node": of the grid; "plane": the projection of checkpoint j; "real": checkpoint j itself."""
    level: int
    i: int
    j: int
    samples: int


class Measurement(NamedTuple):
    """The loss at a place; NaN and infinities are losses too."""

    place: Place
    sums: LossSums | None
    """None: a hole, nothing could be measured."""
    seconds: float = 0.0
    """How long it took."""
    error: str = ""
    """Why there is a hole; not kept in the journal."""


class JournalInUseError(RuntimeError):
    """Another process writes this journal."""


class Journal:
    """An append-only file of measurements.

    A record of RECORD_BYTES is written at once and carries a checksum: `kill -9` loses at most the one that was being
    written, and damage in the middle costs the records it hit. Holes are written, but forgotten when the file is opened
    again: they are worth another attempt. Little-endian; see the source for the fields.
    """

    def __init__(self, path: str) -> None:
        """Open the journal of *path*, or begin it.

        Raises:
            JournalInUseError: another process has it open.
            OSError: it cannot be read or written.
        """
        self.measured: dict[Place, Measurement] = {}
        """What is known, by its place; with the holes that were found since the journal was opened."""
        self._path = path
        self._lock, self._file = _locked(path), -1
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o666)
            self._read()
        except BaseException:
            self.close()
            raise

    def append(self, measurement: Measurement) -> None:
        """Write a measurement; OSError when that fails, and the file is then as it was."""
        left, size = _record(measurement), os.fstat(self._file).st_size
        try:
            while left:  # A disk that becomes full takes a part first.
                left = left[os.write(self._file, left) :]
        except OSError as error:
            os.ftruncate(self._file, size)  # What comes later begins where a record begins.
            raise OSError(error.errno, os.strerror(error.errno or 0), self._path) from None
        self.measured[measurement.place] = measurement

    def close(self) -> None:
        """Bring the file to the disk and close it."""
        descriptor, self._file = self._file, -1
        if descriptor >= 0:
            with contextlib.suppress(OSError):  # Some file systems cannot.
                os.fsync(descriptor)
            os.close(descriptor)
        self._lock.release()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> None:
        size = os.fstat(self._file).st_size
        if torn := size % RECORD_BYTES:
            os.ftruncate(self._file, size - torn)
        with open(self._file, "rb", closefd=False) as file:
            content = file.read()
        for start in range(0, len(content), RECORD_BYTES):
            measurement = _measurement(content[start : start + RECORD_BYTES])
            if measurement is not None and measurement.sums is not None:
                self.measured[measurement.place] = measurement


def _record(measurement: Measurement) -> bytes:
    place, sums = measurement.place, measurement.sums
    content = _CONTENT.pack(
        KINDS.index(place.kind), place.level, place.i, place.j, sums is not None, place.samples,
        *(sums or (0, 0, 0.0, 0.0)), measurement.seconds,
    )  # fmt: skip
    return content + _CHECKSUM.pack(zlib.crc32(content))


def _measurement(record: bytes) -> Measurement | None:
    content, checksum = record[: _CONTENT.size], record[_CONTENT.size :]
    if _CHECKSUM.unpack(checksum) != (zlib.crc32(content),):
        return None
    kind, level, i, j, has_loss, wanted, samples, units, total, squares, seconds = _CONTENT.unpack(content)
    sums = LossSums(samples, units, total, squares) if has_loss else None
    return Measurement(Place(KINDS[kind], level, i, j, wanted), sums, seconds)


def _locked(path: str) -> Any:
    """Return the lock of a journal, acquired unless its file system has no locks; it ends with the process."""
    filelock: Any = import_module("filelock")
    # Where there are no locks, a marker file in place of one would outlive a process that was killed.
    lock = filelock.FileLock(f"{path}.lock", blocking=False, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise JournalInUseError(f"Another process computes this landscape: it has {path!r} open.") from None
    except OSError:
        pass
    return lock
