"""The heavy records of one event file: hopped over when they load, verified later."""

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.record import ReadAt, payload_bytes, payload_is_sound


class LargeRecords:
    """Where in the file they begin, how far they are verified, and which of them are damaged. Not safe for threads."""

    def __init__(self) -> None:
        self.verified = 0
        """How many of them were verified, in the order of the file."""
        self.damaged: set[int] = set()
        """Where those begin that were found to be damaged."""
        self._parts = [np.empty(0, np.int64)]
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, offsets: npt.NDArray[np.int64]) -> None:
        """Add records that stand behind the others in the file."""
        if len(offsets):
            self._parts.append(offsets)
            self._count += len(offsets)

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where they begin, in the order of the file."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    @property
    def are_verified(self) -> bool:
        """Say whether none is left to verify."""
        return self.verified == self._count

    def verified_until(self, end: int) -> int:
        """Return before which place of a file, read until `end`, every record is verified and sound."""
        return min(self.damaged, default=end if self.are_verified else int(self.offsets[self.verified]))

    def verify(self, read: ReadAt, budget: int) -> None:
        """Verify the next ones, up to about `budget` bytes of payload.

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
