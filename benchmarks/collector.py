"""Measure the overhead of a SummaryCollector with default settings in a PyTorch training with steps of 50 ms or more.

python benchmarks/collector.py [--rounds N] [--steps N]    (make bench-collector)

A round is one training with the collector and one without, each in a separate process, in alternating order. The whole
call of Model.train() is compared: opening the files, recording the graph and closing the files included. Prints the
median overhead and that of each round, the part of it before the first step ends, and the time of a step.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

WARM_UP_STEPS = 5
BATCH = 128


def main() -> None:
    """Run all rounds, or, in a child process, one training."""
    options = parse_options()
    if options.trial:
        print(json.dumps(train(options.trial == "with", options.steps)))
        return
    rounds = [measure_round(index, options.steps) for index in range(options.rounds)]
    plain = [round_["without"] for round_ in rounds]
    overheads = [round_["with"]["seconds"] / round_["without"]["seconds"] - 1 for round_ in rounds]
    once = [round_["with"]["first_step"] - round_["without"]["first_step"] for round_ in rounds]
    print(f"{options.steps} steps of {1000 * statistics.median(trial['step'] for trial in plain):.1f} ms (median)")
    print(f"training without collector  {statistics.median(trial['seconds'] for trial in plain):8.2f} s")
    print(f"overhead of the whole run   {100 * statistics.median(overheads):8.2f} %  ", end="")
    print(f"(rounds: {', '.join(f'{100 * overhead:.2f}' for overhead in overheads)})")
    print(f"of it up to the first step  {statistics.median(once):8.2f} s")


def measure_round(index: int, steps: int) -> dict[str, dict[str, float]]:
    """Return the times of both trainings of a round."""
    order = ("with", "without") if index % 2 else ("without", "with")
    return {trial: measure(trial, steps) for trial in order}


def measure(trial: str, steps: int) -> dict[str, float]:
    """Run one training in a child process."""
    command = [sys.executable, __file__, "--trial", trial, "--steps", str(steps)]
    result: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result


def train(is_collected: bool, steps: int) -> dict[str, float]:
    """Train and return the seconds of the whole training, until the end of the first step, and of a median step."""
    import torch

    from toposcope.recorder.callbacks.lambda_callback import LambdaCallback
    from toposcope.recorder.callbacks.summary_collector import SummaryCollector
    from toposcope.recorder.training import Model

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = convolutional_network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    model = Model(network, torch.nn.CrossEntropyLoss(), optimizer, metrics={"acc"})
    batches = [(torch.randn(BATCH, 3, 32, 32), torch.randint(0, 10, (BATCH,)))] * steps
    model.train(1, batches[:WARM_UP_STEPS])
    ends: list[float] = []
    clock = LambdaCallback(on_train_step_end=lambda run_context: ends.append(time.perf_counter()))
    with tempfile.TemporaryDirectory() as directory:
        callbacks = [SummaryCollector(directory), clock] if is_collected else [clock]
        began = time.perf_counter()
        model.train(1, batches, callbacks=callbacks)
        seconds = time.perf_counter() - began
    step = statistics.median(later - earlier for earlier, later in itertools.pairwise(ends))
    return {"seconds": seconds, "first_step": ends[0] - began, "step": step}


def convolutional_network() -> Any:
    """Return a network whose step takes more than 50 ms on one core."""
    from torch import nn

    return nn.Sequential(
        *(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(48 * 8 * 8, 10)),
    )


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="pairs of trainings (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=1000, help="steps of a training (default: %(default)s)")
    parser.add_argument("--trial", choices=["with", "without"], help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
