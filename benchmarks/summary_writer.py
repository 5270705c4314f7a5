"""Measure what a call of SummaryWriter takes, beside the writers of PyTorch and tensorboardX.

python benchmarks/summary_writer.py [--rounds N]    (make bench-writer)

The writers take turns in blocks of calls, and each is flushed after its block: the background thread of one takes no
time from another. Paced calls follow some arithmetic each, in the calling thread, which empties the caches as a step of
a training does; there "nothing", a writer whose methods do nothing, shows the part that no writer can avoid.

Prints for each writer two medians over the blocks, in microseconds a call, and how many times as long the others take:

* caller: the time until the calls return, without the two longest of a block;
* CPU: the time of all threads until everything is in the file. Not for paced calls, where the arithmetic is most of it.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from toposcope.recorder import SummaryWriter, install, uninstall

_SCALAR_GOAL, _HISTOGRAM_GOAL = "<= 1/20", "<= 1/2"


class Measurement(NamedTuple):
    """What is measured."""

    name: str
    goal: str
    calls: int
    """Of a block."""
    is_paced: bool
    call: Callable[[Any, int], None]


class Microseconds(NamedTuple):
    """Of one call."""

    caller: float
    cpu: float


class NoWriter:
    """A writer that does nothing."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """Do nothing."""

    def add_histogram(self, tag: str, values: Any, global_step: int) -> None:
        """Do nothing."""

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def main() -> None:
    """Measure all calls and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12, help="blocks of each writer (default: %(default)s)")
    rounds = parser.parse_args().rounds
    torch = import_module("torch")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as directory:
        writers = {"ours": SummaryWriter(f"{directory}/ours"), **others(directory), "nothing": NoWriter()}
        for measurement in measurements(torch):
            blocks: dict[str, list[Microseconds]] = {each: [] for each in writers}
            for _ in range(rounds):
                for each, writer in writers.items():
                    blocks[each].append(block(writer, measurement, torch))
            show(measurement, {each: medians(values) for each, values in blocks.items()})
        for writer in writers.values():
            writer.close()


def others(directory: str) -> dict[str, Any]:
    """Return the writers beside ours: tensorboardX's also as install() replaces it, which has its signature."""
    torch_writer, tensorboardx = import_module("torch.utils.tensorboard"), import_module("tensorboardX")
    theirs = {
        "torch": torch_writer.SummaryWriter(f"{directory}/torch"),
        "tensorboardX": tensorboardx.SummaryWriter(f"{directory}/tensorboardX"),
    }
    install()
    replaced = tensorboardx.SummaryWriter(f"{directory}/replaced")
    uninstall()
    return theirs | {"tensorboardX replaced": replaced}


def measurements(torch: Any) -> Iterator[Measurement]:
    """Yield what is measured."""

    def scalar(writer: Any, step: int) -> None:
        writer.add_scalar("loss", 0.1, step)

    yield Measurement("add_scalar", _SCALAR_GOAL, 2000, False, scalar)
    yield Measurement("add_scalar, paced, 1 a step", _SCALAR_GOAL, 200, True, scalar)
    tags = [f"loss/{number}" for number in range(10)]

    def ten_scalars(writer: Any, step: int) -> None:
        for tag in tags:
            writer.add_scalar(tag, 0.1, step)

    yield Measurement("10 add_scalar, paced, 10 a step", _SCALAR_GOAL, 100, True, ten_scalars)
    for size in (1_000, 100_000, 1_000_000):
        values = torch.randn(size)

        def histogram(writer: Any, step: int, values: Any = values) -> None:
            writer.add_histogram("weights", values, step)

        yield Measurement(f"add_histogram, {size:,} float32", _HISTOGRAM_GOAL, 10, False, histogram)


def block(writer: Any, measurement: Measurement, torch: Any) -> Microseconds:
    """Return the mean of a block of calls."""
    matrix = torch.rand(400, 400, dtype=torch.float64)
    waits = []
    cpu = time.process_time()
    for step in range(measurement.calls):
        if measurement.is_paced:
            matrix @ matrix[:, :50]
        start = time.perf_counter()
        measurement.call(writer, step)
        waits.append(time.perf_counter() - start)
    writer.flush()
    cpu = time.process_time() - cpu
    time.sleep(0.02)  # Until its thread waits.
    return Microseconds(1e6 * statistics.mean(sorted(waits)[:-2]), 1e6 * cpu / measurement.calls)


def medians(blocks: list[Microseconds]) -> Microseconds:
    """Return the median of each number."""
    return Microseconds(*(statistics.median(each) for each in zip(*blocks, strict=True)))


def show(measurement: Measurement, found: dict[str, Microseconds]) -> None:
    """Print two lines, one for paced calls."""
    for kind in ("caller",) if measurement.is_paced else ("caller", "cpu"):
        values = {each: getattr(microseconds, kind) for each, microseconds in found.items()}
        ours = values.pop("ours")
        beside = ", ".join(f"{each} {value:.2f} ({value / ours:.1f} x)" for each, value in values.items())
        print(f"{measurement.name:32} {kind:6} goal {measurement.goal:7} ours {ours:8.2f}, {beside}", flush=True)


if __name__ == "__main__":
    main()
