"""Train small networks on handwritten digits with thirteen settings, and record them with Toposcope.

    python examples/digits.py --logdir runs/digits
    summary-server --logdir runs

The network and its optimizer are plain NumPy, so that nothing is hidden; the 1797 images are part of scikit-learn.
One learning rate is far too high: that run fails. The code for recording is in digits_recording.py, the code for loss
landscapes in digits_landscape.py.
"""

import argparse
import contextlib
import math
import os
import signal
import time
from typing import NamedTuple

import numpy as np
from digits_landscape import compute_landscapes, landscape_checkpoints
from digits_network import Network
from digits_recording import collected, record_beginning, record_details, record_training, record_validation
from rich.progress import track
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from toposcope.recorder import SummaryRecord
from toposcope.recorder.training.own_loops.watched_run import WatchedRun

RUNS = 12
LOWEST_RATE, HIGHEST_RATE = 0.003, 1.0  # Learning rates, from too low to too high.
MOMENTA = (0.0, 0.5, 0.9)
HIDDEN = (4, 8, 16, 32, 64)
EXPLORED = 7  # The run whose loss landscapes are computed.
DIVERGING = {"learning_rate": 10.0, "momentum": 0.9, "hidden": 64}
HIGHEST_LOSS = 5.0  # Above it a training fails.
VALIDATION_STEPS, DETAIL_STEPS = 25, 75
BATCH = 64


class Run(NamedTuple):
    """A network with its settings, and what records it."""

    settings: dict[str, float]
    network: Network
    directory: str
    recorder: SummaryRecord
    collection: WatchedRun
    """Records the process: its environment, output and machine; of one run also checkpoints."""
    recording: contextlib.ExitStack
    """Ends the recording."""

    @property
    def name(self) -> str:
        """The name of the directory."""
        return os.path.basename(self.directory)


def main() -> None:
    """Train all runs in parallel, step by step, so that their curves grow together; then compute the landscapes."""
    options = parse_options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # The demo ends the training: its runs are interrupted.
    random = np.random.default_rng(options.seed)
    pixels, digits = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(pixels / 16, digits, test_size=0.25, random_state=options.seed)
    data = {"train": len(train_x), "validation": len(test_x), "batch": BATCH, "steps": options.steps}
    # A learning rate that is too high causes overflows. They are visible in the curves: no warning is needed.
    with contextlib.ExitStack() as recordings, np.errstate(over="ignore", invalid="ignore"):
        runs = [
            new_run(options, data, settings, place == EXPLORED) for place, settings in enumerate(sweep(options.seed))
        ]
        for run in runs:
            recordings.push(run.recording)
        explored = runs[EXPLORED]
        began = time.monotonic()
        for step in track(range(1, options.steps + 1), description="Training"):
            batch = random.choice(len(train_x), BATCH, replace=False)
            for run in list(runs):
                try:
                    train(run, step, options.steps, train_x[batch], train_y[batch])
                except ArithmeticError as error:
                    print(f"{run.name} failed: {error}", flush=True)
                    run.recording.__exit__(type(error), error, error.__traceback__)
                    runs.remove(run)
            if step % VALIDATION_STEPS == 0:
                accuracies = {run.name: validate(run, step, test_x, test_y) for run in runs}
                best = max(accuracies, key=accuracies.__getitem__)
                print(f"step {step:4}: the best run is {best}, accuracy {accuracies[best]:.1%}", flush=True)
            time.sleep(max(0.0, began + options.seconds * step / options.steps - time.monotonic()))
    print(f"Computing the loss landscapes of {explored.name}.", flush=True)
    with np.errstate(over="ignore", invalid="ignore"):
        compute_landscapes(explored.directory, lambda: new_network(explored.settings), train_x, train_y)


def train(run: Run, step: int, steps: int, images: np.ndarray, digits: np.ndarray) -> None:
    """Train a network with a batch, and record the step.

    Raises:
        ArithmeticError: the training has diverged.
    """
    run.network.learning_rate = scheduled(run.settings["learning_rate"], step, steps)
    loss, guesses = run.network.train_step(images, digits)
    record_training(run.recorder, step, guesses, run.network.learning_rate)
    run.collection.step(loss)
    if not loss <= HIGHEST_LOSS:
        raise ArithmeticError(f"The training has diverged: the loss is {loss:.3g} at step {step}.")


def validate(run: Run, step: int, images: np.ndarray, digits: np.ndarray) -> float:
    """Evaluate a network on images that it was not trained on, record the results, and return its accuracy."""
    guesses = run.network.guess(images, digits)
    record_validation(run.recorder, step, guesses)
    if step % DETAIL_STEPS == 0:
        record_details(run.recorder, step, run.network, images, guesses)
    return guesses.accuracy


def sweep(seed: int) -> list[dict[str, float]]:
    """Return the settings of all runs: logarithmically spaced learning rates, the others random; last the diverging."""
    random = np.random.default_rng(seed)
    spaced = [
        {
            "learning_rate": float(f"{learning_rate:.2g}"),
            "momentum": float(random.choice(MOMENTA)),
            "hidden": int(random.choice(HIDDEN)),
            "seed": seed,
        }
        for learning_rate in np.geomspace(LOWEST_RATE, HIGHEST_RATE, RUNS)
    ]
    return [*spaced, DIVERGING | {"seed": seed}]


def new_run(options: argparse.Namespace, data: dict[str, int], settings: dict[str, float], is_explored: bool) -> Run:
    """Start a run in a new directory; checkpoints for landscapes are saved of the explored one."""
    directory = os.path.join(options.logdir, "lr={learning_rate:g} m={momentum:g} h={hidden}".format(**settings))
    recording, network = contextlib.ExitStack(), new_network(settings)
    recorder = recording.enter_context(SummaryRecord(directory))
    record_beginning(recorder, network, settings, data)
    checkpoints = landscape_checkpoints(options.steps, options.size, data["train"]) if is_explored else None
    collection = recording.enter_context(collected(directory, network, options.steps, checkpoints))
    return Run(settings, network, directory, recorder, collection, recording)


def new_network(settings: dict[str, float]) -> Network:
    """Return an untrained network; networks of the same size have the same initial weights."""
    return Network(int(settings["hidden"]), settings["momentum"], np.random.default_rng(int(settings["seed"])))


def scheduled(peak: float, step: int, steps: int) -> float:
    """Return the learning rate of a step: a short warm-up, then cosine decay to zero."""
    warm_up = min(1.0, step / 100)
    return peak * warm_up * 0.5 * (1 + math.cos(math.pi * step / steps))


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logdir", default="runs/digits", help="directory of the runs (default: %(default)s)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=30.0,
        help="minimum duration, so that the training can be watched (default: %(default)s; 0: full speed)",
    )
    parser.add_argument("--steps", type=int, default=1500, help="steps of each run (default: %(default)s)")
    parser.add_argument(
        "--size", type=int, default=33, help="grid points per side of a loss landscape (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
