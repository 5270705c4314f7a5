"""The draft of a graph: takes nodes one after the other, in the file's words, and makes columns of them."""

from array import array
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from toposcope.server.graphs.graph import Edges, Graph, Kind, Output, ReadAttributes
from toposcope.server.graphs.limits import LONGEST_PATH, MOST_EDGES, MOST_NAME_CHARACTERS, MOST_NODES, shortened, within
from toposcope.server.graphs.repeated_scopes import find_repeats
from toposcope.server.graphs.tree import Int32s, Tree, grow_tree

ALL_OUTPUTS = -1
"""As the output that an input reads."""
_TUPLE = Output("tuple", None)
_LONGEST_OP = 200
_NODE_BYTES = 600
_EDGE_BYTES = 40


class Input(NamedTuple):
    """What a node reads."""

    key: str
    """Of a node, which may come later or never."""
    output: int = ALL_OUTPUTS
    control: bool = False


class Draft:
    """Grows by a node at a time."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        """Of each node so far."""
        self._paths: list[str] = []
        self._characters = 0
        self._ids: list[str] = []
        self._ops: list[str] = []
        self._outputs: list[tuple[Output, ...]] = []
        self._known_texts: dict[str, str] = {}
        self._known_outputs: dict[tuple[Output, ...], tuple[Output, ...]] = {}
        # Inputs name nodes that may come later: keys are numbered, and resolved at the end.
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
            key: how inputs refer to it; of several nodes with the same, the first is meant.
            node_id: how the file calls it.
            path: its name; "/" separate scopes.
            op: what it computes.
            kind: what it is.
            outputs: what it puts out, as far as that is known.
            inputs: what it reads, in its order.

        Raises:
            GraphError: there are too many nodes or edges.
        """
        number = self._number(key)
        if self._node_of[number] < 0:
            self._node_of[number] = len(self._paths)
        op = shortened(op, _LONGEST_OP)
        self._ids.append(shortened(node_id, LONGEST_PATH))
        self._paths.append(path)
        self._ops.append(self._known_texts.setdefault(op, op))
        self.kinds.append(kind)
        self._outputs.append(self._known_outputs.setdefault(outputs, outputs))
        for source, output, control in inputs:
            self._sources.append(self._number(source))
            self._read_outputs.append(output)
            self._controls.append(control)
        self._input_ends.append(len(self._sources))
        self._characters += len(path)
        within(self._characters, MOST_NAME_CHARACTERS, "characters in the names of its nodes")
        within(len(self._paths), MOST_NODES, "nodes")
        within(len(self._sources), MOST_EDGES, "edges")

    def _number(self, key: str) -> int:
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self._node_of):
            self._node_of.append(-1)
        return number

    def finish(
        self,
        source: str,
        name: str,
        read_attributes: ReadAttributes,
        results: Iterable[str] = (),
        left_out: Iterable[str] = (),
        size: int = 0,
    ) -> Graph:
        """Return the graph.

        Args:
            source: what it is of, see Graph.
            name: of the graph.
            read_attributes: see Graph.
            results: keys of nodes that the graph returns.
            left_out: see Graph.
            size: bytes that read_attributes keeps.

        Raises:
            GraphError: there are too many scopes, or the names are too long.
        """
        tree = grow_tree(self._paths)
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
            repeats=find_repeats(tree, edges, self._looks(tree)),
            read_attributes=read_attributes,
            size=size + _NODE_BYTES * len(tree.parent) + _EDGE_BYTES * len(numbers),
        )

    def _edges(self, sources: Int32s, types: dict[Output, int]) -> Edges:
        """Return the edges; types met on them are entered, each with its number."""
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
            flows = self._flowing(pair >> 32, (pair & 0xFFFFFFFF) - 1)
            numbers.append(-1 if flows is None else types.setdefault(flows, len(types)))
        return np.array(numbers, np.int32)[edge_pairs]

    def _flowing(self, node: int, output: int) -> Output | None:
        outputs = self._outputs[node] if node >= 0 else ()
        if output == ALL_OUTPUTS and len(outputs) > 1:
            return _TUPLE
        place = max(output, 0)
        return outputs[place] if place < len(outputs) else None

    def _looks(self, tree: Tree) -> list[tuple[str, Kind, tuple[Output, ...]] | None]:
        """Return what two nodes must have in common to be the same, for each entry of the tree; None for a scope."""
        looks = list(zip(self._ops, self.kinds, self._outputs, strict=True))
        return [looks[node] if node >= 0 else None for node in tree.node.tolist()]
