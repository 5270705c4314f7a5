"""Search in a graph."""

import pytest

from toposcope.server.graphs.model.attributes import Attributes
from toposcope.server.graphs.model.graph import Graph, Kind
from toposcope.server.graphs.model.graph_builder import GraphBuilder
from toposcope.server.graphs.search import search
from toposcope.server.graphs.views import SearchView


@pytest.fixture
def graph() -> Graph:
    """Return a graph of five nodes."""
    builder = GraphBuilder()
    for name, op in (
        ("net/Conv1/kernel", "Load"),
        ("net/Conv1/out", "Conv2D"),
        ("net/conv2/out", "MatMul"),
        ("loss/mean", "ReduceMean"),
        ("top", "Abs"),
    ):
        builder.add(name, name, name, op, Kind.OPERATOR)
    return builder.build("test", "", lambda *_: Attributes([], 0))


def outline(view: SearchView) -> list[str]:
    """Return the indented tree; matches have a star."""
    return ["  " * entry["depth"] + entry["label"] + "*" * entry["matches"] for entry in view["tree"]]


def test_matches_are_listed_with_their_scopes(graph: Graph) -> None:
    """Scopes and nodes match by the last part of their name or by their operation, ignoring case."""
    view = search(graph, 0, "CONV", 100)

    assert view["total"] == 3
    assert outline(view) == ["net", "  Conv1*", "    out*", "  conv2*"]
    assert [entry["scope"] for entry in view["tree"]] == ["", "net", "net/Conv1", "net"]


def test_text_with_a_slash_matches_across_scopes(graph: Graph) -> None:
    """The match must extend into the last part of a name."""
    assert outline(search(graph, 0, "1/o", 100)) == ["net", "  Conv1", "    out*"]
    assert search(graph, 0, "net/", 100)["total"] == 2
    assert search(graph, 0, "net/conv1/kernel/", 100)["total"] == 0


def test_matches_beyond_the_limit_are_counted(graph: Graph) -> None:
    """The tree contains the first ones."""
    view = search(graph, 0, "e", 1)

    assert (view["total"], outline(view)) == (3, ["net*"])


def test_search_is_limited_to_a_scope(graph: Graph) -> None:
    """Entries outside do not match."""
    view = search(graph, graph.tree.entry_of["net"], "m", 100)

    assert outline(view) == ["net", "  conv2", "    out*"]
    assert search(graph, graph.tree.entry_of["top"], "top", 100)["total"] == 0
