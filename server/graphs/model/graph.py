"""A graph as plain columns, independent of its dialect."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.graphs.model.attributes import Attributes, Room
from toposcope.server.graphs.model.tree import Int32s, Tree

Int64s = npt.NDArray[np.int64]
ReadAttributes = Callable[[int, Room], Attributes]


class Kind(IntEnum):
    """The kind of a node."""

    OPERATOR = 0
    PARAMETER = 1
    """A trainable parameter, or, in graphs of MindSpore, any input of the graph."""
    CONSTANT = 2
    INPUT = 3
    OUTPUT = 4


class Output(NamedTuple):
    """The type of an output of a node."""

    dtype: str | None
    """Data type of the elements, in lower case; "tuple" for several values; None if unknown."""
    shape: tuple[int, ...] | None
    """-1 for unknown dimensions; None if the shape is unknown, or the output is not a tensor."""


class Edges(NamedTuple):
    """The inputs of all nodes, node by node; arrays have one element per edge unless stated otherwise."""

    source: Int32s
    """The node that is read; -1 if there is no such node."""
    target: Int32s
    """The node that reads, in ascending order."""
    output: Int32s
    """Index of the output of the source; -1 for all outputs together."""
    control: npt.NDArray[np.bool_]
    """Whether the edge is a control dependency, without a value."""
    type: Int32s
    """Type of the value: an index into Graph.types; -1 if unknown."""
    input_ends: Int64s
    """The inputs of node i are the edges input_ends[i] to input_ends[i + 1]; has one element more than nodes."""
    by_source: Int64s
    """Indices of the edges, ordered by source."""
    output_ends: Int64s
    """The edges from node i are by_source[output_ends[i]:output_ends[i + 1]]."""


@dataclass(frozen=True)
class Graph:
    """A graph; nodes are numbered in file order."""

    source: str
    """The framework: "mindspore", "tensorflow", "torch" or "keras"; "toposcope" if Toposcope recorded the graph."""
    name: str
    tree: Tree
    """The hierarchy of scopes and nodes."""
    ops: list[str]
    kinds: list[Kind]
    ids: list[str]
    """Name of each node in the file, which inputs refer to."""
    outputs: list[tuple[Output, ...]]
    """Outputs of each node; equal ones are the same object."""
    types: list[Output]
    edges: Edges
    missing: dict[int, str]
    """Name of the missing source, by edge."""
    results: frozenset[int]
    """The nodes that the graph returns."""
    left_out: list[str]
    """Parts of the file that are not in the graph, one sentence each."""
    repeats: list[str | None]
    """A key shared by scopes with the same structure, by entry of the tree; None for unique scopes."""
    read_attributes: ReadAttributes
    """Function that reads the attributes of a node, within limits."""
    size: int
    """Approximate memory in bytes."""

    @property
    def is_module_tree(self) -> bool:
        """Whether the graph has the hierarchy of modules, but no edges with values between them."""
        return len(self.tree.parent) > 1 and not bool((self.edges.source[~self.edges.control] >= 0).any())
