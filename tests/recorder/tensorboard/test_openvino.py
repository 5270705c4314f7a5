"""Graphs of OpenVINO's files, which tensorboardX's writer records."""

from pathlib import Path

import pytest
from support.written_events import read_tensorboard_events

from toposcope.recorder.tensorboard.kinds.openvino_graph import openvino_graph
from toposcope.recorder.tensorboard.replacing.tensorboardx import TensorboardxWriter

MODEL = """<net name="model"><layers>
<layer id="0" name="x" type="Parameter"><data shape="1,3" element_type="f32"/></layer>
<layer id="1" name="relu" type="ReLU"/>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>"""


def test_layers_are_nodes(tmp_path: Path) -> None:
    """Layers become nodes with their types, settings and inputs."""
    (tmp_path / "model.xml").write_text(MODEL)
    first, second = openvino_graph(tmp_path / "model.xml").node
    assert (first.name, first.op, {each.key: each.value.s for each in first.attr}[b"shape"]) == (
        b"x",
        b"Parameter",
        b"1,3",
    )
    assert (second.name, list(second.input)) == (b"relu", [b"x"])


@pytest.mark.parametrize("text", ["", "<net/>"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    """The error names the file."""
    (tmp_path / "model.xml").write_text(text)
    with pytest.raises(ValueError, match=r"model\.xml' is not a model of OpenVINO"):
        openvino_graph(tmp_path / "model.xml")


def test_the_writer_records_the_graph(tmp_path: Path) -> None:
    """add_openvino_graph() records what the server shows as the graph of the run."""
    (tmp_path / "model.xml").write_text(MODEL)
    with TensorboardxWriter(tmp_path / "run") as writer:
        writer.add_openvino_graph(tmp_path / "model.xml")
    (path,) = (tmp_path / "run").glob("events.out.tfevents.*")
    (graph,) = [event.graph_def for event in read_tensorboard_events(path) if event.graph_def]
    assert b"ReLU" in graph
