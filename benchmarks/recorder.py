"""Measure the cost of recording, compared with tensorboardX, tensorboard and, if it is installed, MindSpore.

python benchmarks/recorder.py [--rounds N] [MEASUREMENT ...]    (make bench-recorder)

Every trial runs in a separate process, and the recorders alternate for several rounds. Prints one row per recorder: the
median and the range over the rounds, and the median over the rounds of Toposcope's ratio to it. Measurements of
microseconds require an idle machine.
"""

import argparse
import contextlib
import functools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

BUILD = Path(__file__).resolve().parent.parent / "build" / "bench"
STEPS = 1000
SCALARS = 50_000
ARRAYS = 5
ELEMENTS = 1_000_000


class Recorder(NamedTuple):
    """The calls of a recorder that are measured; None: not supported."""

    scalars: Callable[[int, list[str], float], object]
    """Record a value for each of several tags at a step."""
    close: Callable[[], object]
    """Wait until everything is in the file."""
    histogram: Callable[[int, Any], object] | None = None
    tensor: Callable[[int, Any], object] | None = None
    convert: Callable[[Any], Any] = lambda array: array
    """Convert a NumPy array to the type that the recorder accepts; not measured."""


def open_toposcope(folder: str) -> Recorder:
    """Open our SummaryRecord."""
    from toposcope.recorder import SummaryRecord

    recorder = SummaryRecord(folder, raise_exception=True)
    add_value, record = recorder.add_value, recorder.record

    def scalars(step: int, tags: list[str], value: float) -> None:
        for tag in tags:
            add_value("scalar", tag, value)
        record(step)

    def array(plugin: str, step: int, values: Any) -> None:
        add_value(plugin, plugin, values)
        record(step)

    histogram, tensor = (functools.partial(array, plugin) for plugin in ("histogram", "tensor"))
    return Recorder(scalars, recorder.close, histogram, tensor)


def open_tensorboardx(folder: str) -> Recorder:
    """Open the SummaryWriter of tensorboardX, which does not support tensors."""
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(folder)
    add_scalar = writer.add_scalar

    def scalars(step: int, tags: list[str], value: float) -> None:
        for tag in tags:
            add_scalar(tag, value, step)

    def histogram(step: int, values: Any) -> None:
        writer.add_histogram("histogram", values, step)

    return Recorder(scalars, writer.close, histogram)


def open_tensorboard(folder: str) -> Recorder:
    """Open the EventFileWriter of tensorboard, which torch also uses; it accepts messages only."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(folder)

    def scalars(step: int, tags: list[str], value: float) -> None:
        for tag in tags:
            summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
            writer.add_event(Event(wall_time=time.time(), step=step, summary=summary))

    return Recorder(scalars, writer.close)


def open_mindspore(folder: str) -> Recorder:
    """Open MindSpore's SummaryRecord. It accepts Tensors only: as scalar, the same one is recorded every time."""
    from mindspore import SummaryRecord, Tensor

    recorder = SummaryRecord(folder)
    scalar = Tensor(0.5)

    def scalars(step: int, tags: list[str], value: float) -> None:
        for tag in tags:
            recorder.add_value("scalar", tag, scalar)
        recorder.record(step)

    def array(plugin: str, step: int, values: Any) -> None:
        recorder.add_value(plugin, plugin, values)
        recorder.record(step)

    histogram, tensor = (functools.partial(array, plugin) for plugin in ("histogram", "tensor"))
    return Recorder(scalars, recorder.close, histogram, tensor, Tensor)


class Candidate(NamedTuple):
    """A recorder and where it is installed."""

    open: Callable[[str], Recorder]
    module: str
    python: Path


OURS = "toposcope"
CANDIDATES = {
    OURS: Candidate(open_toposcope, "toposcope.recorder", Path(sys.executable)),
    "tensorboardX": Candidate(open_tensorboardx, "tensorboardX", BUILD / "peers/bin/python"),
    "tensorboard": Candidate(open_tensorboard, "tensorboard", BUILD / "peers/bin/python"),
    "MindSpore": Candidate(open_mindspore, "mindspore", BUILD / "mindspore/bin/python"),
}


# Run in the process of a trial. Each returns its results by name.


