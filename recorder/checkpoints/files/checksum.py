"""A checksum at the end of a file, which readers of zip archives ignore."""

import os
import struct
from typing import BinaryIO

import google_crc32c

from toposcope.proto.framing import Buffer

_MAGIC = b"TOPOCRC1"
_FOOTER = struct.Struct("<8sI")
_CHUNK_BYTES = 1 << 20


class ChecksumWriter:
    """A writer that computes the crc32c of the written bytes."""

    def __init__(self, file: BinaryIO) -> None:
        """Write to *file*."""
        self._file = file
        self._crc = 0

    def write(self, data: Buffer) -> int:
        """Write all bytes; return their number."""
        view = memoryview(data).cast("B")
        for start in range(0, len(view), _CHUNK_BYTES):
            self._crc = google_crc32c.extend(self._crc, bytes(view[start : start + _CHUNK_BYTES]))
        self._file.write(view)
        return len(view)

    def flush(self) -> None:
        """Flush the file."""
        self._file.flush()

    def finish(self) -> None:
        """Append the checksum: "TOPOCRC1" and the crc32c of all bytes before it, little-endian."""
        self._file.write(_FOOTER.pack(_MAGIC, self._crc))


def verified_size(file: BinaryIO) -> int:
    """Return the size of the content without the checksum; ValueError if the checksum does not match."""
    size = os.fstat(file.fileno()).st_size - _FOOTER.size
    if size < 0:
        return size + _FOOTER.size
    file.seek(size)
    magic, expected = _FOOTER.unpack(file.read(_FOOTER.size))
    if magic != _MAGIC:
        return size + _FOOTER.size
    file.seek(0)
    crc, remaining = 0, size
    while remaining:
        chunk = file.read(min(remaining, _CHUNK_BYTES))
        crc = google_crc32c.extend(crc, chunk)
        remaining -= len(chunk)
    if crc != expected:
        raise ValueError("its checksum does not match: the file is damaged")
    return size
