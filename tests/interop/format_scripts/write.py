"""Logs ten steps with a tool. Run by a Python with the tools of environments/formats*.txt.

python write.py TOOL FOLDER [--wait]

TOOL is wandb, mlruns, mlflow, trackio or sacred. With --wait, the half of the steps is logged, "ready" is printed, and
the process waits to be killed. Otherwise prints as JSON what the tool's own reader returns, the steps and values of
each metric; of a tool without a reader, what was logged.
"""

import json
import logging
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

STEPS = 10
Rows = list[dict[str, float]]
Series = dict[str, list[tuple[int, float]]]


def rows() -> Iterator[dict[str, float]]:
    """Yield the values of each step; after half of them, wait for the end if that was asked for."""
    for step in range(STEPS):
        if step == STEPS // 2 and "--wait" in sys.argv:
            print("ready", flush=True)
            time.sleep(600)
        yield {"loss": 1 / (step + 1), "train/accuracy": math.nan if step == 3 else step / STEPS}


def logged() -> Series:
    """Return what is logged."""
    names = ("loss", "train/accuracy")
    each = list(rows())
    return {name: [(step, row[name]) for step, row in enumerate(each)] for name in names}


def with_wandb(folder: Path) -> Series:
    """Log an offline run; its newer releases cannot read it in Python."""
    import wandb

    run = wandb.init(mode="offline", dir=str(folder), project="p", name="first", config={"lr": 0.1})
    for row in rows():
        run.log(row)
    run.finish()
    return logged()


def _with_mlflow(address: str) -> Series:
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=address)
    experiment = client.create_experiment("p", artifact_location="file:///tmp/unused")
    run = client.create_run(experiment, run_name="first")
    client.log_param(run.info.run_id, "lr", 0.1)
    for step, row in enumerate(rows()):
        for name, value in row.items():
            client.log_metric(run.info.run_id, name, value, step=step)
    client.set_terminated(run.info.run_id)
    return {
        name: [(each.step, each.value) for each in client.get_metric_history(run.info.run_id, name)]
        for name in logged()
    }


def with_mlruns(folder: Path) -> Series:
    """Log into folders."""
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    return _with_mlflow(f"file:{folder}/mlruns")


def with_mlflow(folder: Path) -> Series:
    """Log into a database."""
    return _with_mlflow(f"sqlite:///{folder}/mlflow.db")


def with_trackio(folder: Path) -> Series:
    """Log into a database as trackio's server does, without the server."""
    os.environ["TRACKIO_DIR"] = str(folder)
    from trackio.sqlite_storage import SQLiteStorage as Storage

    for step, row in enumerate(rows()):
        Storage.bulk_log("p", "first", [row], steps=[step], config={"lr": 0.1} if step == 0 else None)
    read: list[dict[str, Any]] = Storage.get_logs("p", "first")
    return {name: [(row["step"], row[name]) for row in read] for name in logged()}


def with_sacred(folder: Path) -> Series:
    """Run an experiment; Sacred has no reader."""
    from sacred import SETTINGS, Experiment
    from sacred.observers import FileStorageObserver

    SETTINGS.CAPTURE_MODE = "no"
    experiment = Experiment("p", interactive=True)
    experiment.observers.append(FileStorageObserver(str(folder)))
    experiment.add_config(lr=0.1)

    def main(_run: Any) -> None:
        for step, row in enumerate(rows()):
            for name, value in row.items():
                _run.log_scalar(name, value, step)

    experiment.main(main)
    experiment.run()
    return logged()


TOOLS: dict[str, Callable[[Path], Series]] = {
    "wandb": with_wandb,
    "mlruns": with_mlruns,
    "mlflow": with_mlflow,
    "trackio": with_trackio,
    "sacred": with_sacred,
}


def main() -> None:
    """Log, and print what was."""
    logging.disable(logging.WARNING)
    series = TOOLS[sys.argv[1]](Path(sys.argv[2]))
    print(json.dumps(series), flush=True)


if __name__ == "__main__":
    main()