def measure_calls(open_recorder: Callable[[str], Recorder], folder: str, tags: list[str]) -> dict[str, float]:
    """Time the calls of a paced training: a millisecond of small matrix products before each step."""
    import numpy

    generator = numpy.random.default_rng(0)
    inputs, weights = generator.random((64, 256)), generator.random((256, 256))
    recorder = open_recorder(folder)
    spent: list[int] = []
    # The first half warms up: it takes longer than any value waits in a queue.
    for step in range(2 * STEPS):
        end = time.perf_counter_ns() + 1_000_000
        while time.perf_counter_ns() < end:
            numpy.tanh(inputs @ weights)
        value = step / 1024
        start = time.perf_counter_ns()
        recorder.scalars(step, tags, value)
        spent.append(time.perf_counter_ns() - start)
    recorder.close()
    return {
        "mean": statistics.fmean(spent[STEPS:]) / len(tags) / 1000,
        "median": statistics.median(spent[STEPS:]) / len(tags) / 1000,
    }


def measure_throughput(open_recorder: Callable[[str], Recorder], folder: str, tags: list[str]) -> dict[str, float]:
    """Record many scalars as fast as possible: doubles that only Toposcope stores exactly."""
    recorder = open_recorder(folder)
    recorder.scalars(0, tags, 0.0)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    for step in range(1, SCALARS // len(tags)):
        recorder.scalars(step, tags, step / 3)
    recorder.close()
    return {
        "rate": SCALARS / (time.perf_counter() - start) / 1000,
        "memory": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024,
        "bytes": sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / SCALARS,
    }


def measure_stalls(open_recorder: Callable[[str], Recorder], folder: str) -> dict[str, float]:
    """Record histograms and tensors from a thread that runs a tight loop, and measure the longest interruption."""
    values = normal_values()
    idle = longest_gap(4.0)
    recorder = open_recorder(folder)
    array = recorder.convert(values)
    calls: list[float] = []
    gaps: list[float] = []
    for step in range(ARRAYS):
        for record in filter(None, (recorder.histogram, recorder.tensor)):
            start = time.perf_counter()
            record(step, array)
            calls.append(1000 * (time.perf_counter() - start))
            gaps.append(longest_gap(0.2))
    gaps.append(longest_gap(2.0))
    recorder.close()
    return {"longest call": max(calls), "longest gap": max(gaps), "idle gap": idle}


def measure_histogram(open_recorder: Callable[[str], Recorder], folder: str) -> dict[str, float]:
    """Record histograms; measure the CPU time of all threads and of terminated child processes."""
    values = normal_values()
    recorder = open_recorder(folder)
    array = recorder.convert(values)
    assert recorder.histogram is not None
    before = 0.0
    for step in range(5 * ARRAYS):
        if step == ARRAYS:  # The first ones are a warm-up.
            time.sleep(1)
            before = cpu_seconds()
        recorder.histogram(step, array)
    recorder.close()
    return {"histogram": 1000 * (cpu_seconds() - before) / (4 * ARRAYS)}


def measure_idle(open_recorder: Callable[[str], Recorder], folder: str) -> dict[str, float]:
    """Wait two seconds between the first scalar and close()."""
    recorder = open_recorder(folder)
    recorder.scalars(0, ["loss"], 0.5)
    before = cpu_seconds()
    time.sleep(2)
    recorder.close()
    return {"idle": 1000 * (cpu_seconds() - before)}


def normal_values() -> Any:
    """Return a million normally distributed float32 values."""
    import numpy

    return numpy.random.default_rng(0).standard_normal(ELEMENTS, numpy.float32)


def longest_gap(seconds: float) -> float:
    """Loop in pure Python, about 50 us per iteration; return the longest iteration in milliseconds."""
    last = time.perf_counter()
    end, longest = last + seconds, 0.0
    while last < end:
        for _ in range(1000):
            pass
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return 1000 * longest


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its terminated children."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


# Run the trials.


class Measurement(NamedTuple):
    """A function that runs in a trial, its arguments, its results and the recorders that support it."""

    measure: Callable[..., dict[str, float]]
    arguments: tuple[Any, ...]
    figures: dict[str, tuple[str, str]]
    """Description of each result, and the goal of the cost contract."""
    recorders: tuple[str, ...] = tuple(CANDIDATES)


ONE, TEN = (["train/loss"],), ([f"train/metric-{number}" for number in range(10)],)
WITH_HISTOGRAMS = (OURS, "tensorboardX", "MindSpore")
SIZES = {"bytes": ("bytes in the file per scalar", ""), "memory": ("growth of peak memory, MiB", "")}
MEASUREMENTS = {
    "calls-10": Measurement(
        measure_calls,
        TEN,
        {
            "mean": ("caller us per scalar, paced, 10 per step: mean", "1/40 of tensorboardX"),
            "median": ("the same: median step", "1/40 of tensorboardX"),
        },
    ),
    "calls-1": Measurement(
        measure_calls,
        ONE,
        {
            "mean": ("caller us per scalar, paced, 1 per step: mean", "1/20 of tensorboardX"),
            "median": ("the same: median step", "1/20 of tensorboardX"),
        },
    ),
    "throughput-10": Measurement(
        measure_throughput, TEN, {"rate": ("thousand durable scalars/s, 10 per step", "30x tensorboardX"), **SIZES}
    ),
    "throughput-1": Measurement(
        measure_throughput, ONE, {"rate": ("thousand durable scalars/s, 1 per step", "10x tensorboardX"), **SIZES}
    ),
    "stalls": Measurement(
        measure_stalls,
        (),
        {
            "longest call": ("5 arrays of 1,000,000 per plugin: longest call, ms", "10 ms"),
            "longest gap": ("the same: longest stall between calls, ms", "10 ms"),
            "idle gap": ("the same loop before recording, ms", ""),
        },
        WITH_HISTOGRAMS,
    ),
    "histogram": Measurement(
        measure_histogram,
        (),
        {"histogram": ("CPU ms per histogram of 1,000,000 float32", "1/2 of tensorboardX")},
        WITH_HISTOGRAMS,
    ),
    "idle": Measurement(measure_idle, (), {"idle": ("CPU ms of 2 idle seconds and close()", "")}),
}


def trial(name: str, recorder: str) -> dict[str, float]:
    """Measure in a separate process; matrix products use one thread, the recorders the other cores."""
    command = [str(CANDIDATES[recorder].python), __file__, "--trial", recorder, name]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "GLOG_v": "3"}
    # tensorboardX and MindSpore block forever if their writer has died, because of a full disk for example.
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=300).stdout
    figures: dict[str, float] = json.loads(output.splitlines()[-1])
    return figures


