"""Measure the fixed cost of a run: what SummaryCollector costs a PyTorch training however short it is.

python benchmarks/run_fixed_cost.py [--rounds N] [--steps N]    (make bench-fixed-cost)

A round is one training of a small network in a plain loop with the collector at defaults and one without it, each in a
separate process, in alternating order. CPU time is that of all threads and child processes (git, for example). Prints
the median of the differences from the beginning of the import of Toposcope to the end of the process, and its parts.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

PARTS = ("import", "open", "first step", "other steps", "training", "close", "exit")


def main() -> None:
    """Run all rounds, or, in a child process, one training."""
    options = parse_options()
    if options.trial:
        train(options.trial == "with", options.steps)
        return
    rounds = [measure_round(index, options.steps) for index in range(options.rounds)]
    print(f"{options.steps} steps, {options.rounds} rounds, medians")
    differences = [with_["cpu"] - without["cpu"] for with_, without in rounds]
    print(f"fixed cost, all threads and processes {1000 * statistics.median(differences):8.1f} ms CPU  ", end="")
    print(f"(rounds: {', '.join(f'{1000 * each:.0f}' for each in differences)})")
    for part in PARTS:
        cpu = statistics.median(with_[part][0] - without[part][0] for with_, without in rounds)
        thread = statistics.median(with_[part][1] - without[part][1] for with_, without in rounds)
        print(f"  {part:12} {1000 * cpu:8.1f} ms CPU, of them {1000 * thread:8.1f} ms of the training thread")


def measure_round(index: int, steps: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the times of the training with the collector and of the one without."""
    order = ("with", "without") if index % 2 else ("without", "with")
    times = {trial: measure(trial, steps) for trial in order}
    return times["with"], times["without"]


def measure(trial: str, steps: int) -> dict[str, Any]:
    """Run one training in a child process."""
    command = [sys.executable, __file__, "--trial", trial, "--steps", str(steps)]
    before = cpu_seconds(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    cpu = cpu_seconds(resource.RUSAGE_CHILDREN) - before
    times: dict[str, Any] = json.loads(done.stdout)
    known = sum(part[0] for part in times.values())
    since_import = cpu - times["before"][0]
    return {**times, "exit": (cpu - known, 0.0), "cpu": since_import}


def cpu_seconds(whose: int) -> float:
    """Return the CPU time of this process or of its children that have ended."""
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


class Clock:
    """Splits the CPU time of this process and its children, and of this thread, into parts."""

    def __init__(self) -> None:
        self._last = self._now()
        self.parts: dict[str, tuple[float, float]] = {"before": self._last}

    def _now(self) -> tuple[float, float]:
        return cpu_seconds(resource.RUSAGE_SELF) + cpu_seconds(resource.RUSAGE_CHILDREN), time.thread_time()

    def end(self, part: str) -> None:
        """Count the time since the last part as *part*."""
        now = self._now()
        before, spent = self.parts.get(part, (0.0, 0.0)), (now[0] - self._last[0], now[1] - self._last[1])
        self.parts[part] = (before[0] + spent[0], before[1] + spent[1])
        self._last = now


def train(is_collected: bool, steps: int) -> None:
    """Train, and print the times of the parts that belong to the recorder."""
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network: Any = torch.nn.Sequential(
        *(torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.Conv2d(8, 16, 3), torch.nn.ReLU()),
        *(torch.nn.Flatten(), torch.nn.Linear(256, 10)),
    )
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(64, 1, 8, 8), torch.randint(0, 10, (64,))
    clock = Clock()
    with tempfile.TemporaryDirectory() as directory:
        run: Any = nullcontext()
        record: Callable[[Any], object] = id
        if is_collected:
            from toposcope.recorder.callbacks import SummaryCollector

            clock.end("import")
            run = SummaryCollector(directory).watch(network, optimizer, range(steps))
            record = run.step
        run.__enter__()
        clock.end("open")
        for step in range(steps):
            optimizer.zero_grad()
            loss: Any = torch.nn.functional.cross_entropy(network(images), labels)
            loss.backward()
            optimizer.step()
            clock.end("training")
            record(loss)
            clock.end("other steps" if step else "first step")
        run.__exit__(None, None, None)
        clock.end("close")
    parts = {part: clock.parts.get(part, (0.0, 0.0)) for part in ("before", *PARTS[:-1])}
    print(json.dumps(parts))


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="pairs of trainings (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=5, help="steps of a training (default: %(default)s)")
    parser.add_argument("--trial", choices=["with", "without"], help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
