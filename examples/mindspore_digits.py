"""Train a small convolutional MindSpore network on handwritten digits with several learning rates, and record the runs.

python examples/mindspore_digits.py [--logdir DIR] [--epochs N]

This requires MindSpore (pip install mindspore) in addition to the packages of the other examples. mindspore.Model
trains; a bridge among its callbacks calls those of Toposcope.
"""

import argparse
import os

import mindspore
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import Dataset, NumpySlicesDataset
from mindspore.train import Model
from sklearn.datasets import load_digits

from toposcope.recorder.callbacks import LossMonitor, SummaryCollector
from toposcope.recorder.frameworks.mindspore import bridge

LEARNING_RATES = (0.3, 0.1, 0.03)


class Digits(nn.Cell):
    """Two convolutions and a linear layer: images float32[n, 1, 8, 8] to scores float32[n, 10]."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Conv2d(1, 16, 3),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2, stride=2),
            nn.Conv2d(16, 32, 3),
            nn.ReLU(),
        )
        self.flatten, self.head = nn.Flatten(), nn.Dense(32 * 4 * 4, 10)
        self.histogram, self.tensor = ops.HistogramSummary(), ops.TensorSummary()

    def construct(self, images: mindspore.Tensor) -> mindspore.Tensor:
        """Return the scores of the ten digits."""
        features = self.body(images)
        self.histogram("features", features)
        self.tensor("head/weight", self.head.weight)
        return self.head(self.flatten(features))


def main() -> None:
    """Train the runs one after another."""
    options = parse_options()
    mindspore.set_context(mode=mindspore.GRAPH_MODE)
    for learning_rate in LEARNING_RATES:
        train(learning_rate, options.epochs, os.path.join(options.logdir, f"lr={learning_rate}"))


def train(learning_rate: float, epochs: int, directory: str) -> None:
    """Train a network from the same initial weights, evaluate it after each epoch, and record the run."""
    mindspore.set_seed(0)
    train_data, valid_data = digits()
    network = Digits()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), learning_rate, momentum=0.9)
    model = Model(network, loss, optimizer, metrics={"accuracy", "loss"})
    collector = SummaryCollector(
        directory,
        collect_specified_data={"histogram_regular": ".*weight"},
        custom_lineage_data={"sweep": "learning rate"},
    )
    callbacks = bridge(LossMonitor(train_data.get_dataset_size()), collector)
    model.fit(epochs, train_data, valid_data, callbacks=callbacks)


def digits() -> tuple[Dataset, Dataset]:
    """Return the batches for training and evaluation."""
    bunch = load_digits()
    images = (bunch.images[:, np.newaxis] / 16).astype(np.float32)
    labels = bunch.target.astype(np.int32)
    order = np.random.default_rng(0).permutation(len(labels))
    train, valid = np.split(order, [len(order) * 3 // 4])
    train_data = NumpySlicesDataset((images[train], labels[train]), ["image", "label"], shuffle=True)
    valid_data = NumpySlicesDataset((images[valid], labels[valid]), ["image", "label"], shuffle=False)
    return train_data.batch(32), valid_data.batch(256)


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--logdir", default="runs/mindspore-digits", help="directory of the runs (default: %(default)s)"
    )
    parser.add_argument("--epochs", type=int, default=5, help="epochs of each run (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
