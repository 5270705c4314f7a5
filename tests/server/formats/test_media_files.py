"""Tables of other tools as JSON lines."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from toposcope.proto.tensorboard_pb2 import Event
from toposcope.server.formats.event_writer import LONGEST_TEXT, EventWriter
from toposcope.server.formats.files.media_files import write_table


def written(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> dict[str, str]:
    """Write a table; return the texts by tag."""
    records: list[bytes] = []
    write_table(EventWriter(records.append, "wandb", is_new=False), 1, 2.0, "table", columns, rows)
    values = [value for record in records for value in Event.FromString(record[12:-4]).summary.value]
    return {value.tag: value.tensor.string_val[0].decode() for value in values}


def test_a_table_has_the_first_rows_that_fit_in_a_text() -> None:
    """A text below its tag says how many rows there are."""
    texts = written(["text"], [["x" * (LONGEST_TEXT // 3)]] * 4)

    assert len(texts["table"]) <= LONGEST_TEXT
    assert [len(json.loads(line)["text"]) for line in texts["table"].split("\n")] == [LONGEST_TEXT // 3] * 2
    assert texts["table/left_out"] == "2 of 4 rows are shown."


def test_columns_of_one_name_are_distinct() -> None:
    assert json.loads(written(["a", "a"], [[1, 2]])["table"]) == {"a": 1, "a (2)": 2}


def test_cells_without_a_column_are_kept() -> None:
    """A row may be shorter or longer than the columns."""
    lines = written(["a", "b"], [[1], [1, 2, 3]])["table"].split("\n")

    assert list(map(json.loads, lines)) == [{"a": 1}, {"a": 1, "b": 2, "column 3": 3}]


def test_a_million_columns_of_one_name_are_bounded() -> None:
    """Their names are not compared with each other."""
    texts = written(["a"] * 1_000_000, [[1] * 1_000_000])

    assert texts == {"table": "", "table/left_out": "0 of 1 rows are shown."}
