"""Views of scopes: children, edges between them, and their ends outside."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.graphs.model.attributes import Attributes
from toposcope.server.graphs.model.graph import Graph, Kind, Output
from toposcope.server.graphs.model.graph_builder import GraphBuilder, Input
from toposcope.server.graphs.scope import open_scope
from toposcope.server.graphs.views import ScopeView

FLOAT = (Output("float32", (2, 3)),)
NODES = st.dictionaries(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join),
    st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=4),
    max_size=12,
)


def build_graph(nodes: dict[str, list[Input]]) -> Graph:
    """Return a graph of nodes by name, with their inputs."""
    builder = GraphBuilder()
    for name, inputs in nodes.items():
        builder.add(name, name, name, "Op", Kind.OPERATOR, FLOAT, inputs)
    return builder.build("test", "", lambda *_: Attributes([], 0))


def opened(graph: Graph, scope: str = "", offset: int = 0, limit: int = 100) -> ScopeView:
    """Return the view of a scope by name."""
    return open_scope(graph, graph.tree.entry_of[scope], offset, limit)


def flows(view: ScopeView) -> list[tuple[str, str, int]]:
    """Return (source, target, count) of the edges."""
    return [(edge["source"], edge["target"], edge["count"]) for edge in view["edges"]]


def test_edges_between_children_represent_all_edges_between_their_nodes() -> None:
    """Edges within a child are omitted; types are counted, control dependencies are separate."""
    graph = build_graph(
        {
            "in": [],
            "a/x": [Input("in", 0)],
            "a/y": [Input("a/x", 0), Input("in", 0)],
            "b/z": [Input("a/x", 0), Input("a/y", 0), Input("a/y", control=True)],
        }
    )

    view = opened(graph)

    assert flows(view) == [("in", "a", 2), ("a", "b", 2), ("a", "b", 1)]
    assert [edge["control"] for edge in view["edges"]] == [False, False, True]
    assert view["edges"][1]["types"] == [{"dtype": "float32", "shape": (2, 3), "count": 2}]
    assert (view["name"], view["total"], view["edges_total"], view["outside"]) == ("", 3, 3, [])


def test_ends_outside_are_the_outermost_entries() -> None:
    """An end outside is the outermost scope or node that does not contain the scope."""
    graph = build_graph(
        {
            "far/deep/x": [],
            "net/near/y": [],
            "net/block/a/in": [Input("far/deep/x", 0), Input("net/near/y", 0)],
            "net/block/b": [Input("net/block/a/in", 0)],
            "net/out": [Input("net/block/b", 0)],
        }
    )

    view = opened(graph, "net/block")

    assert flows(view) == [
        ("far", "net/block/a", 1),
        ("net/near", "net/block/a", 1),
        ("net/block/a", "net/block/b", 1),
        ("net/block/b", "net/out", 1),
    ]
    assert [edge["outside"] for edge in view["edges"]] == ["source", "source", None, "target"]
    assert [(entry["name"], entry["kind"], entry["nodes"]) for entry in view["outside"]] == [
        ("far", "scope", 1),
        ("net/near", "scope", 1),
        ("net/out", "operator", 1),
    ]


def test_children_list_their_inputs_and_outputs() -> None:
    """A node lists its inputs in order, with duplicates and missing ones; a scope lists each node outside once."""
    graph = build_graph(
        {
            "p": [],
            "a/x": [Input("p", 0)],
            "a/y": [Input("p", 0), Input("a/x", 0)],
            "end": [Input("a/y", 0), Input("a/y", 0), Input("gone", 0), Input("end", control=True)],
        }
    )

    p, a, end = opened(graph)["children"]

    assert [link["name"] for link in p["outputs"]] == ["a/x", "a/y"]
    assert ([link["name"] for link in a["inputs"]], [link["name"] for link in a["outputs"]]) == (["p"], ["end"])
    assert [(link["name"], link["missing"], link["control"]) for link in end["inputs"]] == [
        ("a/y", False, False),
        ("a/y", False, False),
        ("gone", True, False),
        ("end", False, True),
    ]
    assert (end["inputs_total"], a["inputs_total"], a["nodes"], a["kind"]) == (4, 1, 2, "scope")
    assert end["types"] == [{"dtype": "float32", "shape": (2, 3)}]


def test_children_are_paginated() -> None:
    """Edges are those of the listed children; totals count all."""
    graph = build_graph({f"n{i}": [Input(f"n{i - 1}", 0)] for i in range(1000)})

    view = opened(graph, offset=10, limit=2)

    assert [child["name"] for child in view["children"]] == ["n10", "n11"]
    assert flows(view) == [("n9", "n10", 1), ("n10", "n11", 1), ("n11", "n12", 1)]
    assert view["total"] == 1000
    assert opened(graph, offset=5000)["children"] == []


def test_a_child_lists_at_most_ten_links() -> None:
    """The total counts all links."""
    graph = build_graph({"x": [], **{f"s/n{i}": [Input("x", 0)] for i in range(50)}})

    x, s = opened(graph)["children"]

    assert (len(x["outputs"]), x["outputs_total"]) == (10, 50)
    assert (len(s["inputs"]), s["inputs_total"]) == (1, 1)


def test_empty_graph_has_an_empty_scope() -> None:
    """A graph without nodes has a scope without children."""
    view = opened(build_graph({}))

    assert (view["children"], view["edges"], view["total"], view["edges_total"]) == ([], [], 0, 0)


@given(NODES)
def test_edges_equal_those_of_a_reference_count(nodes: dict[str, list[tuple[int, bool]]]) -> None:
    """In every scope each edge between nodes counts once, between the entries that contain its ends."""
    names = list(nodes)
    graph = build_graph(
        {
            name: [Input(names[i] if i < len(names) else "gone", 0, control) for i, control in inputs]
            for name, inputs in nodes.items()
        }
    )
    tree, edges = graph.tree, graph.edges
    for scope in [entry for entry, node in enumerate(tree.node) if node < 0]:
        inside = range(scope + 1, int(tree.end[scope]))

        def seen(entry: int, scope: int = scope) -> str:
            around = scope
            while not around < entry < tree.end[around]:
                around = int(tree.parent[around])
            while tree.parent[entry] != around:
                entry = int(tree.parent[entry])
            return tree.names[entry]

        expected: Counter[tuple[str, str, bool]] = Counter()
        for source, target, control in zip(edges.source, edges.target, edges.control, strict=True):
            if source < 0:
                continue
            ends = int(tree.entry[source]), int(tree.entry[target])
            if (ends[0] in inside or ends[1] in inside) and seen(ends[0]) != seen(ends[1]):
                expected[seen(ends[0]), seen(ends[1]), bool(control)] += 1
        view = open_scope(graph, scope, 0, 100)
        counts = {(edge["source"], edge["target"], edge["control"]): edge["count"] for edge in view["edges"]}
        assert counts == expected
        children = {child["name"] for child in view["children"]}
        ends_outside = {end for source, target, _ in counts for end in (source, target) if end not in children}
        assert {entry["name"] for entry in view["outside"]} == ends_outside
