"""Names of the arrays in nested containers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.pytorch import torch

from toposcope.recorder.frameworks.plain.framework import FRAMEWORK
from toposcope.recorder.frameworks.plain.named_arrays import named_arrays

W = np.ones(2)
trees = st.recursive(
    st.sampled_from([W, None, "text", 3]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


class Layer(NamedTuple):
    """A layer in a named tuple."""

    w: Any
    b: Any


@dataclass
class Network:
    """A network in a dataclass."""

    layers: list[Any]
    head: Any
    name: str = "network"


def test_names_are_the_keys_of_the_path() -> None:
    """Dataclasses and named tuples have the names of their fields, lists and tuples numbers."""
    network = Network([Layer(W, None), {"w": W}], (W, [W]))
    assert list(named_arrays(network)) == ["layers/0/w", "layers/1/w", "head/0", "head/1/0"]


def test_tensors_of_any_framework_are_arrays() -> None:
    """Pairs of a name and a tensor are a mapping."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 1))
    assert list(named_arrays(model.named_parameters())) == ["0.weight", "0.bias"]
    assert list(named_arrays(model.parameters())) == ["0", "1"]
    assert list(named_arrays(W)) == ["parameters"]


def test_a_container_that_contains_itself_has_an_end() -> None:
    """Names are finite."""
    loop: dict[str, Any] = {"w": W}
    loop["again"] = loop
    assert 1 < len(named_arrays(loop)) < 100


def _places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of the arrays in nested lists and dicts, the slow way."""
    if tree is W:
        return [path]
    items = tree.items() if isinstance(tree, Mapping) else enumerate(tree) if isinstance(tree, list) else ()
    return [place for key, item in items for place in _places(item, (*path, key))]


@given(trees)
def test_every_array_is_named_once(tree: Any) -> None:
    """The keys lead to the array."""
    expected = {"/".join(map(str, path)) or "parameters" for path in _places(tree)}
    assert named_arrays(tree).keys() == expected


def test_a_flat_mapping_of_parameters_is_kept() -> None:
    """Numbers and lists of numbers are arrays as well."""

    class Line:
        """A network without a framework."""

        def parameters(self) -> dict[str, Any]:
            """Return the parameters."""
            return {"w": [1.0, 2.0], "b": 0.5, "inner": {"w": W}}

    assert FRAMEWORK.parameters(Line(), None) == {"w": [1.0, 2.0], "b": 0.5, "inner/w": W}
