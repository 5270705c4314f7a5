"""Table: rows of named columns, recorded as a text of JSON lines."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from toposcope.distinct_names import distinct_names
from toposcope.recorder.values.results.table import Table as Rows
from toposcope.recorder.values.results.table import json_lines
from toposcope.recorder.values.wrapped import Text
from toposcope.recorder.wandb.media.audio import Audio
from toposcope.recorder.wandb.media.kept_objects import Molecule, Object3D
from toposcope.recorder.wandb.media.media import Histogram, Html, Image
from toposcope.recorder.wandb.media.media_files import NewFile
from toposcope.recorder.wandb.media.video import Video
from toposcope.recorder.wandb.reports import guarded, guarded_media, report_ignored

_MAX_CHARACTERS, _MAX_MEDIA = 16 << 20, 64
_MEDIA = (Image, Histogram, Html, Video, Audio, Object3D, Molecule)
_DEFAULT_COLUMNS = ("Input", "Output", "Expected")


@guarded_media
class Table:
    """A table that grows by add_data()."""

    def __init__(
        self,
        columns: Sequence[Any] | None = None,
        data: Any = None,
        rows: Sequence[Sequence[Any]] | None = None,
        dataframe: Any = None,
        dtype: Any = None,
        optional: Any = True,
        allow_mixed_types: bool = False,
        log_mode: str | None = "IMMUTABLE",
        **ignored: Any,
    ) -> None:
        """Take rows, or a DataFrame of pandas as data or dataframe.

        dtype, optional, allow_mixed_types and log_mode have no effect: a column may contain values of any type, and
        each log() records the table as it is.
        """
        report_ignored("Table", ignored)
        frame = dataframe if dataframe is not None else data if hasattr(data, "columns") else None
        if frame is not None:
            columns, content = list(frame.columns), frame.values.tolist()
        else:
            content = data if data is not None else rows if rows is not None else []
            content = content.tolist() if hasattr(content, "tolist") else content
        self.columns: list[Any] = list(_DEFAULT_COLUMNS if columns is None else columns)
        self.data: list[list[Any]] = []
        for row in content:
            self.add_data(*row)

    @guarded
    def add_data(self, *row: Any) -> None:
        """Add a row with a value for each column.

        Raises:
            ValueError: in strict mode, the number of values is another one; otherwise that is logged.
        """
        if len(row) != len(self.columns):
            raise ValueError(f"A row of this table has {len(self.columns)} values ({self.columns}), not {len(row)}.")
        self.data.append(list(row))

    def add_row(self, *row: Any) -> None:
        """Add a row, see add_data()."""
        self.add_data(*row)

    @guarded
    def add_column(self, name: str, data: Any, optional: bool = False) -> None:
        """Add a column with a value for each row.

        Raises:
            ValueError: in strict mode, the number of values is another one; otherwise that is logged.
        """
        values = list(data)
        if self.columns and self.data and len(values) != len(self.data):
            raise ValueError(f"A column of this table has {len(self.data)} values, not {len(values)}.")
        if not self.data:
            self.data = [[] for _ in values]
        for row, value in zip(self.data, values, strict=True):
            row.append(value)
        self.columns.append(name)

    def get_column(self, name: str, convert_to: str | None = None) -> Any:
        """Return the values of a column as a list, or as an array with convert_to="numpy"."""
        position = self.columns.index(name)
        values = [row[position] for row in self.data]
        return np.array(values) if convert_to == "numpy" else values

    def get_index(self) -> list[int]:
        """Return the numbers of the rows."""
        return list(range(len(self.data)))

    def get_dataframe(self) -> Any:
        """Return a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self.data, columns=self.columns)

    def iterrows(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield the number and the values of each row."""
        yield from enumerate(self.data)

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return the rows as a text of JSON lines, and the media in cells by column and row."""
        items: dict[str, Any] = {"": Text(self._lines())}
        for column, row_number, value in self._media():
            for end, item in value.items(new_file).items():
                items[f"/{column}/{row_number}{end}"] = item
        return items

    def _lines(self) -> str:
        lines: list[str] = []
        room = _MAX_CHARACTERS
        cells = ([_cell(value) for value in row] for row in self.data)
        for line in json_lines(Rows(distinct_names(self.columns), cells), str):
            lines.append(line)
            room -= len(line) + 1
            if room < 0:
                reason = f"of its {len(self.data)} rows the first {len(lines)} are recorded."
                report_ignored("Table", {"data": True}, {"data": reason})
                break
        return "\n".join(lines)

    def _media(self) -> list[tuple[str, int, Any]]:
        found = [
            (str(self.columns[position]), number, value)
            for number, row in enumerate(self.data)
            for position, value in enumerate(row)
            if isinstance(value, _MEDIA)
        ]
        if len(found) > _MAX_MEDIA:
            reason = f"of {len(found)} media in its cells the first {_MAX_MEDIA} are recorded."
            report_ignored("Table", {"data": True}, {"data": reason})
        return found[:_MAX_MEDIA]


def _cell(value: Any) -> Any:
    """Return the value of a cell: of media their type."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().tolist()
    return f"<{type(value).__name__}>" if isinstance(value, _MEDIA) else value
