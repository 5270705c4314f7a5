"""Tables of other tools as JSON lines."""

import json

from toposcope.server.formats.event_writer import LONGEST_TEXT
from toposcope.server.formats.files.media_files import table_lines


def test_a_table_has_the_first_rows_that_fit_in_a_text() -> None:
    lines = table_lines(["text"], [["x" * (LONGEST_TEXT // 3)]] * 4)

    assert len(lines) <= LONGEST_TEXT
    assert [len(json.loads(line)["text"]) for line in lines.split("\n")] == [LONGEST_TEXT // 3] * 2


def test_columns_of_one_name_are_distinct() -> None:
    assert json.loads(table_lines(["a", "a"], [[1, 2]])) == {"a": 1, "a (2)": 2}
