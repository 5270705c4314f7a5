"""Nested settings as plain values by name."""

import enum
from pathlib import Path

import numpy as np

from toposcope.recorder.messages.lineage import custom_lineage
from toposcope.recorder.messages.settings import plain_settings


class Kind(enum.Enum):
    """An enumeration."""

    FAST = "fast"


class Unprintable:
    """An object without a text."""

    def __repr__(self) -> str:
        raise ValueError("no text")


def test_names_of_nested_settings_are_joined() -> None:
    """Numbers, texts and bools stay as they are."""
    settings = {"lr": 0.1, "steps": 3, "name": "first", "model": {"deep": {"layers": 2}, "bias": False}}

    assert plain_settings(settings, "training") == {
        "training/lr": 0.1,
        "training/steps": 3,
        "training/name": "first",
        "training/model/deep/layers": 2,
        "training/model/bias": False,
    }


def test_other_values_become_texts() -> None:
    """Enumerations become their values, lists JSON; nothing remains of None and of what is empty."""
    settings = {
        "kind": Kind.FAST,
        "sizes": [1, 2, (3, Kind)],
        "path": Path("data/train"),
        "object": Unprintable(),
        "large": 2**70,
        "none": None,
        "empty": [],
        "nothing": {},
        "modules": {"value", "query"},
        "labels": {0: "cat", 1: "dog"},
    }

    assert plain_settings(settings) == {
        "kind": "fast",
        "sizes": "[1, 2, [3, \"<enum 'Kind'>\"]]",
        "path": "data/train",
        "object": "<Unprintable>",
        "large": str(2**70),
        "modules": '["query", "value"]',
        "labels": '{"0": "cat", "1": "dog"}',
    }
    assert custom_lineage(plain_settings(settings)).user_info


def test_numbers_of_libraries_are_numbers() -> None:
    """An int stays an int, a bool a bool; an array is a list."""
    settings = {
        "float32": np.float32(0.5),
        "int64": np.int64(2**62 + 1),
        "bool": np.bool_(True),
        "array": np.array([1, 2]),
        "one": np.array([3]),
        "list": [np.float32(0.5)],
        "large": np.zeros(1_000_000),
    }
    plain = plain_settings(settings)

    large = plain.pop("large")
    assert isinstance(large, str)
    assert len(large) < 100
    assert [(type(value), value) for value in plain.values()] == [
        (float, 0.5),
        (int, 2**62 + 1),
        (bool, True),
        (str, "[1, 2]"),
        (int, 3),
        (str, "[0.5]"),
    ]


def test_secrets_are_left_out() -> None:
    """By their names, and by their forms inside texts."""
    secret = "hf_" + "a1B2" * 9
    settings = {"hub_token": "abc", "nested": {"api_key": "abc", "eos_token_id": 3}, "command": f"login {secret}"}

    assert plain_settings(settings) == {"nested/eos_token_id": 3, "command": "login ***"}


def test_large_settings_stay_small() -> None:
    """The labels of a classifier are one text, which is cut; a mapping that contains itself ends somewhere."""
    endless: dict[str, object] = {"rate": 1}
    endless["self"] = endless
    plain = plain_settings({"labels": {f"label {i}": i for i in range(1000)}, "endless": endless})

    assert len(str(plain["labels"])) == 1000
    assert len(plain) < 20
    assert all(len(str(value)) <= 1000 for value in plain.values())
