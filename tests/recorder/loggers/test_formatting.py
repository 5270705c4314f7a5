"""Logged values as text and as settings."""

import enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pytorch import torch

from toposcope.recorder.loggers.formatting import line, plain, settings
from toposcope.recorder.loggers.table import json_table, markdown_table


class Colour(enum.Enum):
    """An enumeration."""

    RED = "red"


class Plain:
    """A class without __str__()."""


class Broken:
    """A class whose __str__() raises."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (float("nan"), "nan"),
        (3, "3"),
        (True, "True"),
        (None, "None"),
        ("two\nlines", "two lines"),
        (np.float32(0.1), "0.1"),
        (np.array([1, 2]), "[1, 2]"),
        ({"rate": [0.1, float("inf")]}, '{"rate": [0.1, null]}'),
        (Colour.RED, "red"),
        (Path("data/digits"), "data/digits"),
        (Plain(), "Plain"),
        (Plain, "Plain"),
        (Broken(), "Broken"),
    ],
)
def test_any_value_is_formatted_as_one_line(value: object, text: str) -> None:
    """Numbers with six digits, tensors by their values, objects by their name."""
    assert line(value) == text


def test_tensors_are_formatted_by_their_values() -> None:
    """With and without a gradient."""
    assert line(torch.tensor(0.25, requires_grad=True)) == "0.25"
    assert line(torch.tensor([1, 2])) == "[1, 2]"


def test_large_array_is_abbreviated() -> None:
    """Ten thousand numbers are too long for a line."""
    assert len(line(np.arange(10_000))) < 200


def test_value_that_contains_itself_is_abbreviated() -> None:
    """The recursion ends."""
    endless: list[object] = []
    endless.append(endless)

    assert isinstance(plain(endless), str)


def test_nested_settings_are_flattened() -> None:
    """Dicts become paths, lists JSON, and values of other types text."""
    nested: dict[Any, Any] = {
        "optimizer": {"name": Colour, "lr": np.float64(0.1), "betas": (0.9, 0.999), "decay": None},
        "epochs": 10,
        "seed": 2**70,
        "deterministic": np.bool_(True),
        "empty": {},
        3: "three",
    }

    assert settings(nested) == {
        "optimizer/name": "Colour",
        "optimizer/lr": 0.1,
        "optimizer/betas": "[0.9, 0.999]",
        "optimizer/decay": "None",
        "epochs": 10,
        "seed": str(2**70),
        "deterministic": True,
        "empty": "{}",
        "3": "three",
    }


def test_table_as_json() -> None:
    """The orientation is "split" of pandas; non-finite numbers are null."""
    text = json_table(["prompt", "score"], [["a|b", np.float32(0.5)], ["c", float("nan")]])

    assert text == '{"columns": ["prompt", "score"], "data": [["a|b", 0.5], ["c", null]]}'


def test_table_as_markdown() -> None:
    """Bars and line breaks in cells are escaped."""
    text = markdown_table(["prompt", "score"], [["a|b\nc", 0.5]])

    assert text == "| prompt | score |\n| --- | --- |\n| a\\|b c | 0.5 |"
