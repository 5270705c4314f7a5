"""Tables that are logged as texts of JSON lines."""

import json
from typing import Any

import numpy as np
import pytest

from toposcope.recorder import Table
from toposcope.recorder.record.logged_values import logged_values
from toposcope.recorder.values.results.table import json_lines


def test_each_row_is_an_object_of_its_columns() -> None:
    rows: list[list[Any]] = [["2 + 2?", "four\n4", np.float32(0.5)], ["你好", None, float("nan")]]
    lines = json_lines(Table(["prompt", "completion", "reward"], rows))
    assert [json.loads(line) for line in lines] == [
        {"prompt": "2 + 2?", "completion": "four\n4", "reward": 0.5},
        {"prompt": "你好", "completion": None, "reward": "NaN"},
    ]


def test_what_has_no_form_in_json_may_become_text() -> None:
    assert list(json_lines(Table(["a"], [[[1j]]]), str)) == ['{"a": ["1j"]}']


def test_a_table_is_logged_as_a_text() -> None:
    assert list(logged_values({"samples": Table(["a"], [[1]])}).snapshots) == [("text", "samples")]


@pytest.mark.parametrize(
    ("columns", "rows", "error"),
    [
        (["a", "a"], [[1, 2]], ValueError),
        (["a"], [[1, 2]], ValueError),
        (["a"], [[object()]], TypeError),
        ([1], [[1]], TypeError),
    ],
)
def test_an_error_names_the_value_of_an_invalid_table(columns: Any, rows: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="'samples'"):
        logged_values({"samples": Table(columns, rows)})
