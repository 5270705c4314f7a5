"""Hostile logs: whatever a file contains, the server reads the others, and takes no more memory than they are large."""

import json
import os
import sqlite3
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from toposcope.proto import wandb_pb2
from toposcope.server.formats.files.settings_file import read_yaml
from toposcope.server.formats.wandb.wandb import FILE_HEAD
from toposcope.server.loading.load_once import load_logdir


def deep(levels: int) -> str:
    """Return nested objects of JSON."""
    return '{"a":' * levels + "1" + "}" * levels


def wandb_file(path: Path, items: dict[str, str]) -> None:
    """Write a file of W&B with one step."""
    run, history = wandb_pb2.Record(), wandb_pb2.Record()
    run.run.run_id = "../../x"
    run.run.display_name = "../y"
    for name, value in items.items():
        history.history.item.add(key=name, value_json=value)
    with path.open("wb") as file:
        file.write(FILE_HEAD)
        for record in (run, history):
            content = record.SerializeToString()
            file.write(struct.pack("<IHB", zlib.crc32(b"\1" + content), len(content), 1) + content)


def many_columns(folder: Path) -> None:
    names = [f"c{number}" for number in range(50_000)]
    (folder / "log.csv").write_text(f"step,{','.join(names)}\n0,{','.join('1' for _ in names)}\n")


def million_columns(folder: Path) -> None:
    names = [f"c{number}" for number in range(1_000_000)]
    (folder / "log.csv").write_text(f"step,{','.join(names)}\n0,{','.join('1' for _ in names)}\n")
    row = ", ".join(f'"{name}": 1' for name in names)
    (folder / "log.jsonl").write_text(f'{{"step": 1, "loss": 2}}\n{{"step": 2, {row}}}\n')


def deep_sacred(folder: Path) -> None:
    (folder / "run.json").write_text(f'{{"experiment": {{}}, "artifacts": [], "deep": {deep(100_000)}}}')
    for name in ("config", "metrics"):
        (folder / f"{name}.json").write_text(deep(100_000))


def views_of_mlflow(folder: Path) -> None:
    connection = sqlite3.connect(folder / "mlflow.db")
    for name in ("experiments", "runs", "metrics", "params", "tags"):
        connection.execute(
            f"CREATE VIEW {name} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT * FROM n"
        )
    connection.close()


def deep_json(folder: Path) -> None:
    (folder / "log.jsonl").write_text(f'{{"step": 1, "loss": 2, "deep": {deep(100_000)}}}\n')


def long_line(folder: Path) -> None:
    (folder / "log.csv").write_text("step,loss\n0,1\n1," + "9" * 5_000_000)


def many_quotes(folder: Path) -> None:
    (folder / "log.csv").write_text("step,loss\n0,1\n" + '"\n' * 1_000_001)


def huge_numbers(folder: Path) -> None:
    (folder / "log.csv").write_text("step,loss\n0,1\n1,1e999\n1e300,2\n-5,3\n99999999999999999999,4\nnan,5\n")


def no_utf8(folder: Path) -> None:
    (folder / "log.csv").write_bytes(b"step,loss\n0,1\n1,\xff\xfe\n")


def deep_trainer_state(folder: Path) -> None:
    (folder / "trainer_state.json").write_text(f'{{"log_history": [{deep(100_000)}]}}')


def odd_trainer_state(folder: Path) -> None:
    history = [1, None, {"step": "x"}, {"step": 1e300, "loss": 1}, {"step": 1, "loss": [1]}, {"step": 2, "loss": True}]
    (folder / "trainer_state.json").write_text(json.dumps({"log_history": history}))


def odd_values_of_wandb(folder: Path) -> None:
    items = {
        "deep": deep(5000),
        "image": '{"_type": "image-file", "path": "../../../../etc/hostname"}',
        "absolute": '{"_type": "image-file", "path": "/etc/hostname"}',
        "images": '{"_type": "images/separated", "filenames": 5}',
        "bins": '{"_type": "histogram", "bins": [1], "values": "x"}',
        "packed": '{"_type": "histogram", "packedBins": {"min": 0, "size": 1, "count": 1000000000}, "values": [1]}',
        "big": "1" + "0" * 400,
        "loss": "0.5",
        "": "1",
        "_step": '"x"',
        "_timestamp": "null",
    }
    (folder / "run").mkdir()
    wandb_file(folder / "run/run-x.wandb", items)


