"""The view of a scope: its children, and the edges between them and across its border."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.graphs.entry_views import (
    Numbers,
    described_node,
    described_scope,
    entry_view,
    flow_type,
    input_links,
    output_links,
)
from toposcope.server.graphs.model.attributes import Room
from toposcope.server.graphs.model.graph import Graph
from toposcope.server.graphs.model.tree import Int32s, Tree
from toposcope.server.graphs.views import DescribedEntry, FlowView, ScopeView

_ROOM = Room(characters=100, attributes=20)
_MAX_LINKS = 10
_MAX_FLOWS = 10_000
_MAX_TYPES = 8


class _Flows(NamedTuple):
    """Edges across the borders of the children of a scope; arrays of equal length."""

    edge: Numbers
    source: Int32s
    """Entries: children of the scope, or of enclosing scopes."""
    target: Int32s

    def where(self, condition: npt.NDArray[np.bool_]) -> "_Flows":
        """Return the edges for which a condition holds."""
        return _Flows(self.edge[condition], self.source[condition], self.target[condition])


def open_scope(graph: Graph, scope: int, offset: int, limit: int, also: Sequence[str] = ()) -> ScopeView:
    """Return the view of a scope.

    Args:
        graph: the graph.
        scope: entry of the scope.
        offset: number of children to skip.
        limit: maximum number of listed children.
        also: names of further children to list.
    """
    children = graph.tree.children_of(scope)
    named = np.array([graph.tree.entry_of.get(name, -1) for name in also], np.int32)
    listed = np.union1d(children[offset : offset + limit], named[np.isin(named, children)])
    flows = _flows(graph, scope)
    if len(listed) < len(children):
        flows = flows.where(np.isin(flows.source, listed) | np.isin(flows.target, listed))
    edges, total, outside = _edges(graph, scope, flows)
    return {
        "name": graph.tree.names[scope],
        "total": len(children),
        "children": _describe(graph, listed, flows),
        "edges": edges,
        "edges_total": total,
        "outside": [entry_view(graph, entry) for entry in outside],
    }


def _flows(graph: Graph, scope: int) -> _Flows:
    """Return the edges that begin or end in a scope, except those within one of its children."""
    tree, edges = graph.tree, graph.edges
    existing = np.flatnonzero(edges.source >= 0)
    source, target = tree.entry[edges.source[existing]], tree.entry[edges.target[existing]]
    touching = _is_in(tree, scope, source) | _is_in(tree, scope, target)
    existing, source, target = existing[touching], source[touching], target[touching]
    flows = _Flows(existing, _representatives(tree, scope, source), _representatives(tree, scope, target))
    return flows.where(flows.source != flows.target)


def _is_in(tree: Tree, scope: int, entries: Int32s) -> npt.NDArray[np.bool_]:
    inside: npt.NDArray[np.bool_] = (entries > scope) & (entries < tree.end[scope])
    return inside


def _representatives(tree: Tree, scope: int, entries: Int32s) -> Int32s:
    """Return the entry that represents each entry in the view of a scope: the child of the scope that contains it.

    An entry outside of the scope is represented by a child of the innermost scope that contains both.
    """
    representatives = entries.copy()
    waiting = np.ones(len(entries), np.bool_)
    around = scope
    while waiting.any():
        inside = waiting & _is_in(tree, around, entries)
        children = tree.children_of(around)
        representatives[inside] = children[np.searchsorted(children, entries[inside], "right") - 1]
        waiting &= ~inside
        around = int(tree.parent[around])
    return representatives


def _edges(graph: Graph, scope: int, flows: _Flows) -> tuple[list[FlowView], int, list[int]]:
    """Return (edges between entries, within the limit; their total number; their ends outside of the scope)."""
    control, types = graph.edges.control[flows.edge], graph.edges.type[flows.edge]
    order = np.lexsort((types, control, flows.target, flows.source))
    keys = np.stack([flows.source, flows.target, control, types])[:, order]
    changes = np.diff(keys, axis=1, prepend=-2) != 0
    numbers = np.cumsum(changes[:3].any(axis=0)) - 1
    total = int(numbers[-1]) + 1 if len(numbers) else 0
    firsts = np.flatnonzero(changes.any(axis=0))
    counts = np.diff(firsts, append=len(order))[numbers[firsts] < _MAX_FLOWS]
    listed = keys[:, firsts[: len(counts)]]
    views: list[FlowView] = []
    for number, (source, target, is_control, type_), count in zip(
        numbers[firsts].tolist(), listed.T.tolist(), counts.tolist(), strict=False
    ):
        if number == len(views):
            views.append(_edge(graph.tree, scope, source, target, bool(is_control)))
        views[number]["count"] += count
        flow = flow_type(graph, type_)
        if flow:
            views[number]["types"].append({**flow, "count": count})
    for view in views:
        view["types"] = sorted(view["types"], key=lambda flow: -flow["count"])[:_MAX_TYPES]
    ends = np.unique(listed[:2])
    return views, total, ends[~_is_in(graph.tree, scope, ends)].tolist()


def _edge(tree: Tree, scope: int, source: int, target: int, is_control: bool) -> FlowView:
    outside: Literal["source", "target"] | None = None
    if not scope < source < tree.end[scope]:
        outside = "source"
    elif not scope < target < tree.end[scope]:
        outside = "target"
    return {
        "source": tree.names[source],
        "target": tree.names[target],
        "control": is_control,
        "outside": outside,
        "count": 0,
        "types": [],
    }


def _describe(graph: Graph, listed: Int32s, flows: _Flows) -> list[DescribedEntry]:
    """Return the descriptions of children of a scope."""
    tree, edges = graph.tree, graph.edges
    inputs = _Border(flows.edge, flows.target, edges.source[flows.edge])
    outputs = _Border(flows.edge, flows.source, edges.target[flows.edge])
    views = []
    for entry in listed.tolist():
        node = int(tree.node[entry])
        if node >= 0:
            views.append(described_node(graph, node, _ROOM, _MAX_LINKS))
            continue
        read, read_total = inputs.edges(entry)
        reading, reading_total = outputs.edges(entry)
        totals = (read_total, reading_total)
        views.append(described_scope(graph, entry, input_links(graph, read), output_links(graph, reading), totals))
    return views


class _Border:
    """Edges across the borders of entries, one for each node at the other end."""

    def __init__(self, edges: Numbers, entries: Int32s, nodes: Int32s) -> None:
        pairs = entries.astype(np.int64) << 32 | nodes
        _, firsts = np.unique(pairs, return_index=True)
        self._edges = edges[firsts]
        self._entries = entries[firsts]

    def edges(self, entry: int) -> tuple[Numbers, int]:
        """Return (edges across the border of an entry, within the limit; their total number)."""
        begin, end = np.searchsorted(self._entries, [entry, entry + 1])
        return self._edges[begin : min(end, begin + _MAX_LINKS)], int(end - begin)
