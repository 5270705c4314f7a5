"""Train a network with batch normalisation on handwritten digits, then compute its loss landscapes.

python examples/torch_landscape.py [--logdir DIR] [--epochs N] [--size N] [--samples N]

Serve the directory meanwhile to see the landscapes being refined: summary-server --logdir runs
"""

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from toposcope.recorder.callbacks import LossMonitor, SummaryCollector
from toposcope.recorder.landscapes import Progress, SummaryLandscape
from toposcope.recorder.metrics import Loss
from toposcope.recorder.training import Model

Batches: TypeAlias = DataLoader[tuple[torch.Tensor, ...]]
EIGENVALUES = 2


def main() -> None:
    """Train with two optimizers, and compute the landscapes of both trainings."""
    options = parse_options()
    momentum, adam = (os.path.join(options.logdir, name) for name in ("momentum", "adam"))
    for directory, optimizer in ((momentum, with_momentum), (adam, with_adam)):
        train(directory, optimizer, options.epochs, options.size, options.samples)
    landscape = SummaryLandscape(momentum)
    landscape.gen_landscapes_with_multi_process(callback_fn, eigenvalues=EIGENVALUES, progress=show)
    # The paths of both, which start from the same weights, on one plane.
    landscape.gen_landscapes_with_multi_process(callback_fn, others=[adam], progress=show)
    print(file=sys.stderr)


def with_momentum(network: nn.Module) -> torch.optim.Optimizer:
    """Return stochastic gradient descent with momentum."""
    return torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)


def with_adam(network: nn.Module) -> torch.optim.Optimizer:
    """Return Adam."""
    return torch.optim.Adam(network.parameters(), lr=0.001)


def train(
    directory: str, optimizer_of: Callable[[nn.Module], torch.optim.Optimizer], epochs: int, size: int, samples: int
) -> None:
    """Train a network and save a checkpoint after each epoch."""
    torch.manual_seed(0)
    batches = digits(batch_size=32, shuffle=True)
    network = digits_network()
    optimizer = optimizer_of(network)
    landscapes = {
        "landscape_size": size,
        "unit": "epoch",
        "num_samples": samples,
        "intervals": [list(range(1, epochs + 1))],
    }
    collector = SummaryCollector(directory, collect_specified_data={"collect_landscape": landscapes})
    model = Model(network, nn.CrossEntropyLoss(), optimizer)
    model.train(epochs, batches, callbacks=[LossMonitor(len(batches)), collector])


def callback_fn() -> tuple[Any, nn.Module, Batches, dict[str, Loss]]:
    """Return the model, network, data and metrics for the losses: the same as in training, with the data in order."""
    network = digits_network()
    metrics = {"Loss": Loss()}
    return Model(network, nn.CrossEntropyLoss()), network, digits(batch_size=256, shuffle=False), metrics


def digits_network() -> nn.Module:
    """Return two convolutions with batch normalisation, and a linear layer: float32[n, 1, 8, 8] to float32[n, 10]."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(32 * 4 * 4, 10),
    )


def digits(batch_size: int, shuffle: bool) -> Batches:
    """Return all 1797 images of handwritten digits."""
    bunch = load_digits()
    images = torch.tensor(bunch.images, dtype=torch.float32).unsqueeze(1) / 16
    return DataLoader(TensorDataset(images, torch.tensor(bunch.target)), batch_size=batch_size, shuffle=shuffle)


def show(progress: Progress) -> None:
    """Print the progress of the landscapes."""
    if not sys.stderr.isatty() and progress.done < progress.total:
        return
    side = 2**progress.level + 1
    text = f"{progress.tag}: {side} x {side}, {progress.done} of {progress.total} losses"
    print(f"\r{text:70}", end="", file=sys.stderr, flush=True)


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logdir", default="runs/torch-landscape", help="where to record (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=10, help="epochs to train (default: %(default)s)")
    parser.add_argument(
        "--size", type=int, default=33, help="nodes of a landscape along each axis (default: %(default)s)"
    )
    parser.add_argument("--samples", type=int, default=1797, help="samples for each loss (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
