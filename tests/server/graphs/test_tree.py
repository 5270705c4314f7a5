"""The tree of nested scopes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.graphs.model import limits
from toposcope.server.graphs.model.limits import GraphError
from toposcope.server.graphs.model.tree import Tree, build_tree

PATHS = st.lists(st.text("ab/()", max_size=8), max_size=30)


def outline(tree: Tree) -> list[str]:
    """Return the indented labels of all entries except the root; scopes end in "/"."""
    return [
        "  " * (int(tree.depth[entry]) - 1) + tree.labels[entry] + ("/" if tree.node[entry] < 0 else "")
        for entry in range(1, len(tree.labels))
    ]


def test_scopes_precede_their_contents_in_file_order() -> None:
    """The children of a scope are in the order of their first occurrence."""
    tree = build_tree(["b/y/1", "a", "b/x", "b/y/2"])

    assert outline(tree) == ["b/", "  y/", "    1", "    2", "  x", "a"]
    assert [tree.nodes_inside(entry) for entry in range(len(tree.labels))] == [4, 3, 2, 1, 1, 1, 1]
    assert tree.entry_of["b/y"] == 2
    assert tree.children_of(tree.entry_of["b"]).tolist() == [2, 5]


def test_equal_names_are_numbered() -> None:
    """All nodes with equal names except the first have a unique number."""
    tree = build_tree(["a", "a", "a (2)", "a", "b/a"])

    assert [tree.names[entry] for entry in tree.entry] == ["a", "a (2)", "a (2) (2)", "a (3)", "b/a"]


def test_node_with_the_name_of_a_scope_is_in_the_scope() -> None:
    """Its label is in brackets, and unique."""
    tree = build_tree(["w", "w/(w)", "w/read", "w"])

    assert [tree.names[entry] for entry in tree.entry] == ["w/(w)", "w/(w) (2)", "w/read", "w/(w) (3)"]


def test_empty_parts_of_names_are_ignored() -> None:
    """A name without other parts is "unnamed"."""
    tree = build_tree(["/a//b/", "", "///", "a/c"])

    assert [tree.names[entry] for entry in tree.entry] == ["a/b", "unnamed", "unnamed (2)", "a/c"]


def test_very_deep_names_end_in_a_long_label() -> None:
    """Beyond the limit on nesting, the rest of a name is a label; a name that is too long is truncated."""
    tree = build_tree(["/".join("abcdefghij" * 20), "x" * 5000])

    assert tree.depth.max() == limits.DEEPEST + 1
    assert tree.labels[int(tree.entry[0])] == "/".join(("abcdefghij" * 20)[limits.DEEPEST :])
    assert len(tree.names[int(tree.entry[1])]) == limits.LONGEST_PATH + 1


def test_tree_without_nodes_is_a_root() -> None:
    """An empty graph has an empty outermost scope."""
    tree = build_tree([])

    assert (tree.names, tree.children_of(0).tolist(), tree.nodes_inside(0)) == ([""], [], 0)


def test_too_many_scopes_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error states the limit."""
    monkeypatch.setattr("toposcope.server.graphs.model.tree.MAX_SCOPES", 3)

    with pytest.raises(GraphError, match="more than 3 scopes"):
        build_tree(["a/b/c/d/e/f"])


@given(PATHS)
def test_trees_are_consistent(paths: list[str]) -> None:
    """Names are unique, the contents of a scope are contiguous, and names consist of the labels of the path."""
    tree = build_tree(paths)

    assert len(set(tree.names)) == len(tree.names)
    assert sorted(tree.node[tree.node >= 0].tolist()) == list(range(len(paths)))
    assert [tree.node[entry] for entry in tree.entry] == list(range(len(paths)))
    for entry in range(1, len(tree.names)):
        above = int(tree.parent[entry])
        assert above < entry < tree.end[entry] <= tree.end[above]
        assert tree.node[above] < 0
        assert tree.depth[entry] == tree.depth[above] + 1
        assert tree.names[entry] == (tree.names[above] + "/" if above else "") + tree.labels[entry]
        assert entry in tree.children_of(above)
    assert [len(tree.children_of(entry)) > 0 for entry in range(1, len(tree.names))] == [
        node < 0 for node in tree.node[1:]
    ]
