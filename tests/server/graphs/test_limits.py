"""Limits on the size of a graph."""

import pytest

from toposcope.proto.tensorboard_pb2 import GraphDef
from toposcope.server.graphs.dialects.graph_def import read_graph_def
from toposcope.server.graphs.model.limits import GraphError


@pytest.mark.parametrize(
    ("limit", "most", "message"),
    [
        ("MAX_NODES", 2, "more than 2 nodes"),
        ("MAX_EDGES", 3, "more than 3 edges"),
        ("MAX_NAME_CHARACTERS", 5, "more than 5 characters"),
    ],
)
def test_graphs_beyond_the_limits_are_errors(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int, message: str
) -> None:
    """The error states the limit; reading stops as soon as it is exceeded."""
    monkeypatch.setattr(f"toposcope.server.graphs.model.graph_builder.{limit}", most)
    graph = GraphDef()
    for name in (b"ab", b"cd", b"ef"):
        graph.node.add(name=name, op=b"Op", input=[b"ab", b"cd"])

    with pytest.raises(GraphError, match=message):
        read_graph_def(graph.SerializeToString())
