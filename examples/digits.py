"""Train small networks on handwritten digits at four learning rates, and record the training with Toposcope.

    python examples/digits.py --logdir runs/digits
    summary-server --logdir runs

The network and its optimiser are plain NumPy, so that everything is in view; the 1797 images come with scikit-learn.
What recording takes is in record_training() and record_validation().
"""

import argparse
import contextlib
import math
import os
import time
from dataclasses import dataclass, field

import numpy as np
from rich.progress import track
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from toposcope.recorder import SummaryRecord

LEARNING_RATES = (0.001, 0.01, 0.1, 1.0)  # From too low to too high.
STEPS = 1500
VALIDATION_STEPS = 25
BATCH = 64
HIDDEN = 64
MOMENTUM = 0.9

Arrays = list[np.ndarray]


@dataclass
class Network:
    """Two layers, 64 pixels -> HIDDEN rectified units -> 10 digits, trained by gradient descent with momentum."""

    parameters: Arrays
    velocities: Arrays = field(init=False)

    def __post_init__(self) -> None:
        self.velocities = [np.zeros_like(parameter) for parameter in self.parameters]

    def train(self, images: np.ndarray, digits: np.ndarray, learning_rate: float) -> tuple[float, float]:
        """Take one step downhill; return loss and accuracy before it."""
        hidden, probabilities = self._forward(images)
        error = probabilities - np.eye(10)[digits]
        error_hidden = (error @ self.parameters[2].T) * (hidden > 0)
        sums = [images.T @ error_hidden, error_hidden.sum(axis=0), hidden.T @ error, error.sum(axis=0)]
        for parameter, velocity, gradient in zip(self.parameters, self.velocities, sums, strict=True):
            velocity *= MOMENTUM
            velocity -= learning_rate * gradient / len(images)
            parameter += velocity
        return loss_and_accuracy(probabilities, digits)

    def evaluate(self, images: np.ndarray, digits: np.ndarray) -> tuple[float, float]:
        """Return loss and accuracy."""
        return loss_and_accuracy(self._forward(images)[1], digits)

    def _forward(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights_in, bias_in, weights_out, bias_out = self.parameters
        hidden = np.maximum(images @ weights_in + bias_in, 0)
        scores = hidden @ weights_out + bias_out
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        return hidden, exponentials / exponentials.sum(axis=1, keepdims=True)


@dataclass
class Run:
    """One learning rate: its network, and the recorder of its curves."""

    learning_rate: float
    network: Network
    recorder: SummaryRecord


def main() -> None:
    """Train all runs step by step, side by side, so that their curves grow together."""
    options = parse_options()
    random = np.random.default_rng(options.seed)
    pixels, digits = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(pixels / 16, digits, test_size=0.25, random_state=options.seed)
    # Too high a learning rate makes numbers overflow. It is in the curves; NumPy need not say so too.
    with contextlib.ExitStack() as recorders, np.errstate(over="ignore", invalid="ignore"):
        runs = [new_run(options.logdir, rate, recorders, options.seed) for rate in LEARNING_RATES]
        began = time.monotonic()
        for step in track(range(1, STEPS + 1), description="Training"):
            batch = random.choice(len(train_x), BATCH, replace=False)
            for run in runs:
                record_training(run, step, train_x[batch], train_y[batch])
                if step % VALIDATION_STEPS == 0:
                    record_validation(run, step, test_x, test_y)
            time.sleep(max(0.0, began + options.seconds * step / STEPS - time.monotonic()))


def record_training(run: Run, step: int, images: np.ndarray, digits: np.ndarray) -> None:
    """Train one step and record how it went."""
    learning_rate = scheduled(run.learning_rate, step)
    loss, accuracy = run.network.train(images, digits, learning_rate)
    run.recorder.add_value("scalar", "train/loss", loss)
    run.recorder.add_value("scalar", "train/accuracy", accuracy)
    run.recorder.add_value("scalar", "learning_rate", learning_rate)
    run.recorder.record(step)


def record_validation(run: Run, step: int, images: np.ndarray, digits: np.ndarray) -> None:
    """Evaluate on images that the network was not trained on, and record how it went."""
    loss, accuracy = run.network.evaluate(images, digits)
    run.recorder.add_value("scalar", "validation/loss", loss)
    run.recorder.add_value("scalar", "validation/accuracy", accuracy)
    run.recorder.record(step)


def new_run(logdir: str, learning_rate: float, recorders: contextlib.ExitStack, seed: int) -> Run:
    """Begin a run in a directory of its own. All runs begin with the same network."""
    recorder = recorders.enter_context(SummaryRecord(os.path.join(logdir, f"lr={learning_rate}")))
    return Run(learning_rate, new_network(np.random.default_rng(seed)), recorder)


def new_network(random: np.random.Generator) -> Network:
    """Return an untrained network."""
    weights_in = random.normal(0, math.sqrt(2 / 64), (64, HIDDEN))
    weights_out = random.normal(0, math.sqrt(1 / HIDDEN), (HIDDEN, 10))
    return Network([weights_in, np.zeros(HIDDEN), weights_out, np.zeros(10)])


def scheduled(peak: float, step: int) -> float:
    """Return the learning rate of a step: a short warm-up, then half a cosine down to zero."""
    warm_up = min(1.0, step / 100)
    return peak * warm_up * 0.5 * (1 + math.cos(math.pi * step / STEPS))


def loss_and_accuracy(probabilities: np.ndarray, digits: np.ndarray) -> tuple[float, float]:
    """Return the mean cross entropy and the share of digits that were recognised."""
    given = probabilities[np.arange(len(digits)), digits]
    loss = -np.log(np.maximum(given, 1e-300)).mean()
    return float(loss), float((probabilities.argmax(axis=1) == digits).mean())


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logdir", default="runs/digits", help="where the runs are recorded (default: %(default)s)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=30.0,
        help="how long to take at least: the training would be "
        "over in seconds, and it is meant to be watched (default: %(default)s; 0: full speed)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
