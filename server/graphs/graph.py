"""A graph as plain columns, whatever wrote it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.graphs.attributes import Attributes, Room
from toposcope.server.graphs.tree import Int32s, Tree

Int64s = npt.NDArray[np.int64]
ReadAttributes = Callable[[int, Room], Attributes]


class Kind(IntEnum):
    """What a node is."""

    OPERATOR = 0
    PARAMETER = 1
    """What training changes, or, in MindSpore's graphs, whatever the graph is fed with."""
    CONSTANT = 2
    INPUT = 3
    OUTPUT = 4


class Output(NamedTuple):
    """What a node puts out."""

    dtype: str | None
    """Of its elements, in lower case; "tuple" for several values; None: unknown."""
    shape: tuple[int, ...] | None
    """-1 where a size is unknown; None: unknown, or no tensor."""


class Edges(NamedTuple):
    """All inputs of all nodes, node after node; arrays of equal length but for those that say how many."""

    source: Int32s
    """The node read; -1 where there is no node of that name."""
    target: Int32s
    """The node that reads; ascending."""
    output: Int32s
    """Which output of the source; -1: all together."""
    control: npt.NDArray[np.bool_]
    """Whether only the order matters, not a value."""
    type: Int32s
    """What flows: an index into Graph.types; -1: unknown."""
    input_ends: Int64s
    """The inputs of node i are those from input_ends[i] to input_ends[i + 1]; one more than there are nodes."""
    by_source: Int64s
    """Indices of the edges ordered by source."""
    output_ends: Int64s
    """The edges from node i are those in by_source from output_ends[i] to output_ends[i + 1]."""


@dataclass(frozen=True)
class Graph:
    """A graph; nodes are numbered in the order of the file."""

    source: str
    """What it is of: "mindspore", "tensorflow", "torch", "keras", or "toposcope" when our recorder wrote it."""
    name: str
    tree: Tree
    """The scopes, and which node stands where."""
    ops: list[str]
    kinds: list[Kind]
    ids: list[str]
    """How the file calls each node: what its inputs refer to."""
    outputs: list[tuple[Output, ...]]
    """What each node puts out; equal ones are one object."""
    types: list[Output]
    edges: Edges
    missing: dict[int, str]
    """Edge without a source to what it asks for."""
    results: frozenset[int]
    """Nodes that the graph returns."""
    left_out: list[str]
    """What of the file is not in the graph: one sentence each."""
    repeats: list[str | None]
    """Entry of the tree to what it shares with the other scopes built like it; None when there is no other."""
    read_attributes: ReadAttributes
    """Read the attributes of a node, as far as there is room for them."""
    size: int
    """Bytes of memory, about."""

    @property
    def is_module_tree(self) -> bool:
        """Say whether it tells which module holds which, but not what flows between them."""
        return len(self.tree.parent) > 1 and not bool((self.edges.source[~self.edges.control] >= 0).any())
