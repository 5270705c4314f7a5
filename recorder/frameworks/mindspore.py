"""MindSpore: the graph of a network, and the values of the summary operators in it."""

import re
import sys
from typing import Any, NamedTuple

_NAME = re.compile(r"(?P<tag>.+)\[:(?P<plugin>Scalar|Tensor|Histogram|Image)\]", re.DOTALL)


class OperatorValue(NamedTuple):
    """What a summary operator saw when its network ran."""

    plugin: str
    tag: str
    value: object


def is_imported() -> bool:
    """Say whether this process uses MindSpore."""
    return "mindspore.train.summary.summary_record" in sys.modules


def is_cell(network: object) -> bool:
    """Say whether network is a mindspore.nn.Cell."""
    return hasattr(network, "get_func_graph_proto")


def graph_of(cell: Any) -> bytes | None:
    """Return the serialized ModelProto of a Cell; None when it was not compiled, as before its first run."""
    graph: bytes | None = cell.get_func_graph_proto()
    return graph


def take_operator_values() -> list[OperatorValue]:
    """Take what the summary operators of all networks have left since the last call; oldest first.

    MindSpore 2.10 keeps them in two places: operators called one by one (PyNative mode) append to a list, compiled
    graphs call back and fill a dict.
    """
    # A compiled function may still run: its values come when it has ended.
    sys.modules["mindspore.graph.api"]._pynative_executor.sync()
    operators: Any = sys.modules["mindspore.ops.operations.debug_ops"]
    called, operators.SUMMARY_TENSOR_CACHE = operators.SUMMARY_TENSOR_CACHE, []
    named = [(f"{tag}[:{operator.removesuffix('Summary')}]", value) for operator, tag, value in called]
    named += sys.modules["mindspore.train.summary.summary_record"]._get_summary_tensor_data().items()
    matches = [(_NAME.fullmatch(name), value) for name, value in named]
    return [OperatorValue(match["plugin"].lower(), match["tag"], value) for match, value in matches if match]
