"""Meshes of the writers of PyTorch and tensorboardX: what TensorBoard's plugin sends to its page, and what we read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX
import torch
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.plugins.base_plugin import TBContext
from torch.utils.tensorboard import SummaryWriter as TorchWriter
from werkzeug.test import Client

from toposcope.recorder.tensorboard.summary_writer import SummaryWriter
from toposcope.server.meshes.geometry import read_geometry

WRITERS = {"ours": SummaryWriter, "torch": TorchWriter, "tensorboardX": tensorboardX.SummaryWriter}
RANDOM = np.random.default_rng(3)
VERTICES = RANDOM.normal(size=(2, 500, 3)).astype(np.float32)
FACES = RANDOM.integers(0, 500, (2, 900, 3))
COLOURS = RANDOM.integers(0, 256, (2, 500, 3), np.uint8)
STEPS = (0, 7)
NAME = "group/shape"
DTYPES = {"VERTEX": "<f4", "FACE": "<i4", "COLOR": "u1"}


def record(folder: Path, kind: str) -> None:
    """Record a batch of meshes at each step."""
    with WRITERS[kind](str(folder)) as writer:
        for step in STEPS:
            arrays = (torch.from_numpy(each) for each in (VERTICES * (step + 1), COLOURS, FACES))
            writer.add_mesh(NAME, *arrays, global_step=step)


def sent_by_tensorboard(logdir: Path, run: str, step: int, sample: int) -> dict[str, Any]:
    """Return the arrays that TensorBoard's plugin sends, by component."""
    from tensorboard.plugins.mesh.mesh_plugin import MeshPlugin  # Warns of its own dependency.

    multiplexer = EventMultiplexer(tensor_size_guidance={"mesh": 0}).AddRunsFromDirectory(str(logdir)).Reload()
    provider = MultiplexerDataProvider(multiplexer, str(logdir))
    data = MeshPlugin(TBContext(logdir=str(logdir), data_provider=provider)).get_plugin_apps()["/data"]
    query = {"run": run, "tag": NAME, "step": str(step), "sample": str(sample)}
    return {
        component: np.frombuffer(Client(data).get("/", query_string={**query, "content_type": component}).data, dtype)
        for component, dtype in DTYPES.items()
    }


def recorded_tensors(folder: Path, step: int) -> dict[str, bytes]:
    """Return the tensors in the event files, by component."""
    numbered = {"1": "VERTEX", "2": "FACE", "3": "COLOR"}  # As tensorboardX ends its tags.
    return {
        numbered.get(ending := value.tag.removeprefix(f"{NAME}_"), ending): value.tensor.SerializeToString()
        for path in folder.glob("*tfevents*")
        for event in EventFileLoader(str(path)).Load()
        for value in event.summary.value
        if event.step == step
    }


@pytest.mark.filterwarnings("ignore:html5lib")
@pytest.mark.parametrize("kind", WRITERS)
def test_vertices_faces_and_colours_are_those_of_tensorboard(kind: str, tmp_path: Path) -> None:
    """Bit by bit."""
    record(tmp_path / kind, kind)

    for step in STEPS:
        tensors = recorded_tensors(tmp_path / kind, step)
        assert tensors.keys() == DTYPES.keys()
        for sample in (0, 1):
            expected = sent_by_tensorboard(tmp_path, kind, step, sample)
            found = read_geometry(tensors["VERTEX"], tensors["FACE"], tensors["COLOR"], sample)
            assert found.problems == []
            vertices, faces, colours = found.geometry
            assert colours is not None
            np.testing.assert_array_equal(vertices.reshape(-1), expected["VERTEX"])
            np.testing.assert_array_equal(faces.reshape(-1), expected["FACE"])
            np.testing.assert_array_equal(colours.reshape(-1), expected["COLOR"])
            np.testing.assert_array_equal(vertices, VERTICES[sample] * (step + 1))
