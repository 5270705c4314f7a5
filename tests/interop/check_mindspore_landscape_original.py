"""Our landscapes compared with those of mindspore.train.SummaryLandscape, from the same checkpoints."""

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pytest
from mindspore import nn
from mindspore.train import Loss, Model
from mindspore.train.callback import SummaryCollector
from mindspore.train.callback import SummaryLandscape as OriginalLandscape

from toposcope.proto import framing
from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.landscapes import SummaryLandscape

STEPS, SAMPLES = 6, 48
TAG = f"landscape_[1, {STEPS}]"


class Small(nn.Cell):
    """Fewer than 500 weights: the original then decomposes exactly."""

    def __init__(self) -> None:
        super().__init__()
        random = np.random.default_rng(0)
        first, second = (ms.Tensor(random.normal(size=shape), ms.float32) for shape in ((6, 8), (4, 6)))
        self.first, self.second = nn.Dense(8, 6, weight_init=first), nn.Dense(6, 4, weight_init=second)
        self.relu = nn.Tanh()

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        """Return the scores of the classes."""
        return self.second(self.relu(self.first(x)))


class Both(NamedTuple):
    """The landscape of the interval."""

    original: LossLandscape
    ours: LossLandscape
    anchored: LossLandscape


def dataset() -> Any:
    """Return six batches."""
    random = np.random.default_rng(1)
    x, y = random.normal(size=(SAMPLES, 8)).astype(np.float32), random.integers(0, 4, SAMPLES).astype(np.int32)
    return ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(8)


def callback_fn() -> Any:
    """Return what both want, for the original without an optimizer."""
    network, metrics = Small(), {"Loss": Loss()}
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(network, loss, metrics=metrics), network, dataset(), metrics


def newest(directory: Path) -> LossLandscape:
    """Return the landscape of the interval that was published last in a directory."""
    landscape = None
    for path in sorted(directory.glob("*_MS")):
        content, start = path.read_bytes(), 0
        while start < len(content):
            begin = start + framing.HEADER_BYTES
            end = begin + framing.read_header(content[start:begin]).length
            for value in Event.FromString(content[begin:end]).summary.value:
                landscape = value.loss_landscape if value.tag == TAG else landscape
            start = end + framing.FOOTER_BYTES
    assert landscape is not None
    return landscape


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Train with MindSpore's collector, and compute the landscape by MindSpore, and twice by ourselves."""
    directory = tmp_path_factory.mktemp("run")
    settings = {
        "landscape_size": 5,
        "unit": "step",
        "create_landscape": {"train": True, "result": False},
        "num_samples": SAMPLES,
        "intervals": [list(range(1, STEPS + 1))],
    }
    collector = SummaryCollector(str(directory), 1, collect_specified_data={"collect_landscape": settings})
    network = Small()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(network, loss, nn.Momentum(network.trainable_params(), 0.3, 0.9))
    model.train(1, dataset(), callbacks=[collector], dataset_sink_mode=False)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of NumPy, about what the original does.
        OriginalLandscape(str(directory)).gen_landscapes_with_multi_process(callback_fn, device_ids=[0])
    original = newest(directory)
    surfaces = []
    for axes in ("mindspore", "anchored"):
        output = tmp_path_factory.mktemp(axes)
        ours = SummaryLandscape(directory)
        ours.gen_landscapes_with_multi_process(callback_fn, output=output, axes=axes, levels=2)
        surfaces.append(newest(output))
    return Both(original, *surfaces)


def path_of(surface: LossLandscape) -> np.ndarray:
    """Return x, y and z of the checkpoints, shape (3, k)."""
    points = surface.loss_path.points
    return np.array([points.x.float_data, points.y.float_data, points.z.float_data])


def test_coordinates_are_those_of_the_original(both: Both) -> None:
    """With its axes, from its own checkpoints, to 1e-4."""
    assert np.allclose(path_of(both.ours)[:2], path_of(both.original)[:2], atol=1e-4)
    assert list(both.ours.loss_path.intervals) == list(both.original.loss_path.intervals)


def test_losses_of_the_plane_are_those_that_the_original_draws(both: Both) -> None:
    """Where it draws the path, the real losses are others."""
    truth = both.ours.details.truth
    assert np.allclose(truth.plane, path_of(both.original)[2], rtol=1e-4)
    assert np.abs(np.subtract(truth.plane, truth.real)).max() > 1e-3


def test_our_plane_is_closer_to_the_real_losses(both: Both) -> None:
    """On average over the checkpoints."""
    gaps = [
        np.abs(np.subtract(surface.details.truth.plane, surface.details.truth.real)).mean()
        for surface in (both.anchored, both.ours)
    ]
    assert gaps[0] < gaps[1]
