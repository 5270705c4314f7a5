"""Checkpoint: the state of a training that is saved to a file."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Appended = int | float | bool | str


class Checkpoint(NamedTuple):
    """The state of a network, and optionally of its optimizer, at one step of a training."""

    network: dict[str, Any]
    """Tensors of the network's framework, or arrays, by the names of its parameters and buffers."""
    optimizer: dict[str, Any] | None
    """The state of the optimizer, in the form of its framework; None if it was not saved."""
    appended: dict[str, Appended]
    """Values that the user has added; epoch_num and step_num if they were requested."""
    step: int | None = None
    """The number of steps that the training had made; None: unknown."""


def library_of(checkpoint: Checkpoint) -> str | None:
    """Return the framework whose tensors a checkpoint contains: "torch", "mindspore", or None for neither."""
    for leaf in leaves_of([checkpoint.network, checkpoint.optimizer]):
        packages = {kind.__module__.split(".")[0] for kind in type(leaf).__mro__}
        if libraries := packages & {"torch", "mindspore"}:
            return libraries.pop()
    return None


def leaves_of(tree: Any) -> Iterator[Any]:
    """Yield the leaves of a tree of mappings, lists and tuples."""
    if isinstance(tree, Mapping | list | tuple):
        branches: Iterable[Any] = tree.values() if isinstance(tree, Mapping) else tree
        for branch in branches:
            yield from leaves_of(branch)
    else:
        yield tree


def map_leaves(tree: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tree of mappings, lists and tuples with change() applied to its leaves."""
    if isinstance(tree, Mapping):
        return {key: map_leaves(branch, change) for key, branch in tree.items()}
    if isinstance(tree, list | tuple):
        branches = [map_leaves(branch, change) for branch in tree]
        return branches if isinstance(tree, list) else tuple(branches)
    return change(tree)
