"""GET /api/graphs, /api/graphs/nodes and /api/graphs/counts: computational graphs, one scope at a time."""

import os
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import INVALID_REQUEST, Problem, Replies
from toposcope.server.api.replies.json_reply import Number, json_number, json_reply
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.graphs.counts import count
from toposcope.server.graphs.entry_views import node_view
from toposcope.server.graphs.graph_cache import GraphCache
from toposcope.server.graphs.model.graph import Graph
from toposcope.server.graphs.run_graphs import Place, list_graphs
from toposcope.server.graphs.scope import open_scope
from toposcope.server.graphs.search import search
from toposcope.server.graphs.views import NodeView, ScopeView, SearchView
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.runs.run import RunView

router = APIRouter(prefix="/api")
_graphs = GraphCache(most_bytes=512 << 20)
_LONGEST = 4_000


class GraphsQuery(BaseModel):
    """Selects the graphs of a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    limit: int = Field(20, ge=1, le=100, description="maximum number of graphs; the newest are listed")


class GraphRow(BaseModel):
    """A graph of a run; unknown fields are null if there is a problem."""

    id: str
    """Identifies the graph in its run, as long as the event file exists; safe in a URL."""
    name: str
    """Name of the graph, or of its event file if it has none."""
    tag: str
    file: str
    """Name of the event file in the run's directory."""
    rank: int
    step: int
    wall_time: Number
    """Seconds since 1970."""
    problem: str | None
    """Why the graph cannot be read."""
    source: str | None
    """The framework: mindspore, tensorflow, torch or keras; toposcope if Toposcope recorded the graph."""
    nodes: int | None
    edges: int | None
    """Edges between nodes, including control dependencies."""
    missing_inputs: int | None
    """Inputs whose node is not in the graph."""
    depth: int | None
    """Number of scopes around the deepest node."""
    is_module_tree: bool | None
    """Whether the graph has the hierarchy of modules, but no edges with values between them."""
    left_out: list[str]
    """Parts of the file that are not in the graph, one sentence each."""


class Graphs(BaseModel):
    """Graphs of a run, of all attempts and ranks, oldest first."""

    revision: int
    run: str
    total: int
    """Number of graphs of the run, listed or not."""
    graphs: list[GraphRow]


class NodesQuery(BaseModel):
    """Selects a part of a graph."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    graph: str | None = Field(None, max_length=100, description="id of a graph; default: the newest")
    scope: str = Field(
        "", max_length=_LONGEST, description="full name of a scope or node; default: the outermost scope"
    )
    node: str | None = Field(None, max_length=_LONGEST, description="full name of a node")
    search: str | None = Field(
        None,
        min_length=1,
        max_length=_LONGEST,
        description="part of the name or operation of nodes and scopes to search for in the scope, at any depth",
    )
    offset: int = Field(0, ge=0, lt=2**31, description="number of children of the scope to skip")
    limit: int = Field(500, ge=1, le=10_000, description="maximum number of children or matches")
    also: list[str] = Field([], max_length=100, description="full names of further children of the scope to list")


class CountsQuery(BaseModel):
    """Selects a graph."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    graph: str | None = Field(None, max_length=100, description="id of a graph; default: the newest")


class GraphPart(BaseModel):
    """The graph that a part belongs to."""

    revision: int
    run: str
    graph: str


class ScopeReply(GraphPart):
    """The contents of a scope."""

    scope: ScopeView


class SearchReply(GraphPart):
    """The results of a search."""

    found: SearchView


class NodeReply(GraphPart):
    """One node."""

    node: NodeView


class CountsReply(GraphPart):
    """The counts of a graph."""

    source: str
    """The framework: mindspore, tensorflow, torch or keras; toposcope if Toposcope recorded the graph."""
    is_module_tree: bool
    """Whether the graph has the hierarchy of modules, but no edges with values between them."""
    nodes: int
    edges: int
    """Edges between nodes, including control dependencies."""
    depth: int
    """Number of scopes around the deepest node."""
    kinds: dict[str, int]
    """Nodes by kind: operator, parameter, constant, input, output."""
    operations: dict[str, int]
    """Operators by operation, most frequent first."""
    elements: int
    """Total elements of the parameters with a known shape."""
    unknown_shapes: int
    """Number of parameters with an unknown shape."""


