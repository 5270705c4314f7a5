"""Train small networks on handwritten digits with twelve settings, and record the training with Toposcope.

    python examples/digits.py --logdir runs/digits
    summary-server --logdir runs

The network and its optimiser are plain NumPy, so that everything is in view; the 1797 images come with scikit-learn.
What recording takes is in digits_recording.py, and what a loss landscape takes in digits_landscape.py.
"""

import argparse
import contextlib
import math
import os
import time
from typing import NamedTuple

import numpy as np
from digits_landscape import compute_landscapes, with_checkpoints
from digits_network import Network
from digits_recording import record_beginning, record_details, record_training, record_validation
from rich.progress import track
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from toposcope.recorder import SummaryRecord

RUNS = 12
LOWEST_RATE, HIGHEST_RATE = 0.003, 1.0  # Of learning; from too low to too high.
MOMENTA = (0.0, 0.5, 0.9)
HIDDEN = (4, 8, 16, 32, 64)
EXPLORED = 7  # The run around which the loss is computed.
VALIDATION_STEPS, DETAIL_STEPS = 25, 75
BATCH = 64


class Run(NamedTuple):
    """A network, what it is trained with, and the recorder of what happens to it."""

    settings: dict[str, float]
    network: Network
    directory: str
    recorder: SummaryRecord


def main() -> None:
    """Train all runs step by step, side by side, so that their curves grow together; then look around one of them."""
    options = parse_options()
    random = np.random.default_rng(options.seed)
    pixels, digits = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(pixels / 16, digits, test_size=0.25, random_state=options.seed)
    data = {"train": len(train_x), "validation": len(test_x), "batch": BATCH, "steps": options.steps}
    # Too high a learning rate makes numbers overflow. It is in the curves; NumPy need not say so too.
    with contextlib.ExitStack() as recorders, np.errstate(over="ignore", invalid="ignore"):
        runs = [new_run(options.logdir, recorders, data, settings) for settings in sweep(options.seed)]
        explored = runs[EXPLORED]
        checkpoints = with_checkpoints(explored.directory, explored.network, options.steps, options.size, len(train_x))
        recorders.enter_context(checkpoints)
        began = time.monotonic()
        for step in track(range(1, options.steps + 1), description="Training"):
            batch = random.choice(len(train_x), BATCH, replace=False)
            for run in runs:
                run.network.learning_rate = scheduled(run.settings["learning_rate"], step, options.steps)
                loss, guesses = run.network.train_step(train_x[batch], train_y[batch])
                record_training(run.recorder, step, guesses, run.network.learning_rate)
                if step % VALIDATION_STEPS == 0:
                    validate(run, step, test_x, test_y)
                if run is explored:
                    checkpoints.step(loss)
            time.sleep(max(0.0, began + options.seconds * step / options.steps - time.monotonic()))
    print(f"Computing the loss landscapes of {os.path.basename(explored.directory)}.", flush=True)
    with np.errstate(over="ignore", invalid="ignore"):
        compute_landscapes(explored.directory, lambda: new_network(explored.settings), train_x, train_y)


def validate(run: Run, step: int, images: np.ndarray, digits: np.ndarray) -> None:
    """Try a network on images that it was not trained on, and record how it went; now and then in detail."""
    guesses = run.network.guess(images, digits)
    record_validation(run.recorder, step, guesses)
    if step % DETAIL_STEPS == 0:
        record_details(run.recorder, step, run.network, images, guesses)


def sweep(seed: int) -> list[dict[str, float]]:
    """Return the settings of all runs: learning rates as far from one to the next, the others by chance."""
    random = np.random.default_rng(seed)
    return [
        {
            "learning_rate": float(f"{learning_rate:.2g}"),
            "momentum": float(random.choice(MOMENTA)),
            "hidden": int(random.choice(HIDDEN)),
            "seed": seed,
        }
        for learning_rate in np.geomspace(LOWEST_RATE, HIGHEST_RATE, RUNS)
    ]


def new_run(logdir: str, recorders: contextlib.ExitStack, data: dict[str, int], settings: dict[str, float]) -> Run:
    """Begin a run in a directory of its own."""
    directory = os.path.join(logdir, "lr={learning_rate:g} m={momentum:g} h={hidden}".format(**settings))
    recorder = recorders.enter_context(SummaryRecord(directory))
    network = new_network(settings)
    record_beginning(recorder, network, settings, data)
    return Run(settings, network, directory, recorder)


def new_network(settings: dict[str, float]) -> Network:
    """Return an untrained network. Those of one size begin alike."""
    return Network(int(settings["hidden"]), settings["momentum"], np.random.default_rng(int(settings["seed"])))


def scheduled(peak: float, step: int, steps: int) -> float:
    """Return the learning rate of a step: a short warm-up, then half a cosine down to zero."""
    warm_up = min(1.0, step / 100)
    return peak * warm_up * 0.5 * (1 + math.cos(math.pi * step / steps))


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
    parser.add_argument("--steps", type=int, default=1500, help="of each run (default: %(default)s)")
    parser.add_argument(
        "--size", type=int, default=33, help="nodes of a loss landscape, each way (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
