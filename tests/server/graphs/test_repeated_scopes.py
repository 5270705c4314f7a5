"""Scopes that are built alike."""

from toposcope.server.graphs.attributes import Attributes
from toposcope.server.graphs.graph import Graph, Kind, Output
from toposcope.server.graphs.graph_builder import Draft, Input

Described = tuple[str, str, list[str]]


def drafted(*nodes: Described, shape: tuple[int, ...] = (2,)) -> Graph:
    """Return a graph of nodes: name, what it computes, what it reads."""
    draft = Draft()
    for name, op, inputs in nodes:
        size = (9,) if op.endswith("9") else shape
        draft.add(name, name, name, op, Kind.OPERATOR, (Output("float32", size),), [Input(each, 0) for each in inputs])
    return draft.finish("test", "", lambda *_: Attributes([], 0))


def block(name: str, source: str) -> list[Described]:
    """Return a block of three nodes that reads a node; the middle one is in a scope of its own."""
    return [
        (f"{name}/conv", "Conv", [source]),
        (f"{name}/act/relu", "ReLU", [f"{name}/conv"]),
        (f"{name}/add", "Add", [f"{name}/act/relu", f"{name}/conv"]),
    ]


def repeats(graph: Graph, *names: str) -> list[str | None]:
    """Return what scopes share with the scopes that are alike."""
    return [graph.repeats[graph.tree.entry_of[name]] for name in names]


def test_equal_blocks_share_an_id() -> None:
    """However their nodes are called and ordered, and whatever stands around them."""
    first, second = block("net/0", "in"), block("other/block_1", "net/0/add")
    graph = drafted(("in", "Input", []), *first, *reversed(second), ("end", "Out", ["other/block_1/add"]))

    one, other = repeats(graph, "net/0", "other/block_1")
    assert one == other is not None
    assert len(one) == 16
    assert repeats(graph, "net/0/act")[0] == repeats(graph, "other/block_1/act")[0] is not None
    assert graph.repeats[graph.tree.entry_of["in"]] is None


def test_scopes_without_their_like_have_no_id() -> None:
    """There is nothing to collapse."""
    graph = drafted(*block("a", "x"), ("b/conv", "Conv", []))

    assert repeats(graph, "a", "b") == [None, None]


def test_what_flows_and_what_is_computed_counts() -> None:
    """Blocks that differ in an operator, in a shape, in the wiring or in the order of inputs are not alike."""
    plain = block("a", "x")
    other_op = [(name.replace("a/", "b/"), op.replace("ReLU", "Tanh"), _renamed(read, "b")) for name, op, read in plain]
    other_shape = [
        (name.replace("a/", "c/"), op.replace("Conv", "Conv9"), _renamed(read, "c")) for name, op, read in plain
    ]
    swapped = [(name.replace("a/", "d/"), op, list(reversed(_renamed(read, "d")))) for name, op, read in plain]
    unwired = [(name.replace("a/", "e/"), op, _renamed(read, "e")[:1]) for name, op, read in plain]

    graph = drafted(*plain, *other_op, *other_shape, *swapped, *unwired)

    assert repeats(graph, *"abcde") == [None] * 5


def _renamed(inputs: list[str], name: str) -> list[str]:
    return [each.replace("a/", f"{name}/") for each in inputs]


def test_grouping_counts() -> None:
    """The same nodes with a scope around some of them are another block."""
    flat = [("f/conv", "Conv", ["x"]), ("f/relu", "ReLU", ["f/conv"]), ("f/add", "Add", ["f/relu", "f/conv"])]

    assert repeats(drafted(*block("a", "x"), *flat), "a", "f") == [None, None]


def test_ids_are_the_same_in_every_graph() -> None:
    """A page may keep them: they depend on what is in the scope only."""
    one = drafted(*block("a", "x"), *block("b", "x"))
    other = drafted(("in", "Input", []), *block("c", "in"), *block("d", "in"), *block("e", "in"))

    assert set(repeats(one, "a", "b")) == set(repeats(other, "c", "d", "e"))
