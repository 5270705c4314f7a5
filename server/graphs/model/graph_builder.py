"""The graph builder: nodes are added one by one, with the names of the file, and converted to columns."""

from array import array
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from toposcope.server.graphs.model.graph import Edges, Graph, Kind, Output, ReadAttributes
from toposcope.server.graphs.model.limits import (
    LONGEST_PATH,
    MAX_EDGES,
    MAX_NAME_CHARACTERS,
    MAX_NODES,
    shortened,
    within,
)
from toposcope.server.graphs.model.repeated_scopes import find_repeats
from toposcope.server.graphs.model.tree import Int32s, Tree, build_tree

ALL_OUTPUTS = -1
"""Output number of an input that reads all outputs of a node."""
_TUPLE = Output("tuple", None)
_LONGEST_OP = 200
_NODE_BYTES = 600
_EDGE_BYTES = 40


class Input(NamedTuple):
    """An input of a node."""

    key: str
    """Key of the node that is read, which may be added later or never."""
    output: int = ALL_OUTPUTS
    control: bool = False


class GraphBuilder:
    """Collects nodes, then builds a graph."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        """The kind of each node so far."""
        self._paths: list[str] = []
        self._characters = 0
        self._ids: list[str] = []
        self._ops: list[str] = []
        self._outputs: list[tuple[Output, ...]] = []
        self._interned_ops: dict[str, str] = {}
        self._interned_outputs: dict[tuple[Output, ...], tuple[Output, ...]] = {}
        # Inputs may refer to nodes that are added later, so keys are numbered and resolved at the end.
        self._numbers: dict[str, int] = {}
        self._node_of = array("i")
        self._sources = array("i")
        self._read_outputs = array("i")
        self._controls = array("b")
        self._input_ends = array("q", [0])

    def __contains__(self, key: str) -> bool:
        number = self._numbers.get(key)
        return number is not None and self._node_of[number] >= 0

    def add(
        self,
        key: str,
        node_id: str,
        path: str,
        op: str,
        kind: Kind,
        outputs: tuple[Output, ...] = (),
        inputs: Iterable[Input] = (),
    ) -> None:
        """Add a node.

        Args:
            key: key that inputs refer to; of several nodes with the same key, they refer to the first.
            node_id: name of the node in the file.
            path: full name of the node, with scopes separated by "/".
            op: its operation.
            kind: its kind.
            outputs: its outputs, as far as they are known.
            inputs: its inputs, in order.

        Raises:
            GraphError: there are too many nodes or edges.
        """
        number = self._number(key)
        if self._node_of[number] < 0:
            self._node_of[number] = len(self._paths)
        op = shortened(op, _LONGEST_OP)
        self._ids.append(shortened(node_id, LONGEST_PATH))
        self._paths.append(path)
        self._ops.append(self._interned_ops.setdefault(op, op))
        self.kinds.append(kind)
        self._outputs.append(self._interned_outputs.setdefault(outputs, outputs))
        for source, output, control in inputs:
            self._sources.append(self._number(source))
            self._read_outputs.append(output)
            self._controls.append(control)
        self._input_ends.append(len(self._sources))
        self._characters += len(path)
        within(self._characters, MAX_NAME_CHARACTERS, "characters in the names of its nodes")
        within(len(self._paths), MAX_NODES, "nodes")
        within(len(self._sources), MAX_EDGES, "edges")

    def _number(self, key: str) -> int:
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self._node_of):
            self._node_of.append(-1)
        return number

    def build(
        self,
        source: str,
        name: str,
        read_attributes: ReadAttributes,
        results: Iterable[str] = (),
        left_out: Iterable[str] = (),
        size: int = 0,
    ) -> Graph:
        """Build the graph.

        Args:
            source: see Graph.
            name: name of the graph.
            read_attributes: see Graph.
            results: keys of the nodes that the graph returns.
            left_out: see Graph.
            size: bytes retained by read_attributes.

        Raises:
            GraphError: there are too many scopes, or the names are too long.
        """
        tree = build_tree(self._paths)
        node_of = np.array(self._node_of, np.int32)
        numbers = np.array(self._sources, np.int64)
        sources = node_of[numbers] if len(numbers) else np.empty(0, np.int32)
        keys = list(self._numbers)
        types: dict[Output, int] = {}
        edges = self._edges(sources, types)
        returned = (self._node_of[self._numbers[each]] for each in results if each in self)
        return Graph(
            source=source,
            name=shortened(name, LONGEST_PATH),
            tree=tree,
            ops=self._ops,
            kinds=self.kinds,
            ids=self._ids,
            outputs=self._outputs,
            types=list(types),
            edges=edges,
            missing={
                edge: shortened(keys[numbers[edge]], LONGEST_PATH) for edge in np.flatnonzero(sources < 0).tolist()
            },
            results=frozenset(returned),
            left_out=list(left_out),
            repeats=find_repeats(tree, edges, self._signatures(tree)),
            read_attributes=read_attributes,
            size=size + _NODE_BYTES * len(tree.parent) + _EDGE_BYTES * len(numbers),
        )

    def _edges(self, sources: Int32s, types: dict[Output, int]) -> Edges:
        """Return the edges; their types are added to `types`, numbered in order."""
        count = len(self._paths)
        input_ends = np.array(self._input_ends, np.int64)
        by_source = np.argsort(sources, kind="stable")
        first = int(np.searchsorted(sources[by_source], 0))
        output_ends = first + np.concatenate([[0], np.cumsum(np.bincount(sources[sources >= 0], minlength=count))])
        read_outputs = np.array(self._read_outputs, np.int32)
        return Edges(
            source=sources,
            target=np.repeat(np.arange(count, dtype=np.int32), np.diff(input_ends)),
            output=read_outputs,
            control=np.array(self._controls, np.bool_),
            type=self._types(sources, read_outputs, types),
            input_ends=input_ends,
            by_source=by_source,
            output_ends=output_ends.astype(np.int64),
        )

    def _types(self, sources: Int32s, read_outputs: Int32s, types: dict[Output, int]) -> Int32s:
        """Return the number of the type on each edge."""
        pairs, edge_pairs = np.unique(sources.astype(np.int64) << 32 | read_outputs + 1, return_inverse=True)
        numbers = []
        for pair in pairs.tolist():
            output = self._output(pair >> 32, (pair & 0xFFFFFFFF) - 1)
            numbers.append(-1 if output is None else types.setdefault(output, len(types)))
        return np.array(numbers, np.int32)[edge_pairs]

    def _output(self, node: int, output: int) -> Output | None:
        outputs = self._outputs[node] if node >= 0 else ()
        if output == ALL_OUTPUTS and len(outputs) > 1:
            return _TUPLE
        index = max(output, 0)
        return outputs[index] if index < len(outputs) else None

    def _signatures(self, tree: Tree) -> list[tuple[str, Kind, tuple[Output, ...]] | None]:
        """Return the properties in which equal nodes agree, for each entry of the tree; None for scopes."""
        signatures = list(zip(self._ops, self.kinds, self._outputs, strict=True))
        return [signatures[node] if node >= 0 else None for node in tree.node.tolist()]
