"""Counts of a graph: nodes by kind and operation, and elements of its parameters."""

from collections import Counter
from typing import NamedTuple

from toposcope.server.graphs.model.graph import Graph, Kind

_MAX_ELEMENTS = 2**48
"""Limit on the elements of a parameter; only malformed files exceed it."""


class Counts(NamedTuple):
    """The counts of a graph."""

    kinds: dict[str, int]
    """Nodes by kind: "operator", "parameter", "constant", "input", "output"."""
    operations: dict[str, int]
    """Operators by operation, most frequent first."""
    elements: int
    """Total elements of the parameters with a known shape."""
    unknown_shapes: int
    """Number of parameters with an unknown shape."""


def count(graph: Graph) -> Counts:
    """Count the nodes and parameters of a graph."""
    kinds = Counter(kind.name.lower() for kind in graph.kinds)
    operations = Counter(op for op, kind in zip(graph.ops, graph.kinds, strict=True) if kind == Kind.OPERATOR)
    sizes = [_elements(graph, node) for node, kind in enumerate(graph.kinds) if kind == Kind.PARAMETER]
    known_sizes = [size for size in sizes if size is not None]
    return Counts(
        {kind.name.lower(): kinds[kind.name.lower()] for kind in Kind if kinds[kind.name.lower()]},
        dict(sorted(operations.items(), key=lambda item: (-item[1], item[0]))),
        sum(known_sizes),
        len(sizes) - len(known_sizes),
    )


def _elements(graph: Graph, node: int) -> int | None:
    """Return the number of elements of the outputs of a node; None if a shape is unknown."""
    shapes = [output.shape for output in graph.outputs[node]]
    if not shapes or any(shape is None or min(shape, default=0) < 0 for shape in shapes):
        return None
    elements = 0
    for shape in shapes:
        size = 1
        for length in shape or ():
            size *= length
        elements += size
    return elements if elements <= _MAX_ELEMENTS else None
