"""The graphs that were asked for last, so that a page that opens one scope after another has each read once."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import NamedTuple

from toposcope.server.graphs.graph import Graph
from toposcope.server.graphs.limits import GraphError
from toposcope.server.graphs.run_graphs import Place, load_graph
from toposcope.server.runs.run import RunView

_MOST_SUMMARIES = 10_000


class Summary(NamedTuple):
    """What a list of graphs says of one."""

    source: str
    name: str
    nodes: int
    edges: int
    """Inputs that are nodes of the graph, control edges among them."""
    missing_inputs: int
    """Inputs that the graph has no node for."""
    depth: int
    """Scopes around the deepest node."""
    is_module_tree: bool
    left_out: list[str]


class GraphCache:
    """Remembers graphs up to so many bytes, and summaries, and what is wrong with those that cannot be read."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._graphs: OrderedDict[Hashable, Graph] = OrderedDict()
        self._summaries: OrderedDict[Hashable, Summary | str] = OrderedDict()
        self._lock = threading.Lock()
        self._reading = threading.Lock()

    def graph(self, run: RunView, place: Place) -> Graph:
        """Return a graph of a run.

        Raises:
            GraphError: it is malformed, or larger than the limits.
            PayloadError: its record is damaged, or its file changed or went away.
        """
        found = self._remembered(place)
        if found is None:
            # One at a time: many pages that ask for one graph have it read once.
            with self._reading:
                found = self._remembered(place) or self._read(run, place)
        return found

    def summary(self, run: RunView, place: Place) -> Summary:
        """Return the summary of a graph of a run.

        Raises:
            GraphError: it is malformed, or larger than the limits.
            PayloadError: its record is damaged, or its file changed or went away.
        """
        with self._lock:
            found = self._summaries.get(place.identity)
        return found if isinstance(found, Summary) else summarize(self.graph(run, place))

    def _remembered(self, place: Place) -> Graph | None:
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
            self._remember(place, str(error), None)
            raise
        self._remember(place, summarize(graph), graph)
        return graph

    def _remember(self, place: Place, summary: Summary | str, graph: Graph | None) -> None:
        with self._lock:
            self._summaries[place.identity] = summary
            if len(self._summaries) > _MOST_SUMMARIES:
                self._summaries.popitem(last=False)
            if graph is not None:
                self._graphs[place.identity] = graph
            while sum(each.size for each in self._graphs.values()) > self._most_bytes and len(self._graphs) > 1:
                self._graphs.popitem(last=False)


def summarize(graph: Graph) -> Summary:
    """Return what a list of graphs says of one."""
    known = int((graph.edges.source >= 0).sum())
    return Summary(
        source=graph.source,
        name=graph.name,
        nodes=len(graph.ops),
        edges=known,
        missing_inputs=len(graph.edges.source) - known,
        depth=max(int(graph.tree.depth.max()) - 1, 0),
        is_module_tree=graph.is_module_tree,
        left_out=graph.left_out,
    )
