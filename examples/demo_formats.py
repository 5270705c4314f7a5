"""Write the logs of six tools, each of one training of the same network with its own seed, and serve them.

python examples/demo_formats.py [--logdir DIR] [--only-write]

Each writer has the layout of its tool's files, with the least that they contain.
"""

import argparse
import csv
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np

STEPS = 300
RATE = 0.02
START = datetime(2026, 11, 1, 9, tzinfo=UTC)


class Point(NamedTuple):
    """The metrics of one step."""

    step: int
    time: datetime
    loss: float
    accuracy: float


def main() -> None:
    """Write the logs that are not there yet, and serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logdir", type=Path, default=Path("runs_of_tools"), help="of the logs")
    parser.add_argument("--only-write", action="store_true", help="do not serve them")
    options = parser.parse_args()
    if not options.logdir.exists():
        write_all(options.logdir)
    if not options.only_write:
        subprocess.run([sys.executable, "-m", "toposcope.server.cli", "--logdir", str(options.logdir)], check=False)


def write_all(logdir: Path) -> None:
    """Write the logs of all tools."""
    writers = (write_csv, write_transformers, write_lightning, write_mlruns, write_sacred, write_trackio)
    for seed, write in enumerate(writers):
        folder = logdir / write.__name__.removeprefix("write_")
        folder.mkdir(parents=True)
        write(folder, list(train(seed)))


def train(seed: int) -> Iterator[Point]:
    """Train a logistic regression on noisy data, in batches of 32."""
    random = np.random.default_rng(seed)
    truth, weights = random.normal(size=20), np.zeros(20)
    for step in range(STEPS):
        inputs = random.normal(size=(32, 20))
        labels = inputs @ truth + random.normal(size=32) > 0
        outputs = 1 / (1 + np.exp(-inputs @ weights))
        loss = -np.log(np.where(labels, outputs, 1 - outputs)).mean()
        accuracy = ((outputs > 0.5) == labels).mean()
        yield Point(step, START + timedelta(hours=seed, seconds=step), float(loss), float(accuracy))
        weights -= RATE * inputs.T @ (outputs - labels)


def write_csv(folder: Path, points: list[Point]) -> None:
    """Write a table, as many scripts do."""
    rows = ((point.step, point.time.timestamp(), point.loss, point.accuracy) for point in points)
    write_table(folder / "log.csv", ("step", "timestamp", "loss", "accuracy"), rows)


def write_transformers(folder: Path, points: list[Point]) -> None:
    """Write the state of the Trainer of Transformers."""
    history = [{"step": point.step, "loss": point.loss, "accuracy": point.accuracy} for point in points]
    state = {"max_steps": STEPS, "train_batch_size": 32, "log_history": history}
    (folder / "trainer_state.json").write_text(json.dumps(state))


def write_lightning(folder: Path, points: list[Point]) -> None:
    """Write the files of Lightning's CSVLogger."""
    (folder / "hparams.yaml").write_text(f"lr: {RATE}\nbatch_size: 32\n")
    rows = ((0, point.step, point.loss, point.accuracy) for point in points)
    write_table(folder / "metrics.csv", ("epoch", "step", "loss", "accuracy"), rows)


def write_table(path: Path, names: tuple[str, ...], rows: Iterator[tuple[float, ...]]) -> None:
    """Write a CSV file."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])


def write_mlruns(folder: Path, points: list[Point]) -> None:
    """Write the folder of an experiment of MLflow with one run."""
    run = folder / "1/0123456789abcdef0123456789abcdef"
    (run / "metrics").mkdir(parents=True)
    (run / "params").mkdir()
    (run.parent / "meta.yaml").write_text("experiment_id: '1'\nlifecycle_stage: active\nname: regression\n")
    times = [int(points[at].time.timestamp() * 1000) for at in (0, -1)]
    (run / "meta.yaml").write_text(
        f"experiment_id: '1'\nlifecycle_stage: active\nrun_id: {run.name}\nrun_name: logistic\nstatus: 3\n"
        f"start_time: {times[0]}\nend_time: {times[1]}\n"
    )
    (run / "params/lr").write_text(str(RATE))
    for name in ("loss", "accuracy"):
        lines = [f"{int(each.time.timestamp() * 1000)} {getattr(each, name)} {each.step}\n" for each in points]
        (run / "metrics" / name).write_text("".join(lines))


def write_sacred(folder: Path, points: list[Point]) -> None:
    """Write the files of Sacred's FileStorageObserver."""
    steps, times = [point.step for point in points], [point.time.replace(tzinfo=None).isoformat() for point in points]
    metrics = {
        name: {"steps": steps, "timestamps": times, "values": [getattr(point, name) for point in points]}
        for name in ("loss", "accuracy")
    }
    experiment = {"name": "regression", "mainfile": "train.py"}
    run: dict[str, object] = {"artifacts": [], "experiment": experiment, "status": "COMPLETED", "result": None}
    run |= {"start_time": times[0], "heartbeat": times[-1], "stop_time": times[-1]}
    files = {"run": run, "config": {"lr": RATE, "batch_size": 32}, "metrics": metrics}
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))


def write_trackio(folder: Path, points: list[Point]) -> None:
    """Write the database of a project of trackio."""
    connection = sqlite3.connect(folder / "regression.db")
    connection.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp, run_name, step, metrics)")
    rows = [
        (point.time.isoformat(), "logistic", point.step, json.dumps({"loss": point.loss, "accuracy": point.accuracy}))
        for point in points
    ]
    connection.executemany("INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()


if __name__ == "__main__":
    main()
