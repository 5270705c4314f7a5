"""Measure how the reader loads and serves, compared with rustboard, TensorBoard's Python reader and MindInsight.

python benchmarks/reader.py [--rounds N] [MEASUREMENT ...]    (make bench-reader)

Every trial is a separate process. The readers alternate for several rounds and read the same files, which are in the
page cache. Prints one row for each reader: the median and the range of the rounds, and the median of the ratio of the
first row to it, computed round by round. Needs 4 GB under build/bench, and 8 GB of memory for rustboard.
"""

import argparse
import functools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import clients
import event_logs
import numpy as np
import server_process

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
PYTHONS = {
    "toposcope": Path(sys.executable),
    "rustboard": BUILD / "peers/bin/python",
    "rustboard-runs": BUILD / "peers/bin/python",
    "tensorboard": BUILD / "peers/bin/python",
    "mindinsight": ROOT / "build/interop/mindinsight/bin/python",
}
OURS, RUSTBOARD, TENSORBOARD, MINDINSIGHT = "Toposcope", "rustboard", "TensorBoard", "MindInsight"

MILLION = 1_000_000
IMAGES, IMAGE_BYTES, BETWEEN_IMAGES = 2000, 1_000_000, 50
RUNS, RUN_TAGS, RUN_STEPS = 10_000, 20, 10
APPENDED = 10_000
MINDINSIGHT_SCALARS = 10_000

Trial = Callable[[], dict[str, float]]
Trials = dict[str, Trial]
"""The trials by the names of their rows; all others are compared with the first."""


def run(reader: str, logdir: Path, *index: Path) -> dict[str, float]:
    """Load a logdir with one reader in a separate process; return its figures."""
    command = [
        str(PYTHONS[reader]),
        str(Path(__file__).with_name("load_logdir.py")),
        reader,
        str(logdir),
        *map(str, index),
    ]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=900).stdout
    figures: dict[str, float] = json.loads(output.splitlines()[-1])
    return figures


def load(reader: str, logdir: Path, points: int, *index: Path) -> dict[str, float]:
    """Load a logdir and check that all points were loaded."""
    figures = run(reader, logdir, *index)
    assert figures["points"] == points, figures
    return figures


def tag_names(count: int) -> list[str]:
    """Return typical names of tags."""
    return [f"train/metric-{number}" for number in range(count)]


# Each function writes the files of a measurement to its folder and returns the trials.


