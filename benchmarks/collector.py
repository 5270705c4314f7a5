"""Measure what a SummaryCollector costs a PyTorch training.

python benchmarks/collector.py [--rounds N] [--seconds S]    (make bench-collector)

Three measurements, each in processes of their own:

* run.step() with only the loss collected, after 1 ms of other work: median and 95th percentile of the wall time, and
  the median of the CPU time, which a busy machine disturbs less.
* A plain loop with default settings and steps of 5, 20 and 50 ms: the CPU time of our calls (entering and leaving the
  run, hooks, step()) and of our threads, counted inside the process. Two lengths of the loop separate the cost of a
  step from the fixed cost of a run.
* Whole runs with steps of 5 ms, with and without a collector in alternating order: CPU time of the processes.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LOSS_ONLY: dict[str, Any] = {"collect_specified_data": {"collect_metric": True}, "keep_default_action": False}
STEP_MILLISECONDS = (5, 20, 50)
GOALS = {5: 3.0, 20: 1.0, 50: 0.5}
WARM_UP_STEPS = 50
EPOCH_STEPS = 100


def main() -> None:
    """Run all measurements, or, in a child process, one of them."""
    options = parse_options()
    if options.trial:
        trials: dict[str, Callable[..., dict[str, float]]] = {"step": step_cost, "loop": loop_cost, "run": run_cost}
        trial = trials[options.trial]
        print(json.dumps(trial(**json.loads(options.arguments))))
        return
    costs = [measure("step") for _ in range(options.rounds)]
    median, p95, cpu = (statistics.median(cost[key] for cost in costs) for key in ("median", "p95", "cpu"))
    print(f"run.step, loss only: median {median:.1f} us (goal 50), ", end="")
    print(f"95th percentile {p95:.1f} us (goal 150), CPU {cpu:.1f} us")
    for milliseconds in STEP_MILLISECONDS:
        print_loop(milliseconds, options)
    pairs = [measure_pair(number, options.seconds) for number in range(options.rounds)]
    overheads = [100 * (with_ / without - 1) for without, with_ in pairs]
    print(f"whole runs of {options.seconds:g} s at 5 ms: {statistics.median(overheads):.1f} % more CPU time ", end="")
    print(f"(rounds: {', '.join(f'{overhead:.1f}' for overhead in overheads)})")


def print_loop(milliseconds: int, options: argparse.Namespace) -> None:
    """Measure and print the cost of a step of this length."""
    steps = round(1000 * options.seconds / milliseconds)
    shares, fixed = [], []
    for _ in range(options.rounds):
        short, long = (measure("loop", milliseconds=milliseconds, steps=number) for number in (steps, 3 * steps))
        step = (long["ours"] - short["ours"]) / (2 * steps)
        shares.append(100 * step / (long["step"]))
        fixed.append(short["ours"] - steps * step)
    print(f"steps of {milliseconds} ms: {statistics.median(shares):.2f} % (goal {GOALS[milliseconds]}), ", end="")
    print(f"fixed {statistics.median(fixed):.2f} s (rounds: {', '.join(f'{share:.2f}' for share in shares)})")


def measure_pair(number: int, seconds: float) -> tuple[float, float]:
    """Return the CPU seconds of a run without and of one with a collector; odd pairs begin with the latter."""
    steps = round(1000 * seconds / 5)
    order = (True, False) if number % 2 else (False, True)
    found = {is_collected: measure("run", is_collected=is_collected, steps=steps) for is_collected in order}
    return found[False]["cpu"], found[True]["cpu"]


def measure(trial: str, **arguments: Any) -> dict[str, float]:
    """Run one trial in a child process."""
    command = [sys.executable, __file__, "--trial", trial, "--arguments", json.dumps(arguments)]
    result: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result


def step_cost(steps: int = 2000) -> dict[str, float]:
    """Return the cost of run.step() in microseconds."""
    from toposcope.recorder.callbacks import SummaryCollector

    train, network, optimizer, _ = training()
    walls, cpus = [], []
    with (
        tempfile.TemporaryDirectory() as directory,
        SummaryCollector(directory, **LOSS_ONLY).watch(network, optimizer) as run,
    ):
        for _ in range(steps):
            loss = train()
            work_for(0.001)
            wall, cpu = time.perf_counter(), time.thread_time()
            run.step(loss)
            walls.append(1e6 * (time.perf_counter() - wall))
            cpus.append(1e6 * (time.thread_time() - cpu))
    walls, cpus = sorted(walls[WARM_UP_STEPS:]), sorted(cpus[WARM_UP_STEPS:])
    return {"median": walls[len(walls) // 2], "p95": walls[int(0.95 * len(walls))], "cpu": cpus[len(cpus) // 2]}


def loop_cost(milliseconds: float, steps: int) -> dict[str, float]:
    """Return the CPU seconds of our calls and threads in a loop at defaults, and of one step without them."""
    from toposcope.recorder.callbacks import SummaryCollector
    from toposcope.recorder.training.own_loops import watched_run

    train, network, optimizer, batches = training()
    for _ in range(WARM_UP_STEPS):
        train()
    clock = CallClock()
    for name in ("step", "_begin_micro_batch", "_after_optimizer_step", "__enter__", "__exit__"):
        clock.count(watched_run.WatchedRun, name)
    with tempfile.TemporaryDirectory() as directory:
        threads, main_thread = threads_time(), time.thread_time()
        with clock.counting():
            collector = SummaryCollector(directory)
        with collector.watch(network, optimizer, batches) as run:
            for _ in range(steps):
                began = time.thread_time()
                loss = train()
                work_for(milliseconds / 1000 - (time.thread_time() - began))
                run.step(loss)
        ours = clock.seconds + threads_time() - threads
        theirs = time.thread_time() - main_thread - clock.seconds
    return {"ours": ours, "step": theirs / steps}


def run_cost(is_collected: bool, steps: int) -> dict[str, float]:
    """Return the CPU seconds of a whole loop with steps of 5 ms, with or without a collector at defaults."""
    from toposcope.recorder.callbacks import SummaryCollector
    from toposcope.recorder.training.watch import watch

    train, network, optimizer, batches = training()
    for _ in range(WARM_UP_STEPS):
        train()

    def train_for_5_ms() -> Any:
        began = time.thread_time()
        loss = train()
        work_for(0.005 - (time.thread_time() - began))
        return loss

    with tempfile.TemporaryDirectory() as directory:
        began = time.process_time()
        callbacks = [SummaryCollector(directory)] if is_collected else []
        if is_collected:
            with watch(callbacks, network, optimizer, batches) as run:
                for _ in range(steps):
                    run.step(train_for_5_ms())
        else:
            for _ in range(steps):
                train_for_5_ms()
        return {"cpu": time.process_time() - began}


def training(batch: int = 8) -> tuple[Callable[[], Any], Any, Any, Any]:
    """Return a function that trains one step of a small convolutional network; the network, optimizer and loader."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10)
    )
    images, labels = torch.randn(batch, 1, 16, 16), torch.randint(0, 10, (batch,))
    network(images)
    optimizer, criterion = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9), nn.CrossEntropyLoss()
    # The loop uses the one batch; the loader only determines the length of an epoch.
    samples = torch.utils.data.TensorDataset(images.repeat(EPOCH_STEPS, 1, 1, 1), labels.repeat(EPOCH_STEPS))
    batches = torch.utils.data.DataLoader(samples, batch_size=batch)

    def train() -> Any:
        optimizer.zero_grad()
        loss = criterion(network(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    return train, network, optimizer, batches


def work_for(seconds: float, memory: bytearray = bytearray(4 << 20)) -> None:  # noqa: B008 (allocated once)
    """Compute and use memory, as a training does, so that the caches hold something else afterwards."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        memory[::64] = memory[::64]


def threads_time() -> float:
    """Return the CPU seconds of all threads but this one, and of child processes that have ended."""
    import os

    times = os.times()
    return time.process_time() - time.thread_time() + times.children_user + times.children_system


class CallClock:
    """Adds up the CPU time of calls in this thread; calls inside calls count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the CPU time of the block."""
        self._depth += 1
        began = time.thread_time()
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.seconds += time.thread_time() - began

    def count(self, kind: type, name: str) -> None:
        """Count the calls of a method."""
        method = getattr(kind, name)

        def counted(*arguments: Any, **more: Any) -> Any:
            self._depth += 1
            began = time.thread_time()
            try:
                return method(*arguments, **more)
            finally:
                self._depth -= 1
                if not self._depth:
                    self.seconds += time.thread_time() - began

        setattr(kind, name, counted)


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="repetitions of each measurement (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the short loops (default: %(default)s)")
    parser.add_argument("--trial", choices=["step", "loop", "run"], help=argparse.SUPPRESS)
    parser.add_argument("--arguments", default="{}", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
