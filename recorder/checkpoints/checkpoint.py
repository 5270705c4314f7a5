"""Checkpoint: what a file keeps of a training."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Appended = int | float | bool | str


class Checkpoint(NamedTuple):
    """The state of a network at one step of its training."""

    network: dict[str, Any]
    """Tensors of the network's framework, or arrays, by the names of its parameters and buffers."""
    optimizer: dict[str, Any] | None
    """What the optimizer remembers, as its framework tells it; None when it was not saved."""
    appended: dict[str, Appended]
    """What the user has added, and epoch_num and step_num when asked for."""


def library_of(checkpoint: Checkpoint) -> str | None:
    """Return "torch" or "mindspore", whose tensors a checkpoint holds; None when it holds none of theirs."""
    for leaf in leaves_of([checkpoint.network, checkpoint.optimizer]):
        packages = {kind.__module__.split(".")[0] for kind in type(leaf).__mro__}
        if found := packages & {"torch", "mindspore"}:
            return found.pop()
    return None


def leaves_of(tree: Any) -> Iterator[Any]:
    """Return what is neither mapping, list nor tuple in a tree of them."""
    if isinstance(tree, Mapping | list | tuple):
        branches: Iterable[Any] = tree.values() if isinstance(tree, Mapping) else tree
        for branch in branches:
            yield from leaves_of(branch)
    else:
        yield tree


def map_leaves(tree: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tree of dicts, lists and tuples with its leaves changed."""
    if isinstance(tree, Mapping):
        return {key: map_leaves(branch, change) for key, branch in tree.items()}
    if isinstance(tree, list | tuple):
        branches = [map_leaves(branch, change) for branch in tree]
        return branches if isinstance(tree, list) else tuple(branches)
    return change(tree)
