"""Journal: the measured losses of one landscape, appended one record at a time."""

import contextlib
import os
import struct
import zlib
from importlib import import_module
from types import TracebackType
from typing import Any, NamedTuple

from toposcope.recorder.landscapes.models.unit_losses import LossSums

KINDS = ("node", "plane", "real")
# Kind, level, i, j, whether there is a loss, samples of the place; samples, units, total, squares; total and squares of
# the difference; seconds; checksum.
_CONTENT = struct.Struct("<BBHHBIQQddddf")
_CHECKSUM = struct.Struct("<I")
# No squares are negative.
_NO_DIFFERENCE = (0.0, -1.0)
RECORD_BYTES = _CONTENT.size + _CHECKSUM.size
_BINARY = getattr(os, "O_BINARY", 0)  # Otherwise Windows translates line ends.


class Place(NamedTuple):
    """Where, and on how many samples, a loss is measured."""

    kind: str
    """"node": of the grid; "plane": the projection of checkpoint j; "real": checkpoint j itself."""
    level: int
    i: int
    j: int
    samples: int


class Measurement(NamedTuple):
    """The loss at a place, which may be NaN or infinite."""

    place: Place
    sums: LossSums | None
    """None: a hole, where the measurement has failed."""
    seconds: float = 0.0
    """Duration of the measurement."""
    error: str = ""
    """The reason of a hole; not stored in the journal."""
    difference: LossSums | None = None
    """The differences of the same units: of a node, from their losses at the origin; of a projection, from those of its
    checkpoint. None if there is nothing to compare with."""


class JournalInUseError(RuntimeError):
    """Another process has this journal open."""


class Journal:
    """An append-only file of measurements.

    Each record of RECORD_BYTES is written by a single write and has a checksum: `kill -9` loses at most the record that
    was being written, and damage affects only the damaged records. Holes are written, but ignored when the file is
    opened again, so that they are measured again. Little-endian; see _CONTENT for the fields.
    """

    def __init__(self, path: str) -> None:
        """Open the journal at *path*; create it if it does not exist.

        Raises:
            JournalInUseError: another process has it open.
            OSError: it cannot be read or written.
        """
        self.measured: dict[Place, Measurement] = {}
        """Measurements by place, including holes since the journal was opened."""
        self._path = path
        self._lock, self._file = _locked(path), -1
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o666)
            self._read()
        except BaseException:
            self.close()
            raise

    def append(self, measurement: Measurement) -> None:
        """Write a measurement; OSError if that fails, in which case the file is unchanged."""
        remaining, size = _record(measurement), os.fstat(self._file).st_size
        try:
            while remaining:  # The last write before a disk is full may be partial.
                remaining = remaining[os.write(self._file, remaining) :]
        except OSError as error:
            os.ftruncate(self._file, size)  # The next record begins at a multiple of RECORD_BYTES.
            raise OSError(error.errno, os.strerror(error.errno or 0), self._path) from None
        self.measured[measurement.place] = measurement

    def close(self) -> None:
        """Sync and close the file, and release the lock."""
        descriptor, self._file = self._file, -1
        if descriptor >= 0:
            with contextlib.suppress(OSError):  # Some file systems cannot sync.
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
    place, sums, difference = measurement.place, measurement.sums, measurement.difference
    content = _CONTENT.pack(
        KINDS.index(place.kind), place.level, place.i, place.j, sums is not None, place.samples,
        *(sums or (0, 0, 0.0, 0.0)), *(_NO_DIFFERENCE if difference is None else difference[2:]), measurement.seconds,
    )  # fmt: skip
    return content + _CHECKSUM.pack(zlib.crc32(content))


def _measurement(record: bytes) -> Measurement | None:
    content, checksum = record[: _CONTENT.size], record[_CONTENT.size :]
    if _CHECKSUM.unpack(checksum) != (zlib.crc32(content),):
        return None
    kind, level, i, j, has_loss, place_samples, samples, units, *sums_of_units, seconds = _CONTENT.unpack(content)
    place, (total, squares, difference, its_squares) = Place(KINDS[kind], level, i, j, place_samples), sums_of_units
    if not has_loss:
        return Measurement(place, None, seconds)
    sums, of_difference = LossSums(samples, units, total, squares), LossSums(samples, units, difference, its_squares)
    return Measurement(place, sums, seconds, difference=None if its_squares < 0 else of_difference)


def _locked(path: str) -> Any:
    """Acquire the lock of a journal, which ends with the process, unless the file system does not support locks."""
    filelock: Any = import_module("filelock")
    # Without fallback_to_soft: a marker file in place of a lock would remain after the process was killed.
    lock = filelock.FileLock(f"{path}.lock", blocking=False, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise JournalInUseError(f"Another process is computing this landscape: it has {path!r} open.") from None
    except OSError:
        pass
    return lock
