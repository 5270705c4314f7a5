"""Scopes with the same structure."""

from toposcope.server.graphs.model.attributes import Attributes
from toposcope.server.graphs.model.graph import Graph, Kind, Output
from toposcope.server.graphs.model.graph_builder import GraphBuilder, Input

Described = tuple[str, str, list[str]]


def build_graph(*nodes: Described, shape: tuple[int, ...] = (2,)) -> Graph:
    """Return a graph of nodes, given as (name, operation, inputs)."""
    builder = GraphBuilder()
    for name, op, inputs in nodes:
        size = (9,) if op.endswith("9") else shape
        builder.add(
            name, name, name, op, Kind.OPERATOR, (Output("float32", size),), [Input(each, 0) for each in inputs]
        )
    return builder.build("test", "", lambda *_: Attributes([], 0))


def block(name: str, source: str) -> list[Described]:
    """Return three nodes that read a node; the middle one is in an inner scope."""
    return [
        (f"{name}/conv", "Conv", [source]),
        (f"{name}/act/relu", "ReLU", [f"{name}/conv"]),
        (f"{name}/add", "Add", [f"{name}/act/relu", f"{name}/conv"]),
    ]


def repeats(graph: Graph, *names: str) -> list[str | None]:
    """Return the keys of scopes that have the same structure as another."""
    return [graph.repeats[graph.tree.entry_of[name]] for name in names]


def test_equal_blocks_share_a_key() -> None:
    """The names and order of their nodes and their surroundings do not matter."""
    first, second = block("net/0", "in"), block("other/block_1", "net/0/add")
    graph = build_graph(("in", "Input", []), *first, *reversed(second), ("end", "Out", ["other/block_1/add"]))

    one, other = repeats(graph, "net/0", "other/block_1")
    assert one is not None
    assert one == other
    assert len(one) == 16
    assert repeats(graph, "net/0/act")[0] == repeats(graph, "other/block_1/act")[0] is not None
    assert graph.repeats[graph.tree.entry_of["in"]] is None


def test_unique_scopes_have_no_key() -> None:
    """No other scope has the same structure."""
    graph = build_graph(*block("a", "x"), ("b/conv", "Conv", []))

    assert repeats(graph, "a", "b") == [None, None]


def test_operations_types_and_edges_matter() -> None:
    """Blocks that differ in an operation, a shape, an edge or the order of inputs are different."""
    plain = block("a", "x")
    other_op = [(name.replace("a/", "b/"), op.replace("ReLU", "Tanh"), _renamed(read, "b")) for name, op, read in plain]
    other_shape = [
        (name.replace("a/", "c/"), op.replace("Conv", "Conv9"), _renamed(read, "c")) for name, op, read in plain
    ]
    swapped = [(name.replace("a/", "d/"), op, list(reversed(_renamed(read, "d")))) for name, op, read in plain]
    unwired = [(name.replace("a/", "e/"), op, _renamed(read, "e")[:1]) for name, op, read in plain]

    graph = build_graph(*plain, *other_op, *other_shape, *swapped, *unwired)

    assert repeats(graph, *"abcde") == [None] * 5


def _renamed(inputs: list[str], name: str) -> list[str]:
    return [each.replace("a/", f"{name}/") for each in inputs]


def test_inner_scopes_matter() -> None:
    """The same nodes with an inner scope around some of them are another block."""
    flat = [("f/conv", "Conv", ["x"]), ("f/relu", "ReLU", ["f/conv"]), ("f/add", "Add", ["f/relu", "f/conv"])]

    assert repeats(build_graph(*block("a", "x"), *flat), "a", "f") == [None, None]


def test_keys_are_the_same_in_every_graph() -> None:
    """A key depends only on the contents of the scope."""
    one = build_graph(*block("a", "x"), *block("b", "x"))
    other = build_graph(("in", "Input", []), *block("c", "in"), *block("d", "in"), *block("e", "in"))

    assert set(repeats(one, "a", "b")) == set(repeats(other, "c", "d", "e"))