def cold(folder: Path, tags: int) -> Trials:
    """Write a file in TensorBoard's dialect for all readers, and one in ours, which also contains exact doubles."""
    ours, theirs = folder / "own", folder / "tensorboard"
    event_logs.write_scalars(ours / "run", "own", tag_names(tags), MILLION // tags)
    event_logs.write_scalars(theirs / "run", "tensorboard", tag_names(tags), MILLION // tags)
    return {
        OURS: functools.partial(load, "toposcope", theirs, MILLION),
        RUSTBOARD: functools.partial(load, "rustboard", theirs, MILLION),
        TENSORBOARD: functools.partial(load, "tensorboard", theirs, MILLION),
        "our own files": functools.partial(load, "toposcope", ours, MILLION),
    }


def small(folder: Path) -> Trials:
    """Write a file of ours that is small enough for MindInsight, which is measured if it is installed."""
    event_logs.write_scalars(folder / "run", "own", tag_names(1), MINDINSIGHT_SCALARS)
    trials: Trials = {OURS: functools.partial(load, "toposcope", folder, MINDINSIGHT_SCALARS)}
    if PYTHONS["mindinsight"].exists():
        trials[MINDINSIGHT] = functools.partial(run, "mindinsight", folder)
    return trials


def warm(folder: Path) -> Trials:
    """Write a million scalars and their index, and again with points that are not in the index."""
    tags = tag_names(10)
    logdir, grown = folder / "logs", folder / "grown"
    event_logs.write_scalars(logdir / "run", "tensorboard", tags, MILLION // 10)
    path = event_logs.write_scalars(grown / "run", "tensorboard", tags, MILLION // 10)
    for name in (logdir, grown):
        load("toposcope", name, MILLION, folder / f"{name.name} indexed")
    with path.open("ab") as file:
        file.writelines(event_logs.scalar_events("tensorboard", tags, MILLION // 10, (MILLION + APPENDED) // 10))

    def start(name: Path, points: int, is_first: bool = False) -> dict[str, float]:
        index = folder / "index"
        if not is_first:
            shutil.copytree(folder / f"{name.name} indexed", index)
        figures = load("toposcope", name, points, index)
        shutil.rmtree(index)
        return figures

    return {
        "second start": functools.partial(start, logdir, MILLION),
        "first start": functools.partial(start, logdir, MILLION, is_first=True),
        "without index": functools.partial(load, "toposcope", logdir, MILLION),
        "10,000 appended": functools.partial(start, grown, MILLION + APPENDED),
    }


def opened(folder: Path) -> Trials:
    """Write ten million scalars, and let a server load them once."""
    logdir, index, tags = folder / "logs", folder / "index", tag_names(10)
    event_logs.write_scalars(logdir / "run", "own", tags, MILLION)
    server_process.index_logdir(logdir, index)
    return {OURS: functools.partial(server_process.open_chart, logdir, index, tags[0], MILLION)}


def zoomed(folder: Path) -> Trials:
    """Write a series of ten million points; the windows are at random positions, with a thousand to all points."""
    logdir, index, steps = folder / "logs", folder / "index", 10 * MILLION
    event_logs.write_scalars(logdir / "run", "own", tag_names(1), steps)
    server_process.index_logdir(logdir, index)
    random = np.random.default_rng(0)
    sizes = np.geomspace(1000, steps, 100).astype(int)
    starts = (random.random(100) * (steps - sizes)).astype(int)
    windows = random.permutation(np.stack([starts, starts + sizes - 1], axis=1)).tolist()

    def first_start() -> dict[str, float]:
        with tempfile.TemporaryDirectory(dir=folder) as empty:
            return server_process.zoom(logdir, Path(empty), tag_names(1)[0], windows)

    return {
        "second start": functools.partial(server_process.zoom, logdir, index, tag_names(1)[0], windows),
        "first start": first_start,
    }


def images(folder: Path) -> Trials:
    """Write large images between scalars."""
    event_logs.write_images(folder / "run", IMAGES, IMAGE_BYTES, BETWEEN_IMAGES)
    points = IMAGES * BETWEEN_IMAGES
    return {
        OURS: functools.partial(load, "toposcope", folder, points),
        RUSTBOARD: functools.partial(load, "rustboard", folder, points),
    }


def memory(folder: Path, points: int, readers: dict[str, str]) -> Trials:
    """Write many points; a process that loaded them is compared with one with an empty logdir."""
    full, doubles, empty = folder / "full", folder / "doubles", folder / "empty"
    empty.mkdir()
    event_logs.write_scalars(full / "run", "tensorboard", tag_names(10), points // 10)
    event_logs.write_scalars(doubles / "run", "own", tag_names(10), points // 10)

    def growth(reader: str, logdir: Path = full) -> dict[str, float]:
        more, less = load(reader, logdir, points), load(reader, empty, 0)
        return {figure: (more[figure] - less[figure]) / points for figure in ("steady", "peak")}

    trials = {name: functools.partial(growth, reader) for name, reader in readers.items()}
    return {**trials, "doubles": functools.partial(growth, "toposcope", doubles)}


def many_runs(folder: Path) -> Trials:
    """Write many small runs that have ended, and let a server load them once."""
    logdir, index = folder / "logs", folder / "index"
    event_logs.write_runs(logdir, RUNS, tag_names(RUN_TAGS), RUN_STEPS)
    server_process.index_logdir(logdir, index, RUNS)

    def first_start() -> dict[str, float]:
        with tempfile.TemporaryDirectory(dir=folder) as empty:
            return server_process.list_runs(logdir, Path(empty), RUNS)

    return {
        "second start": functools.partial(server_process.list_runs, logdir, index, RUNS),
        "first start": first_start,
        RUSTBOARD: functools.partial(run, "rustboard-runs", logdir),
    }


def many_clients(folder: Path) -> Trials:
    """Write nothing: every trial creates its own runs, as they grow."""

    def trial() -> dict[str, float]:
        with tempfile.TemporaryDirectory(dir=folder) as own:
            return clients.measure_clients(Path(own))

    return {OURS: trial}


# Running the trials.


class Measurement(NamedTuple):
    """How to prepare a measurement, and what it measures."""

    prepare: Callable[[Path], Trials]
    """Called with an empty folder."""
    figures: dict[str, tuple[str, str]]
    """Description and goal of each figure."""


COLD = {
    "ms": ("1,000,000 scalars, {} an event: ms until all can be queried", "1/10 of rustboard, 1/100 of TensorBoard"),
    "cpu": ("the same, ms of CPU time of all threads", ""),
}
BYTES = {
    "steady": ("bytes a point of {} scalars, loaded", "16; doubles 24"),
    "peak": ("the same, at the peak while loading", "64"),
}


def of(what: str, figures: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return figures with a word inserted into their descriptions."""
    return {figure: (text.format(what), goal) for figure, (text, goal) in figures.items()}


MEASUREMENTS = {
    "cold-1": Measurement(functools.partial(cold, tags=1), of("1", COLD)),
    "cold-10": Measurement(functools.partial(cold, tags=10), of("10", COLD)),
    "mindinsight": Measurement(
        small, {"ms": ("10,000 scalars, 1 an event: ms until all can be queried (MindInsight: 1000 of them)", "")}
    ),
    "warm": Measurement(
        warm,
        {
            "ms": ("1,000,000 scalars, 10 an event: ms until all can be queried", "1/5 of the first start"),
            "touched": ("the same, until every point was read", ""),
        },
    ),
    "open-10m": Measurement(
        opened, {"ms": ("10,000,000 scalars opened again: ms from the command to the first chart's data", "1500 ms")}
    ),
    "zoom": Measurement(
        zoomed,
        {
            "median": ("100 windows on 10,000,000 points: ms a request", "30 ms"),
            "longest": ("the same, the longest", ""),
        },
    ),
    "images": Measurement(
        images,
        {"ms": ("100,000 scalars between 2,000 images of 1 MB: ms until all can be queried", "1/10 of rustboard")},
    ),
    "memory-1m": Measurement(
        functools.partial(
            memory,
            points=MILLION,
            readers={OURS: "toposcope", RUSTBOARD: "rustboard", TENSORBOARD: "tensorboard"},
        ),
        of("1,000,000", BYTES),
    ),
    "memory-10m": Measurement(
        functools.partial(memory, points=10 * MILLION, readers={OURS: "toposcope", RUSTBOARD: "rustboard"}),
        of("10,000,000", BYTES),
    ),
    "runs-10000": Measurement(
        many_runs,
        {
            "ms": ("10,000 runs of 20 tags: ms from the command to the list of all", ""),
            "descriptors": ("the same, open descriptors at most", ""),
            "idle": ("the same, then CPU ms of 10 seconds without requests", ""),
        },
    ),
    "clients": Measurement(
        many_clients,
        {
            "errors": ("200 clients for 60 s, 20 runs growing: errors", "0"),
            "rate": ("the same, requests a second, each client without a pause", ""),
            "p50": ("the same, median ms a request", ""),
            "p99": ("the same, 99th percentile", ""),
        },
    ),
}


def measure(trials: Trials, rounds: int) -> dict[str, list[dict[str, float]]]:
    """Return the figures of each round of each trial; every other round runs in reverse order."""
    results: dict[str, list[dict[str, float]]] = {name: [] for name in trials}
    for number in range(rounds):
        for name in list(trials)[:: -1 if number % 2 else 1]:
            results[name].append(trials[name]())
    return results


def report(measurement: Measurement, results: dict[str, list[dict[str, float]]]) -> None:
    """Print the rows of a measurement."""
    for figure, (text, goal) in measurement.figures.items():
        print(f"\n{text:78}{f'  goal {goal}' if goal else ''}")
        first = [figures[figure] for figures in next(iter(results.values()))]
        for name, rounds in results.items():
            values = [figures[figure] for figures in rounds]
            spread = f"{min(values):9.1f} .. {max(values):9.1f}"
            print(f"  {name:18}{statistics.median(values):9.1f}  {spread}{ratio(first, values)}", flush=True)


def ratio(first: list[float], values: list[float]) -> str:
    """Return the median ratio of the first row's values to those of another row, as text."""
    if first == values or not all(first + values):
        return ""
    median = statistics.median(mine / other for mine, other in zip(first, values, strict=True))
    return f"    first row: {f'{median:.1f}x' if median >= 1 else f'1/{1 / median:.1f}'}"


def main() -> None:
    """Run the measurements named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measurements", nargs="*", metavar="MEASUREMENT", help=", ".join(MEASUREMENTS))
    parser.add_argument("--rounds", type=int, default=5, help="trials of each reader (default 5)")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before, {options.rounds} rounds")
    for name in options.measurements or MEASUREMENTS:
        measurement = MEASUREMENTS[name]
        with tempfile.TemporaryDirectory(prefix="logs-", dir=BUILD) as folder:
            trials = measurement.prepare(Path(folder))
            os.sync()  # Otherwise pending writes would happen during the first trials.
            report(measurement, measure(trials, options.rounds))


if __name__ == "__main__":
    main()
