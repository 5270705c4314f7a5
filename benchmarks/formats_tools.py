"""Writes and reads a million scalars with the tools themselves. Run by the Python of build/interop/formats_older.

python formats_tools.py (write|read) FORMAT FOLDER

FORMAT is wandb, mlruns, mlflow, trackio or csv. Each run has 100,000 steps of ten metrics, the table more. `read` does
what the tool does to get all of them, into lists or data frames, and prints as JSON how many there were, the seconds,
the CPU seconds and the largest resident memory in MB. Rows are put into the tables of databases, and lines into the
files of mlruns, without their tools, which would take minutes; the tools make the runs.
"""

import json
import os
import resource
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROWS, METRICS = 100_000, 10
NAMES = [f"metric_{number}" for number in range(METRICS)]
START = 1_795_800_000


def value(row: int, number: int) -> float:
    """Return a value with all its digits."""
    return 1 / (1 + row) + number / 7


def write_wandb(folder: Path) -> None:
    """Write an offline run."""
    import wandb

    settings = wandb.Settings(x_disable_stats=True, console="off", silent=True)
    run = wandb.init(mode="offline", dir=str(folder), project="bench", settings=settings)
    for row in range(ROWS):
        run.log({name: value(row, number) for number, name in enumerate(NAMES)})
    run.finish()


def read_wandb(folder: Path) -> int:
    """Read all records with the package's reader of its own files."""
    from wandb.proto.wandb_internal_pb2 import Record
    from wandb.sdk.internal.datastore import DataStore

    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    store = DataStore()
    store.open_for_scan(str(path))
    columns: dict[str, list[float]] = {name: [] for name in NAMES}
    while (content := store.scan_data()) is not None:
        record = Record.FromString(content)
        for item in record.history.item:
            name = item.key or item.nested_key[0]
            if name in columns:
                columns[name].append(json.loads(item.value_json))
    return sum(map(len, columns.values()))


def mlflow_client(address: str, folder: Path):  # type: ignore[no-untyped-def]
    """Return a client and its only run, which is made if there is none."""
    import logging

    from mlflow import MlflowClient

    logging.disable(logging.WARNING)
    client = MlflowClient(tracking_uri=address)
    experiments = client.search_experiments(filter_string="name = 'bench'")
    experiment = (
        experiments[0].experiment_id
        if experiments
        else client.create_experiment("bench", artifact_location=str(folder / "artifacts"))
    )
    runs = client.search_runs([experiment])
    return client, runs[0] if runs else client.create_run(experiment, run_name="first")


def write_mlruns(folder: Path) -> None:
    """Write files of metrics."""
    client, run = mlflow_client(f"file:{folder}/mlruns", folder)
    for number, name in enumerate(NAMES):
        path = folder / "mlruns" / run.info.experiment_id / run.info.run_id / "metrics" / name
        path.write_text("".join(f"{1000 * (START + row)} {value(row, number)} {row}\n" for row in range(ROWS)))
    client.set_terminated(run.info.run_id)


def write_mlflow(folder: Path) -> None:
    """Write rows into a database."""
    client, run = mlflow_client(f"sqlite:///{folder}/mlflow.db", folder)
    with sqlite3.connect(folder / "mlflow.db") as database:
        database.executemany(
            "INSERT INTO metrics (key, value, timestamp, run_uuid, step, is_nan) VALUES (?, ?, ?, ?, ?, 0)",
            (
                (name, value(row, number), 1000 * (START + row), run.info.run_id, row)
                for row in range(ROWS)
                for number, name in enumerate(NAMES)
            ),
        )
    client.set_terminated(run.info.run_id)


def read_mlflow(folder: Path) -> int:
    """Ask MLflow for the history of each metric."""
    has_database = (folder / "mlflow.db").exists()
    address = f"sqlite:///{folder}/mlflow.db" if has_database else f"file:{folder}/mlruns"
    client, run = mlflow_client(address, folder)
    histories = [client.get_metric_history(run.info.run_id, name) for name in NAMES]
    return sum(map(len, histories))


def write_trackio(folder: Path) -> None:
    """Write rows into a database."""
    storage = trackio_storage(folder)
    storage.bulk_log("bench", "first", [{NAMES[0]: 0.0}], steps=[0])
    with sqlite3.connect(storage.get_project_db_path("bench")) as database:
        columns = [column[1] for column in database.execute("PRAGMA table_info(metrics)")]
        row = dict(zip(columns, database.execute("SELECT * FROM metrics").fetchone(), strict=True))
        database.execute("DELETE FROM metrics")
        del row["id"]
        database.executemany(
            f"INSERT INTO metrics ({', '.join(row)}) VALUES ({', '.join('?' for _ in row)})",
            (tuple((row | trackio_row(number)).values()) for number in range(ROWS)),
        )


def trackio_row(row: int) -> dict[str, object]:
    """Return what differs in a row."""
    metrics = {name: value(row, number) for number, name in enumerate(NAMES)}
    time_text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START + row))
    return {"step": row, "timestamp": time_text, "metrics": json.dumps(metrics)}


def read_trackio(folder: Path) -> int:
    """Ask trackio for the rows of the run."""
    rows = trackio_storage(folder).get_logs("bench", "first")
    return sum(name in row for row in rows for name in NAMES)


def trackio_storage(folder: Path):  # type: ignore[no-untyped-def]
    """Return the storage of trackio in a folder."""
    os.environ["TRACKIO_DIR"] = str(folder)
    from trackio.sqlite_storage import SQLiteStorage

    return SQLiteStorage


def write_csv(folder: Path) -> None:
    """Write a table of 100 MB, as loggers do."""
    rows = 1 + int(100e6 / (METRICS * 20 + 8))
    with (folder / "progress.csv").open("w") as file:
        file.write(",".join(["step", *NAMES]) + "\n")
        for row in range(rows):
            file.write(",".join([str(row), *(str(value(row, number)) for number in range(METRICS))]) + "\n")


def read_csv(folder: Path) -> int:
    """Read it with pandas."""
    import pandas

    frame = pandas.read_csv(folder / "progress.csv")
    return int(frame[NAMES].count().sum())


WRITERS: dict[str, Callable[[Path], None]] = {
    "wandb": write_wandb,
    "mlruns": write_mlruns,
    "mlflow": write_mlflow,
    "trackio": write_trackio,
    "csv": write_csv,
}
READERS: dict[str, Callable[[Path], int]] = {
    "wandb": read_wandb,
    "mlruns": read_mlflow,
    "mlflow": read_mlflow,
    "trackio": read_trackio,
    "csv": read_csv,
}


def main() -> None:
    """Write or read."""
    action, name, folder = sys.argv[1:]
    if action == "write":
        WRITERS[name](Path(folder))
        return
    start = time.perf_counter()
    points = READERS[name](Path(folder))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "points": points,
        "s": time.perf_counter() - start,
        "cpu": usage.ru_utime + usage.ru_stime,
        "mb": usage.ru_maxrss / 1024,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
