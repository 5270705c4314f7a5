"""Measure what a call of SummaryWriter takes, beside the writers of PyTorch and tensorboardX.

python benchmarks/summary_writer.py [--rounds N]    (make bench-writer)

The writers take turns in blocks of calls, and each is flushed after its block: the background thread of one takes no
time from another. "paced" calls follow some arithmetic each, which empties the caches as a training step does. Prints
the median over the blocks of the mean microseconds a call, without the two longest of a block, and how many times as
long the others take.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from toposcope.recorder import SummaryWriter

_SCALAR_GOAL, _HISTOGRAM_GOAL = "<= 1/20 of both", "<= 1/2 of both"
Call = Callable[[Any, int], None]


def main() -> None:
    """Measure all calls and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12, help="blocks of each writer (default: %(default)s)")
    rounds = parser.parse_args().rounds
    torch = import_module("torch")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as directory:
        writers = {
            "ours": SummaryWriter(f"{directory}/ours"),
            "torch": import_module("torch.utils.tensorboard").SummaryWriter(f"{directory}/torch"),
            "tensorboardX": import_module("tensorboardX").SummaryWriter(f"{directory}/tensorboardX"),
        }
        for name, goal, calls, is_paced, call in measurements(torch):
            microseconds: dict[str, list[float]] = {each: [] for each in writers}
            for _ in range(rounds):
                for each, writer in writers.items():
                    microseconds[each].append(block(writer, call, calls, is_paced))
            show(name, goal, {each: statistics.median(values) for each, values in microseconds.items()})
        for writer in writers.values():
            writer.close()


def measurements(torch: Any) -> Iterator[tuple[str, str, int, bool, Call]]:
    """Yield (description, goal, calls of a block, whether they are paced, the call)."""

    def scalar(writer: Any, step: int) -> None:
        writer.add_scalar("loss", 0.1 * step, step)

    yield "add_scalar", _SCALAR_GOAL, 2000, False, scalar
    yield "add_scalar, paced, 1 a step", _SCALAR_GOAL, 100, True, scalar

    def ten_scalars(writer: Any, step: int) -> None:
        for number in range(10):
            writer.add_scalar(f"loss/{number}", 0.1 * step, step)

    yield "10 add_scalar, paced, 10 a step", _SCALAR_GOAL, 50, True, ten_scalars
    for size in (1_000, 100_000, 1_000_000):
        values = torch.randn(size)

        def histogram(writer: Any, step: int, values: Any = values) -> None:
            writer.add_histogram("weights", values, step)

        yield f"add_histogram, {size:,} float32", _HISTOGRAM_GOAL, 10, False, histogram


def block(writer: Any, call: Call, calls: int, is_paced: bool) -> float:
    """Return the mean microseconds of a block of calls, without the two longest."""
    matrix = np.random.default_rng(0).random((400, 400))
    waits = []
    for step in range(calls):
        if is_paced:
            matrix @ matrix[:, :50]
        start = time.perf_counter()
        call(writer, step)
        waits.append(time.perf_counter() - start)
    writer.flush()
    time.sleep(0.02)  # Until its thread waits.
    return 1e6 * statistics.mean(sorted(waits)[:-2])


def show(name: str, goal: str, medians: dict[str, float]) -> None:
    """Print a line."""
    ours = medians["ours"]
    others = ", ".join(
        f"{each} {value:9.1f} = {value / ours:5.1f} x" for each, value in medians.items() if each != "ours"
    )
    print(f"{name:34} goal {goal:16} ours {ours:8.2f} us, {others}", flush=True)


if __name__ == "__main__":
    main()
