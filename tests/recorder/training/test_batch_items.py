"""Items of a batch by index, name, attribute and function."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from toposcope.recorder.training.data.batch_items import item_of, with_item
from toposcope.recorder.training.state.state import State


class Pair(NamedTuple):
    """A batch with names."""

    inputs: int
    label: int


def set_second(batch: Any, value: Any) -> Any:
    batch[1]["c"] = value
    return batch


@pytest.mark.parametrize(
    ("batch", "key", "value", "changed"),
    [
        ([1, 2], 1, 9, [1, 9]),
        ((1, 2), 0, 9, (9, 2)),
        ({"a": 1, "b": 2}, "b", 9, {"a": 1, "b": 9}),
        (Pair(1, 2), "label", 9, Pair(1, 9)),
        (Pair(1, 2), 0, 9, Pair(9, 2)),
        (SimpleNamespace(a=1), "a", 9, SimpleNamespace(a=9)),
        ([1, 2, 3], (0, 2), (8, 9), [8, 2, 9]),
        ({"a": 1, "b": 2}, ["a", "b"], (8, 9), {"a": 8, "b": 9}),
        ((1, {"c": 2}), (lambda batch: batch[1]["c"], set_second), 9, (1, {"c": 9})),
    ],
)
def test_an_item_is_replaced_and_found_again(batch: Any, key: Any, value: Any, changed: Any) -> None:
    state = State()
    state.batch = batch
    state.batch_set_item(key, value)
    assert state.batch == changed
    assert state.batch_get_item(key) == value


def test_arrays_have_items_with_several_indices() -> None:
    batch = np.zeros((2, 3))
    assert with_item(batch, (1, 2), 5.0) is batch
    assert item_of(batch, (1, 2)) == 5.0


def test_a_function_is_its_own_key() -> None:
    assert item_of((1, {"c": 5}), lambda batch: batch[1]["c"]) == 5
    assert with_item((1, {"c": 5}), set_second, 6) == (1, {"c": 6})


@pytest.mark.parametrize(
    ("batch", "key", "error"),
    [
        ({"a": 1}, "b", KeyError),
        ([1], 1, IndexError),
        ((1,), 1, IndexError),
        (SimpleNamespace(a=1), "b", AttributeError),
    ],
)
def test_an_item_that_the_batch_does_not_have_is_an_error(batch: Any, key: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        item_of(batch, key)
    with pytest.raises(error):
        with_item(batch, key, 2)


def test_as_many_values_as_keys_are_set() -> None:
    with pytest.raises(ValueError, match="zip"):
        with_item([1, 2], (0, 1), (5,))