_NODES_ERRORS: Replies = {
    404: {"model": Problem, "description": "There is no such run, graph, scope or node."},
    410: {
        "model": Problem,
        "description": "The graph is malformed, too large or damaged, or its event file was replaced.",
    },
    **INVALID_REQUEST,
}


@router.get(
    "/graphs",
    response_model=Graphs,
    responses={404: {"model": Problem, "description": "There is no such run."}, **INVALID_REQUEST},
)
def read_graphs(current: Current, query: Annotated[GraphsQuery, Query()]) -> Response:
    """List the newest graphs of a run."""
    run = _run(current, query.run)
    places = list_graphs(run)
    rows = [_row(run, place) for place in places[-query.limit :]]
    return json_reply({"revision": current.revision, "run": run.name, "total": len(places), "graphs": rows})


@router.get("/graphs/nodes", response_model=ScopeReply | SearchReply | NodeReply, responses=_NODES_ERRORS)
def read_nodes(current: Current, query: Annotated[NodesQuery, Query()]) -> Response:
    """Read the contents of a scope of a graph, search in it, or read a node."""
    if query.node is not None and (query.search is not None or query.scope):
        raise HTTPException(422, f"node={query.node!r} cannot be combined with scope or search")
    run = _run(current, query.run)
    place = _find(run, query.graph)
    try:
        graph = _graphs.graph(run, place)
        part = _part(graph, query)
    except ValueError as error:
        raise HTTPException(410, f"graph {place.id!r} of run {run.name!r} cannot be read: {error}") from error
    return json_reply({"revision": current.revision, "run": run.name, "graph": place.id, **part})


@router.get("/graphs/counts", response_model=CountsReply, responses=_NODES_ERRORS)
def read_counts(current: Current, query: Annotated[CountsQuery, Query()]) -> Response:
    """Read the numbers of nodes and parameters of a graph."""
    run = _run(current, query.run)
    place = _find(run, query.graph)
    try:
        graph, summary = _graphs.graph(run, place), _graphs.summary(run, place)
    except ValueError as error:
        raise HTTPException(410, f"graph {place.id!r} of run {run.name!r} cannot be read: {error}") from error
    summary_fields = {name: getattr(summary, name) for name in ("source", "is_module_tree", "nodes", "edges", "depth")}
    part = {"revision": current.revision, "run": run.name, "graph": place.id}
    return json_reply(part | summary_fields | count(graph)._asdict())


def _part(graph: Graph, query: NodesQuery) -> dict[str, Any]:
    tree = graph.tree
    name = query.scope if query.node is None else query.node
    entry = tree.entry_of.get(name)
    if entry is None or (query.node is not None and tree.node[entry] < 0):
        raise HTTPException(404, f"no {'scope' if query.node is None else 'node'} {name!r} in the graph")
    if query.search is not None:
        return {"found": search(graph, entry, query.search, query.limit)}
    if tree.node[entry] >= 0:
        return {"node": node_view(graph, int(tree.node[entry]))}
    return {"scope": open_scope(graph, entry, query.offset, query.limit, query.also)}


def _run(current: Snapshot, name: str) -> RunView:
    runs = find_runs(current, [name])
    return runs[0]


def _find(run: RunView, graph: str | None) -> Place:
    """Return the position of a graph of a run; of the newest if no id is given.

    Raises:
        HTTPException: 404 if there is no such graph.
    """
    places = [place for place in list_graphs(run) if graph in (None, place.id)]
    if not places:
        raise HTTPException(404, f"no graph {'' if graph is None else repr(graph) + ' '}in run {run.name!r}")
    return places[-1]


def _row(run: RunView, place: Place) -> dict[str, Any]:
    file = os.path.basename(place.path)
    row: dict[str, Any] = dict.fromkeys(GraphRow.model_fields)
    row |= {"id": place.id, "name": file, "tag": place.tag.name, "file": file, "rank": place.rank, "step": place.step}
    row |= {"wall_time": json_number(place.wall_time), "left_out": []}
    try:
        summary = _graphs.summary(run, place)
    except ValueError as error:
        return {**row, "problem": str(error)}
    return {**row, **summary._asdict(), "name": summary.name or file}