def odd_rows_of_trackio(folder: Path) -> None:
    connection = sqlite3.connect(folder / "p.db")
    connection.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)")
    rows = [
        ("..", "x", 1, deep(100)),
        ("../../r", "x", 1, deep(100_000)),
        (None, None, 2, None),
        ("r", "2026-01-01", 3, b"\xff"),
        (b"x", 1, 1, "1"),
    ]
    connection.executemany("INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()


def odd_types_of_trackio(folder: Path) -> None:
    connection = sqlite3.connect(folder / "p.db")
    connection.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)")
    connection.execute("""INSERT INTO metrics VALUES (1, 'r', '2026-01-01', 'no step', '{"a": 1}')""")
    connection.commit()
    connection.close()


def endless_folders_of_mlflow(folder: Path) -> None:
    run = folder / "mlruns/1/r"
    (run / "metrics").mkdir(parents=True)
    (folder / "mlruns/1/meta.yaml").write_text("name: ../../x\nlifecycle_stage: active\n")
    (run / "meta.yaml").write_text("experiment_id: 1\nrun_id: r\nlifecycle_stage: active\nstatus: [1]\nstart_time: x\n")
    (run / "metrics/endless").symlink_to(run)
    (run / "metrics/loss").write_text("1 2 3\nx y z\n1\n\n1 1e999 99999999999999999999999\n")


HOSTILE = [
    *(many_columns, deep_json, long_line, many_quotes, huge_numbers, no_utf8, deep_trainer_state, odd_trainer_state),
    *(odd_values_of_wandb, odd_rows_of_trackio, odd_types_of_trackio, endless_folders_of_mlflow),
    *(million_columns, deep_sacred, views_of_mlflow),
]


@pytest.mark.parametrize("write", HOSTILE, ids=lambda write: str(write.__name__))
def test_other_logs_are_read_beside_a_hostile_one(tmp_path: Path, write: Callable[[Path], None]) -> None:
    (tmp_path / "hostile").mkdir()
    (tmp_path / "good").mkdir()
    (tmp_path / "good/log.csv").write_text("step,loss\n0,1\n1,0.5\n")
    write(tmp_path / "hostile")
    runs = load_logdir(str(tmp_path)).runs
    assert runs["good/log.csv"].points("loss", 0).total == 2
    assert all(name.split("/")[0] in ("good", "hostile") and ".." not in name.split("/") for name in runs)
    for run in runs.values():
        assert all(run.points(tag, 0).total for tag in run.tags_of("scalar"))


def test_links_in_media_that_leave_the_folder_are_not_images(tmp_path: Path) -> None:
    (tmp_path / "run/files/media").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "run/files/media/a.png").symlink_to(tmp_path / "secret.txt")
    wandb_file(tmp_path / "run/run-x.wandb", {"image": '{"_type": "image-file", "path": "media/a.png"}', "loss": "1.5"})
    (run,) = load_logdir(str(tmp_path)).runs.values()
    assert "scalar" in run.plugins
    assert "image" not in run.plugins


@pytest.mark.parametrize(
    "content", ["a: &a [x, x]\nb: *a\n", "[1, 2]", "a: [", "{" * 10_000, "- " * 10_000, "a" * (2 << 20), "\0"]
)
def test_hostile_yaml_is_refused(content: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_yaml(content.encode())


def test_objects_in_yaml_are_not_made(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    loaded = read_yaml(f"a: !!python/object/apply:os.mkdir ['{mark}']\nb: !!python/tuple [1, 2]\n".encode())
    assert loaded == {"a": [str(mark)], "b": [1, 2]}
    assert not os.path.exists(mark)
