"""Graphs that SummaryWriter records: of PyTorch's modules, of ONNX files, and of messages."""

from pathlib import Path

import pytest
import torch
from support.recorded_run import run_in
from support.written_events import read_tensorboard_events
from torch import nn

from toposcope.proto.onnx_pb2 import ModelProto
from toposcope.proto.tensorboard_pb2 import GraphDef, NodeDef
from toposcope.recorder.tensorboard.summary_writer import SummaryWriter
from toposcope.server.graphs.dialects.graph_def import read_graph_def


def graph_in(directory: Path) -> GraphDef:
    """Return the only graph in the event files of a directory."""
    (path,) = directory.glob("events.out.tfevents.*")
    events = read_tensorboard_events(path)
    (graph,) = (GraphDef.FromString(event.graph_def) for event in events if event.HasField("graph_def"))
    assert run_in(directory).tags("graph")
    assert len(read_graph_def(graph.SerializeToString()).ops) >= len(graph.node)
    return graph


def nodes_in(directory: Path) -> dict[str, NodeDef]:
    """Return the nodes of the only graph by name."""
    return {node.name.decode(): node for node in graph_in(directory).node}


class Net(nn.Module):
    """A network with two inputs, a setting, a constant and a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU())
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Return a number for each image."""
        return (self.encoder(left) * self.scale + right).softmax(1)


def test_the_graph_of_a_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Operators are in the scopes of the modules, with their inputs, settings, shapes and types."""
    images = torch.zeros(4, 1, 5, 5), torch.zeros(4, 2, 5, 5)
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(Net(), images, verbose=True)
    nodes = nodes_in(tmp_path)
    convolution = nodes["encoder/0/conv2d"]
    assert convolution.op == b"conv2d"
    assert list(convolution.input) == [b"left", b"encoder/0/weight", b"encoder/0/bias"]
    attributes = {attribute.key: attribute.value for attribute in convolution.attr}
    assert list(attributes[b"padding"].list.i) == [1, 1]
    assert [dim.size for dim in attributes[b"_output_shapes"].list.shape[0].dim] == [4, 2, 5, 5]
    assert attributes[b"dtype"].type == 1
    assert nodes["encoder/0/weight"].op == b"VariableV2"
    assert "conv2d" in capsys.readouterr().out


def test_a_module_without_inputs_and_one_that_cannot_be_traced(tmp_path: Path) -> None:
    """The graph is that of the modules if the inputs are unknown or do not fit."""
    for name, inputs in (("unknown", None), ("wrong", torch.zeros(2))):
        with SummaryWriter(tmp_path / name) as writer:
            writer.add_graph(Net(), inputs)
        assert "encoder/0" in nodes_in(tmp_path / name)


def test_the_graph_of_an_onnx_file(tmp_path: Path) -> None:
    """Nodes have the names of their outputs; weights and inputs are nodes with their shapes."""
    model = ModelProto()
    model.graph.input.add(name="x").type.tensor_type.elem_type = 1
    model.graph.input[0].type.tensor_type.shape.dim.add()
    model.graph.input[0].type.tensor_type.shape.dim.add(dim_value=3)
    model.graph.initializer.add(name="w", dims=[3, 2], data_type=11)
    node = model.graph.node.add(input=["x", "w"], output=["y"], op_type="Gemm")
    node.attribute.add(name="alpha", f=0.5)
    node.attribute.add(name="axes", ints=[0, 1])
    node.attribute.add(name="mode", s=b"fast")
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_onnx_graph(tmp_path / "model.onnx")
        (tmp_path / "empty").write_bytes(b"")
        (tmp_path / "text").write_bytes(b"a text")
        for name in ("empty", "text"):
            with pytest.raises(ValueError, match="is not an ONNX model"):
                writer.add_onnx_graph(tmp_path / name)
        with pytest.raises(FileNotFoundError):
            writer.add_onnx_graph(tmp_path / "missing")
    nodes = nodes_in(tmp_path / "run")
    assert list(nodes) == ["x", "w", "y"]
    assert list(nodes["y"].input) == [b"x", b"w"]
    attributes = {attribute.key: attribute.value for attribute in nodes["y"].attr}
    assert attributes[b"alpha"].f == 0.5
    assert list(attributes[b"axes"].list.i) == [0, 1]
    assert [dim.size for dim in nodes["x"].attr[0].value.shape.dim] == [-1, 3]


def test_a_graph_that_is_passed_as_a_message(tmp_path: Path) -> None:
    """Frameworks that build a GraphDef themselves record it with its statistics, which are left out."""
    graph = GraphDef(node=[NodeDef(name=b"a", op=b"Placeholder")])
    with SummaryWriter(tmp_path) as writer:
        writer._get_file_writer().add_graph((graph, b""))
    assert graph_in(tmp_path) == graph
