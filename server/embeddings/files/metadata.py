"""The metadata of an embedding: tab-separated rows, one for each vector, kept as bytes until a column is needed."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check
from toposcope.server.embeddings.files.folder import UnreadableError
from toposcope.server.places.place import OpenFile

LARGEST_FILE = 512 << 20
MAX_COLUMNS = 200
LONGEST_CELL = 1000
"""Characters; the rest of a text is cut off."""
_CHECK_ROWS = 1 << 14
_ONLY_COLUMN = "label"


class Metadata(NamedTuple):
    """Rows of texts. They are untrusted."""

    content: bytes
    starts: npt.NDArray[np.int64]
    """Where each row starts in the content; one more for the end of the last row."""
    columns: Sequence[str]
    """The names of the columns, at most MAX_COLUMNS."""
    left_out: int
    """The number of further columns."""

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    def row(self, number: int) -> list[str]:
        """Return the texts of a row, one for each column; "" where the row is shorter, or does not exist."""
        cells: list[str] = []
        if 0 <= number < self.row_count:
            cells = self._line(number).split("\t", len(self.columns))[: len(self.columns)]
        return [cell[:LONGEST_CELL] for cell in cells] + [""] * (len(self.columns) - len(cells))

    def column(self, number: int, rows: Iterable[int]) -> list[str]:
        """Return the texts of a column in some rows."""
        texts = []
        for at, row in enumerate(rows):
            if at % _CHECK_ROWS == 0:
                check()
            cells = self._line(row).split("\t", number + 1) if row < self.row_count else []
            texts.append(cells[number][:LONGEST_CELL] if number < len(cells) else "")
        return texts

    def find(self, text: str, most: int) -> tuple[list[int], int]:
        """Return (the first rows that contain a text, whatever its case; how many there are)."""
        wanted, found, total = text.casefold(), list[int](), 0
        for row in range(self.row_count):
            if row % _CHECK_ROWS == 0:
                check()
            if wanted in self._line(row).casefold():
                total += 1
                if len(found) < most:
                    found.append(row)
        return found, total

    def _line(self, row: int) -> str:
        line = self.content[self.starts[row] : self.starts[row + 1]]
        return line.decode("utf-8", "replace").rstrip("\r\n")


NO_METADATA = Metadata(b"", np.zeros(1, np.int64), (), 0)


def read_metadata(file: OpenFile, name: str) -> Metadata:
    """Return the metadata of a file: several columns have a header, a single one has none, as TensorBoard expects it.

    Raises:
        UnreadableError: the file is too large.
        OSError: it cannot be read at present.
    """
    if file.status.size > LARGEST_FILE:
        raise UnreadableError(f"{name!r} has {file.status.size} bytes: expected at most {LARGEST_FILE}")
    content = file.read(0, file.status.size)
    ends = np.flatnonzero(np.frombuffer(content, np.uint8) == ord("\n")) + 1
    starts = np.concatenate(([0], ends) if content.endswith(b"\n") or not content else ([0], ends, [len(content)]))
    header = content[: starts[1]] if len(starts) > 1 else b""
    if b"\t" not in header:
        return Metadata(content, starts.astype(np.int64), (_ONLY_COLUMN,), 0)
    names = header.rstrip(b"\r\n").split(b"\t", MAX_COLUMNS)
    kept = [cell.decode("utf-8", "replace")[:LONGEST_CELL] for cell in names[:MAX_COLUMNS]]
    return Metadata(content, starts[1:].astype(np.int64), kept, header.count(b"\t") + 1 - len(kept))
