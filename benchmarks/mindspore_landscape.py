"""Time MindSpore's own generator of landscapes on LeNet5. Run by benchmarks/landscape.py with MindSpore's Python.

python mindspore_landscape.py DIRECTORY

Prints JSON: the CPU-seconds for the loss of one sample, averaged over 3 x 3 nodes and the three points of a path.
"""

import contextlib
import io
import json
import sys
import time
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Loss, Model
from mindspore.train.callback import SummaryCollector, SummaryLandscape

SAMPLES, SIDE, POINTS = 512, 3, 3


class LeNet5(nn.Cell):
    """For images of 32 x 32."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.SequentialCell(
            *(nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Conv2d(6, 16, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, 10)),
        )

    def construct(self, images: ms.Tensor) -> ms.Tensor:
        """Return the scores of the ten digits."""
        return self.body(images)


def dataset() -> Any:
    """Return batches of 128."""
    random = np.random.default_rng(0)
    images, labels = random.random((SAMPLES, 1, 32, 32), np.float32), random.integers(0, 10, SAMPLES).astype(np.int32)
    return ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False).batch(128)


def model_of(network: nn.Cell, **parts: Any) -> Model:
    """Return a model."""
    return Model(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), **parts)


def callback_fn() -> Any:
    """Return the argument of the generator."""
    network, metrics = LeNet5(), {"Loss": Loss()}
    return model_of(network, metrics=metrics), network, dataset(), metrics


def main() -> None:
    """Train four steps and time the generator."""
    directory = sys.argv[1]
    settings = {
        "landscape_size": SIDE,
        "unit": "step",
        "create_landscape": {"train": True, "result": False},
        "num_samples": SAMPLES,
        "intervals": [[1, 2, 3]],
    }
    network = LeNet5()
    collector = SummaryCollector(directory, collect_specified_data={"collect_landscape": settings})
    model = model_of(network, optimizer=nn.Momentum(network.trainable_params(), 0.01, 0.9))
    model.train(1, dataset(), callbacks=[collector], dataset_sink_mode=False)
    begin = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        SummaryLandscape(directory).gen_landscapes_with_multi_process(callback_fn, device_ids=[0])
    seconds = time.process_time() - begin
    print(json.dumps({"seconds_a_sample": seconds / ((SIDE**2 + POINTS) * SAMPLES)}))


if __name__ == "__main__":
    main()