def run_trial(name: str, recorder: str) -> None:
    """Run a trial in this process; exit with an error if a thread dies."""
    threading.excepthook = lambda failure: os._exit(1)
    measurement = MEASUREMENTS[name]
    with tempfile.TemporaryDirectory(prefix="toposcope-bench-") as folder:
        figures = measurement.measure(CANDIDATES[recorder].open, folder, *measurement.arguments)
    print(json.dumps(figures))


def installed() -> Iterator[str]:
    """Yield the recorders that can be imported."""
    for name, candidate in CANDIDATES.items():
        with contextlib.suppress(FileNotFoundError):
            command = [str(candidate.python), "-c", f"import {candidate.module}"]
            if subprocess.run(command, capture_output=True).returncode == 0:
                yield name


def measure(name: str, recorders: list[str], rounds: int) -> dict[str, list[dict[str, float]]]:
    """Return the results of each round by recorder; every other round runs in reverse order."""
    results: dict[str, list[dict[str, float]]] = {recorder: [] for recorder in recorders}
    for number in range(rounds):
        for recorder in recorders[:: -1 if number % 2 else 1]:
            results[recorder].append(trial(name, recorder))
    return results


def report(measurement: Measurement, results: dict[str, list[dict[str, float]]]) -> None:
    """Print the rows of a measurement."""
    for figure, (text, goal) in measurement.figures.items():
        print(f"\n{text:60}{f'goal {goal}' if goal else ''}")
        ours = [figures[figure] for figures in results[OURS]]
        for recorder in measurement.recorders:
            if recorder not in results:
                print(f"  {recorder:14}not installed")
                continue
            values = [figures[figure] for figures in results[recorder]]
            spread = f"{min(values):9.2f} .. {max(values):9.2f}"
            print(f"  {recorder:14}{statistics.median(values):9.2f}  {spread}{ratio(ours, values)}", flush=True)


def ratio(ours: list[float], theirs: list[float]) -> str:
    """Return the median ratio of our results to another recorder's of the same rounds, as text."""
    if ours == theirs or not all(ours + theirs):
        return ""
    median = statistics.median(our / their for our, their in zip(ours, theirs, strict=True))
    return f"    ours: {f'{median:.1f}x' if median >= 1 else f'1/{1 / median:.1f}'}"


def main() -> None:
    """Run the selected measurements, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measurements", nargs="*", metavar="MEASUREMENT", help=", ".join(MEASUREMENTS))
    parser.add_argument("--rounds", type=int, default=5, help="number of trials of each recorder (default 5)")
    parser.add_argument("--trial", choices=CANDIDATES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.trial:
        run_trial(options.measurements[0], options.trial)
        return
    available = list(installed())
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before, {options.rounds} rounds")
    for name in options.measurements or MEASUREMENTS:
        measurement = MEASUREMENTS[name]
        recorders = [recorder for recorder in measurement.recorders if recorder in available]
        report(measurement, measure(name, recorders, options.rounds))


if __name__ == "__main__":
    main()
