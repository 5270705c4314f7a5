"""The large records of one event file, which are skipped when they load and verified later."""

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.records.record import ReadAt, payload_bytes, payload_is_sound


class LargeRecords:
    """Their offsets, how many are verified, and which of them are damaged. Not thread-safe."""

    def __init__(self) -> None:
        self.verified = 0
        """How many were verified, in file order."""
        self.damaged: set[int] = set()
        """Offsets of those that failed verification."""
        self._parts = [np.empty(0, np.int64)]
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, offsets: npt.NDArray[np.int64]) -> None:
        """Add records that follow the others in the file."""
        if len(offsets):
            self._parts.append(offsets)
            self._count += len(offsets)

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Their offsets in the file, ascending."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    @property
    def are_verified(self) -> bool:
        """Whether all of them were verified."""
        return self.verified == self._count

    def verified_until(self, end: int) -> int:
        """Return the offset before which every record of a file that was read up to `end` is verified and intact."""
        return min(self.damaged, default=end if self.are_verified else int(self.offsets[self.verified]))

    def verify(self, read: ReadAt, budget: int) -> None:
        """Verify the next records, up to about `budget` bytes of payload.

        Raises:
            OSError: the file cannot be read.
        """
        offsets = self.offsets
        while self.verified < self._count and budget > 0:
            record = int(offsets[self.verified])
            length = payload_bytes(read, record)
            if length is None or not payload_is_sound(read, record, length):
                self.damaged.add(record)
            budget -= length or 0
            self.verified += 1
