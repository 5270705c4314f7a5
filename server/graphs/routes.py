"""GET /api/graphs, /api/graphs/nodes and /api/graphs/counts: computational graphs, a scope at a time or in numbers."""

import os
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.json_reply import Number, json_reply
from toposcope.server.api.payload_query import MOST_NAME, REFUSED, Problem
from toposcope.server.api.payload_query import number as number_in_json
from toposcope.server.api.snapshot import Current, find_runs
from toposcope.server.graphs.counts import count
from toposcope.server.graphs.entry_views import node_view
from toposcope.server.graphs.graph import Graph
from toposcope.server.graphs.graph_cache import GraphCache
from toposcope.server.graphs.run_graphs import Place, list_graphs
from toposcope.server.graphs.scope import open_scope
from toposcope.server.graphs.search import search
from toposcope.server.graphs.views import NodeView, ScopeView, SearchView
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.runs.run import RunView

router = APIRouter()
_graphs = GraphCache(most_bytes=512 << 20)
_LONGEST = 4_000


class GraphsQuery(BaseModel):
    """Whose graphs, and how many of them."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="name of a run")
    limit: int = Field(20, ge=1, le=100, description="graphs at most, the newest")


class GraphRow(BaseModel):
    """A graph of a run; what is null is not known because of the problem."""

    id: str
    """Names it among the graphs of the run; safe in a URL, and the same as long as its event file is there."""
    name: str
    """As its writer called it; else the name of its event file."""
    tag: str
    file: str
    """Event file in the run's directory."""
    rank: int
    step: int
    wall_time: Number
    """Seconds since 1970."""
    problem: str | None
    """Why it cannot be shown."""
    source: str | None
    """What it is of: mindspore, tensorflow, torch, keras; toposcope when our recorder wrote it."""
    nodes: int | None
    edges: int | None
    """Between nodes, control edges among them."""
    missing_inputs: int | None
    """Inputs of nodes that the graph has no node for."""
    depth: int | None
    """Scopes around its deepest node."""
    is_module_tree: bool | None
    """Whether it tells which module holds which, but not what flows between them."""
    left_out: list[str]
    """What of it is not shown: one sentence each."""


class Graphs(BaseModel):
    """Graphs of a run, of all its attempts and ranks, oldest first."""

    revision: int
    run: str
    total: int
    """Graphs of the run, listed or not."""
    graphs: list[GraphRow]


class NodesQuery(BaseModel):
    """Which part of which graph."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="name of a run")
    graph: str | None = Field(None, max_length=100, description="id of a graph; absent: the newest")
    scope: str = Field(
        "", max_length=_LONGEST, description="full name of a scope; absent: the outermost. Of a node: as node="
    )
    node: str | None = Field(None, max_length=_LONGEST, description="full name of a node: all that is known of it")
    search: str | None = Field(
        None,
        min_length=1,
        max_length=_LONGEST,
        description="what is called like this, or computes something called like this, in the scope, however deep",
    )
    offset: int = Field(0, ge=0, lt=2**31, description="children of the scope left out at the beginning")
    limit: int = Field(500, ge=1, le=10_000, description="children of the scope, or matches, at most")
    also: list[str] = Field(
        [], max_length=100, description="full names of children of the scope that are listed besides"
    )


class CountsQuery(BaseModel):
    """Which graph."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="name of a run")
    graph: str | None = Field(None, max_length=100, description="id of a graph; absent: the newest")


class GraphPart(BaseModel):
    """Which graph it is a part of."""

    revision: int
    run: str
    graph: str


class ScopeReply(GraphPart):
    """A scope, opened."""

    scope: ScopeView


class SearchReply(GraphPart):
    """What a search found."""

    found: SearchView


class NodeReply(GraphPart):
    """One node."""

    node: NodeView


class CountsReply(GraphPart):
    """A graph in numbers."""

    source: str
    """What it is of: mindspore, tensorflow, torch, keras; toposcope when our recorder wrote it."""
    is_module_tree: bool
    """Whether it tells which module holds which, but not what flows between them."""
    nodes: int
    edges: int
    """Between nodes, control edges among them."""
    depth: int
    """Scopes around its deepest node."""
    kinds: dict[str, int]
    """Nodes by kind: operator, parameter, constant, input, output."""
    operations: dict[str, int]
    """Operators by what they compute, the most frequent first."""
    elements: int
    """Of the parameters whose shape is known."""
    unknown_shapes: int
    """Parameters whose shape is not."""


_NODES_REFUSED: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such run, graph, scope or node."},
    410: {"model": Problem, "description": "The graph is malformed, larger than what is shown, damaged or replaced."},
    422: REFUSED[422],
}


@router.get(
    "/graphs",
    response_model=Graphs,
    responses={404: {"model": Problem, "description": "There is no such run."}, 422: REFUSED[422]},
)
def read_graphs(current: Current, query: Annotated[GraphsQuery, Query()]) -> Response:
    """List the newest graphs of a run."""
    run = _run(current, query.run)
    places = list_graphs(run)
    rows = [_row(run, place) for place in places[-query.limit :]]
    return json_reply({"revision": current.revision, "run": run.name, "total": len(places), "graphs": rows})


@router.get("/graphs/nodes", response_model=ScopeReply | SearchReply | NodeReply, responses=_NODES_REFUSED)
def read_nodes(current: Current, query: Annotated[NodesQuery, Query()]) -> Response:
    """Open a scope of a graph, search in it, or read one node."""
    if query.node is not None and (query.search is not None or query.scope):
        raise HTTPException(422, f"node={query.node!r} with a scope or a search: expected the node alone")
    run = _run(current, query.run)
    place = _find(run, query.graph)
    try:
        graph = _graphs.graph(run, place)
        part = _part(graph, query)
    except ValueError as error:
        raise HTTPException(410, f"graph {place.id!r} of run {run.name!r} cannot be read: {error}") from error
    return json_reply({"revision": current.revision, "run": run.name, "graph": place.id, **part})


@router.get("/graphs/counts", response_model=CountsReply, responses=_NODES_REFUSED)
def read_counts(current: Current, query: Annotated[CountsQuery, Query()]) -> Response:
    """Read how large a graph is and of what it is made."""
    run = _run(current, query.run)
    place = _find(run, query.graph)
    try:
        graph, summary = _graphs.graph(run, place), _graphs.summary(run, place)
    except ValueError as error:
        raise HTTPException(410, f"graph {place.id!r} of run {run.name!r} cannot be read: {error}") from error
    told = {name: getattr(summary, name) for name in ("source", "is_module_tree", "nodes", "edges", "depth")}
    part = {"revision": current.revision, "run": run.name, "graph": place.id}
    return json_reply(part | told | count(graph)._asdict())


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
    """Return where a graph of a run stands; the newest when none is named.

    Raises:
        HTTPException: 404 when there is none.
    """
    places = [place for place in list_graphs(run) if graph in (None, place.id)]
    if not places:
        raise HTTPException(404, f"no graph {'' if graph is None else repr(graph) + ' '}in run {run.name!r}")
    return places[-1]


def _row(run: RunView, place: Place) -> dict[str, Any]:
    file = os.path.basename(place.path)
    row: dict[str, Any] = dict.fromkeys(GraphRow.model_fields)
    row |= {"id": place.id, "name": file, "tag": place.tag.name, "file": file, "rank": place.rank, "step": place.step}
    row |= {"wall_time": number_in_json(place.wall_time), "left_out": []}
    try:
        summary = _graphs.summary(run, place)
    except ValueError as error:
        return {**row, "problem": str(error)}
    return {**row, **summary._asdict(), "name": summary.name or file}
