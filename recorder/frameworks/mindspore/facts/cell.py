"""MindSpore cells: their graphs, and the parts that mindspore.Model wraps into the cell that it trains."""

from collections.abc import Callable, Iterator
from typing import Any

from toposcope.recorder.adapters import is_cell


def graph_of(cell: Any) -> bytes | None:
    """Return the serialized ModelProto of a Cell; None if it is not compiled, as before its first run."""
    graph: bytes | None = cell.get_func_graph_proto()
    return graph


def backbone_of(cell: Any) -> Any:
    """Return the user's network without the cells that add a loss, an optimizer or loss scaling."""
    while (wrapped := _wrapped_in(cell)) is not None:
        cell = wrapped
    return cell


def optimizer_in(cell: Any) -> Any:
    """Return the first optimizer among the cells of a network; None if there is none."""
    return _first(cell, is_optimizer)


def loss_in(cell: Any) -> Any:
    """Return the first loss function among the cells of a network; None if there is none."""
    return _first(cell, is_loss)


def is_optimizer(thing: object) -> bool:
    """Return whether an object is an optimizer: a Cell with parameters and learning rates."""
    has_rate = hasattr(thing, "learning_rate") or hasattr(thing, "param_groups")
    return is_cell(thing) and has_rate and hasattr(thing, "parameters")


def is_loss(thing: object) -> bool:
    """Return whether an object is a mindspore.nn.LossBase."""
    return any(kind.__name__ == "LossBase" for kind in type(thing).__mro__)


def _first(cell: Any, is_match: Callable[[object], bool]) -> Any:
    return next((inner for inner in _cells(cell) if is_match(inner)), None)


def _cells(cell: Any) -> Iterator[Any]:
    return (inner for _, inner in cell.cells_and_names()) if is_cell(cell) else iter(())


def _wrapped_in(cell: Any) -> Any:
    """Return the network inside a wrapper, which is a cell of MindSpore or has an optimizer; None for other cells."""
    parts = cell.name_cells()
    is_wrapper = type(cell).__module__.startswith("mindspore.") or any(map(is_optimizer, parts.values()))
    return parts.get("network", parts.get("_backbone", parts.get("_network"))) if is_wrapper else None
