"""Train a classifier of badly scaled inputs with THOR and with SGD, and record what THOR knows of the curvature.

The inputs are handwritten digits whose 64 pixels are rotated into 64 correlated features with scales from 0.03 to 10,
as measurements in different units have. The learning rate of SGD is limited by the largest features, so it hardly uses
the smallest ones. THOR divides each direction of the gradient by its curvature.

python examples/digits_thor.py [--logdir DIR] [--steps N]
"""

import argparse
import os
from collections import OrderedDict
from collections.abc import Iterator

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.train_thor import thor

BATCH = 128
EVALUATION_STEPS = 10
TARGET = 0.1


def main() -> None:
    """Train both runs from the same initial weights, and print when each reaches the target."""
    options = parse_options()
    for name in ("SGD", "THOR"):
        step = train(name, options.steps, os.path.join(options.logdir, name))
        reached = f"after {step} steps" if step else f"not in {options.steps} steps"
        print(f"{name}: loss of {TARGET} over all digits {reached}")


def train(name: str, steps: int, directory: str) -> int | None:
    """Train and record a run; return the step at which the loss over all digits was at most TARGET, None if never."""
    torch.manual_seed(0)
    inputs, labels = badly_scaled_digits()
    network = classifier()
    optimizer = optimizer_of(name, network)
    collector = SummaryCollector(
        directory, collect_specified_data={"collect_curvature": name == "THOR", "collect_gradient_norm": True}
    )
    loss_fn = nn.CrossEntropyLoss()
    reached = None
    with collector.watch(network, optimizer, loss_fn=loss_fn) as run:
        for step, rows in enumerate(batches(len(inputs), steps), start=1):
            optimizer.zero_grad()
            loss = loss_fn(network(inputs[rows]), labels[rows])
            loss.backward()
            optimizer.step()
            run.step(loss)
            if step % EVALUATION_STEPS == 0:
                metrics = evaluate(network, inputs, labels)
                run.log({f"digits/{metric}": value for metric, value in metrics.items()})
                if reached is None and metrics["loss"] <= TARGET:
                    reached = step
    return reached


def optimizer_of(name: str, network: nn.Module) -> torch.optim.Optimizer:
    """Return THOR, or SGD with the best learning rate of 0.01, 0.02, 0.03, 0.05 and 0.1."""
    if name == "SGD":
        return torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
    optimizer: torch.optim.Optimizer = thor(
        network,
        learning_rate=lambda step: 0.1 * 0.99**step,
        damping=0.1,
        momentum=0.9,
        frequency=10,
        trust_region=0.001,
    )
    return optimizer


def classifier() -> nn.Module:
    """Return a network of three layers: 64 features to the scores of ten digits."""
    layers = [
        ("fc1", nn.Linear(64, 64)),
        ("relu1", nn.ReLU()),
        ("fc2", nn.Linear(64, 32)),
        ("relu2", nn.ReLU()),
        ("fc3", nn.Linear(32, 10)),
    ]
    return nn.Sequential(OrderedDict(layers))


def badly_scaled_digits() -> tuple[Tensor, Tensor]:
    """Return the features float32[1797, 64] and the labels int64[1797]."""
    bunch = load_digits()
    pixels = torch.tensor(bunch.data, dtype=torch.float32) / 16
    rotation, _ = torch.linalg.qr(torch.randn(64, 64))
    scales = torch.logspace(-1.5, 1, 64)
    return (pixels - pixels.mean(0)) @ rotation * scales + 2, torch.tensor(bunch.target)


def batches(samples: int, number: int) -> Iterator[Tensor]:
    """Yield the rows of random batches."""
    for _ in range(number):
        yield torch.randint(0, samples, (BATCH,))


@torch.no_grad()
def evaluate(network: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """Return loss and accuracy over all digits."""
    network.eval()
    scores = network(inputs)
    network.train()
    accuracy = (scores.argmax(1) == labels).float().mean()
    return {"loss": nn.functional.cross_entropy(scores, labels), "accuracy": accuracy}


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--logdir", default="runs/digits-thor", help="directory of the runs (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=400, help="steps of each run (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
