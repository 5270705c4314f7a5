"""An open file whose first bytes are read at once: a small file takes one read instead of several."""

from toposcope.server.places.place import Buffer, OpenFile


class ReadAhead:
    """Returns the first bytes of an open file from memory.

    Args:
        file: an open file.
        length: how many bytes to read at once.

    Raises:
        OSError: they cannot be read.
    """

    def __init__(self, file: OpenFile, length: int) -> None:
        self.status = file.status
        self._file = file
        self._head = file.read(0, length)

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset; fewer only if the file ends before."""
        if offset + length <= len(self._head):
            return self._head[offset : offset + length]
        return self._file.read(offset, length)

    def read_into(self, buffer: Buffer, offset: int) -> int:
        """Fill a buffer with the bytes at an offset; return how many there were."""
        end = offset + len(buffer)
        if end > len(self._head):
            return self._file.read_into(buffer, offset)
        buffer[:] = self._head[offset:end]
        return len(buffer)

    def next_data(self, offset: int) -> int:
        """Return where a hole ends that contains an offset."""
        return self._file.next_data(offset)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
