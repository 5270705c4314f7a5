"""A cache of the last graphs, so that a page that opens one scope after another reads a graph only once."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import NamedTuple

from toposcope.server.budget.bounded_access import BoundedAccess
from toposcope.server.graphs.model.graph import Graph
from toposcope.server.graphs.model.limits import GraphError
from toposcope.server.graphs.run_graphs import Place, load_graph
from toposcope.server.runs.run import RunView

_MAX_SUMMARIES = 10_000
_WAIT_SECONDS = 20.0
"""Large graphs take seconds."""


class Summary(NamedTuple):
    """Summary of a graph for lists."""

    source: str
    name: str
    nodes: int
    edges: int
    """Edges between nodes, including control dependencies."""
    missing_inputs: int
    """Inputs whose node is not in the graph."""
    depth: int
    """Number of scopes around the deepest node."""
    is_module_tree: bool
    left_out: list[str]


class GraphCache:
    """Caches graphs up to a total size, the summaries of graphs, and the errors of unreadable ones."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._graphs: OrderedDict[Hashable, Graph] = OrderedDict()
        self._summaries: OrderedDict[Hashable, Summary | str] = OrderedDict()
        self._lock = threading.Lock()
        self._reading = BoundedAccess(1, _WAIT_SECONDS, "another graph is still being read")

    def graph(self, run: RunView, place: Place) -> Graph:
        """Return a graph of a run.

        Raises:
            GraphError: the graph is malformed, or exceeds the limits.
            PayloadError: the record is damaged, or its file was changed or removed.
        """
        graph = self._cached(place)
        if graph is None:
            # One at a time, so that concurrent requests read a graph only once.
            with self._reading.admitted():
                graph = self._cached(place) or self._read(run, place)
        return graph

    def summary(self, run: RunView, place: Place) -> Summary:
        """Return the summary of a graph of a run.

        Raises:
            GraphError: the graph is malformed, or exceeds the limits.
            PayloadError: the record is damaged, or its file was changed or removed.
        """
        with self._lock:
            summary = self._summaries.get(place.identity)
        return summary if isinstance(summary, Summary) else summarize(self.graph(run, place))

    def _cached(self, place: Place) -> Graph | None:
        with self._lock:
            problem = self._summaries.get(place.identity)
            if isinstance(problem, str):
                raise GraphError(problem)
            if place.identity in self._graphs:
                self._graphs.move_to_end(place.identity)
            return self._graphs.get(place.identity)

    def _read(self, run: RunView, place: Place) -> Graph:
        try:
            graph = load_graph(run, place)
        except GraphError as error:
            self._store(place, str(error), None)
            raise
        self._store(place, summarize(graph), graph)
        return graph

    def _store(self, place: Place, summary: Summary | str, graph: Graph | None) -> None:
        with self._lock:
            self._summaries[place.identity] = summary
            if len(self._summaries) > _MAX_SUMMARIES:
                self._summaries.popitem(last=False)
            if graph is not None:
                self._graphs[place.identity] = graph
            while sum(each.size for each in self._graphs.values()) > self._most_bytes and len(self._graphs) > 1:
                self._graphs.popitem(last=False)


def summarize(graph: Graph) -> Summary:
    """Return the summary of a graph."""
    edge_count = int((graph.edges.source >= 0).sum())
    return Summary(
        source=graph.source,
        name=graph.name,
        nodes=len(graph.ops),
        edges=edge_count,
        missing_inputs=len(graph.edges.source) - edge_count,
        depth=max(int(graph.tree.depth.max()) - 1, 0),
        is_module_tree=graph.is_module_tree,
        left_out=graph.left_out,
    )
