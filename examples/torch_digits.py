"""Train a small convolutional PyTorch network on handwritten digits with several learning rates, and record the runs.

python examples/torch_digits.py [--logdir DIR] [--epochs N]
"""

import argparse
import os

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

from toposcope.recorder import summary
from toposcope.recorder.callbacks import LossMonitor, SummaryCollector
from toposcope.recorder.training import Model

LEARNING_RATES = (0.1, 0.03, 0.01)


class Digits(nn.Module):
    """Two convolutions and a linear layer: images float32[n, 1, 8, 8] to scores float32[n, 10]."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.head = nn.Linear(32 * 4 * 4, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return the scores of the ten digits."""
        features = self.body(images)
        summary.histogram("features", features)
        summary.tensor("head/weight", self.head.weight)
        scores: torch.Tensor = self.head(features)
        return scores


def main() -> None:
    """Train the runs one after another."""
    options = parse_options()
    for learning_rate in LEARNING_RATES:
        train(learning_rate, options.epochs, os.path.join(options.logdir, f"lr={learning_rate}"))


def train(learning_rate: float, epochs: int, directory: str) -> None:
    """Train a network from the same initial weights, evaluate it after each epoch, and record the run."""
    torch.manual_seed(0)
    train_data, valid_data = digits()
    network = Digits()
    optimizer = torch.optim.SGD(network.parameters(), lr=learning_rate, momentum=0.9)
    model = Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"acc", "loss"})
    collector = SummaryCollector(
        directory,
        collect_specified_data={"histogram_regular": ".*weight", "collect_gradient_norm": True},
        custom_lineage_data={"sweep": "learning rate"},
    )
    model.fit(epochs, train_data, valid_data, callbacks=[LossMonitor(len(train_data)), collector])


def digits() -> tuple[DataLoader[tuple[torch.Tensor, ...]], DataLoader[tuple[torch.Tensor, ...]]]:
    """Return the batches for training and evaluation."""
    bunch = load_digits()
    images = torch.tensor(bunch.images, dtype=torch.float32).unsqueeze(1) / 16
    dataset = TensorDataset(images, torch.tensor(bunch.target))
    train_set, valid_set = random_split(dataset, [0.75, 0.25])
    return DataLoader(train_set, batch_size=32, shuffle=True), DataLoader(valid_set, batch_size=256)


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logdir", default="runs/torch-digits", help="directory of the runs (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=5, help="epochs of each run (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
