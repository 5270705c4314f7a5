"""A graph in numbers: how many nodes of each kind and operation it has, and how many elements its parameters hold."""

from collections import Counter
from typing import NamedTuple

from toposcope.server.graphs.graph import Graph, Kind

_MOST_ELEMENTS = 2**48
"""Of one parameter: no machine holds more, only a malformed file does."""


class Counts(NamedTuple):
    """How many of what."""

    kinds: dict[str, int]
    """Nodes by kind: "operator", "parameter", "constant", "input", "output"."""
    operations: dict[str, int]
    """Operators by what they compute, the most frequent first."""
    elements: int
    """Of the parameters whose shape is known."""
    unknown_shapes: int
    """Parameters whose shape is not."""


def count(graph: Graph) -> Counts:
    """Return a graph in numbers."""
    kinds = Counter(kind.name.lower() for kind in graph.kinds)
    operations = Counter(op for op, kind in zip(graph.ops, graph.kinds, strict=True) if kind == Kind.OPERATOR)
    sizes = [_elements(graph, node) for node, kind in enumerate(graph.kinds) if kind == Kind.PARAMETER]
    known = [size for size in sizes if size is not None]
    return Counts(
        {kind.name.lower(): kinds[kind.name.lower()] for kind in Kind if kinds[kind.name.lower()]},
        dict(sorted(operations.items(), key=lambda item: (-item[1], item[0]))),
        sum(known),
        len(sizes) - len(known),
    )


def _elements(graph: Graph, node: int) -> int | None:
    """Return how many elements a node puts out; None when a size is not known."""
    shapes = [output.shape for output in graph.outputs[node]]
    if not shapes or any(shape is None or min(shape, default=0) < 0 for shape in shapes):
        return None
    elements = 0
    for shape in shapes:
        size = 1
        for length in shape or ():
            size *= length
        elements += size
    return elements if elements <= _MOST_ELEMENTS else None
