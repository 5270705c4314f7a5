"""Recorders that write to an object store, in processes of their own, against a real server of the S3 protocol."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import obstore
import pytest
from support.s3_server import BUCKET, S3Server, s3_server
from support.servers import wait_until

from toposcope import server
from toposcope.proto.piece_name import parse_piece_name
from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import BackupAndRestore, OnRequestExit
from toposcope.recorder.checkpoints import load_checkpoint, save_checkpoint

PROGRAM = """
import sys
import numpy as np
from toposcope.recorder import SummaryRecord

address, steps = sys.argv[1], int(sys.argv[2])
with SummaryRecord(address, export_options={"tensor_format": "npy"}) as recorder:
    assert recorder.log_dir.startswith(address + "/events.out.events.summary."), recorder.log_dir
    for step in range(steps):
        recorder.add_value("scalar", "loss", step / 3)
        recorder.record(step)
    recorder.add_value("tensor", "weights", np.arange(4.0))
    recorder.record(steps)
    recorder.flush()
    print("recorded", flush=True)
    if sys.argv[3:]:
        sys.stdin.readline()
"""


@pytest.fixture(scope="module")
def store() -> Iterator[S3Server]:
    """Return a server with an empty bucket, to which the environment of this process leads."""
    with s3_server() as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.environment.items():
            patch.setenv(name, value)
        yield running


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of all spools."""
    monkeypatch.setenv("TOPOSCOPE_SPOOL", str(tmp_path / "spool"))
    return tmp_path / "spool"


def record(address: str, steps: int, *arguments: str) -> "subprocess.Popen[str]":
    """Start a program that records to an address; return once everything is recorded."""
    command = [sys.executable, "-c", PROGRAM, address, str(steps), *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "recorded\n"
    return process


def end(process: "subprocess.Popen[str]") -> None:
    """Wait for the end of a program."""
    process.communicate("\n", timeout=60)
    assert process.returncode == 0


def keys(store: S3Server) -> list[str]:
    """Return the keys of all objects."""
    return [found["path"] for page in obstore.list(store.client) for found in page]


def test_a_run_in_a_store_is_read_as_it_was_recorded(store: S3Server, spool: Path) -> None:
    """With its exported tensors; two recorders in one prefix do not disturb each other, and the spool is empty."""
    address = f"s3://{BUCKET}/first/run"
    both = [record(address, steps, "wait") for steps in (200, 300)]
    for process in both:
        end(process)
    wait_until(lambda: not any(spool.iterdir()))
    files = sorted(key for key in keys(store) if key.startswith("first/run/events"))
    assert len(files) == 2
    exports = sorted(key.split("/")[2] for key in keys(store) if "/tensor/weights_" in key)
    assert len(exports) == 2
    assert {name.rpartition("-")[2] for name in exports} == {key.rpartition("-")[2].split("_")[0] for key in files}
    for key, steps in zip(files, sorted((200, 300)), strict=True):
        store.put(f"apart/{steps}/{Path(key).name}", bytes(obstore.get(store.client, key).bytes()))
    counts = set()
    for run in server.open(f"s3://{BUCKET}/apart").runs.values():
        points = run.scalars("loss")
        counts.add(len(points.step))
        np.testing.assert_array_equal(points.value, np.arange(len(points.step)) / 3)
    assert counts == {200, 300}


def test_a_run_of_wandb_is_recorded_to_a_store(store: S3Server, spool: Path, tmp_path: Path) -> None:
    """With the file that identifies it, and nothing in the working directory."""
    folder = tmp_path / "work"
    folder.mkdir()
    program = (
        "import sys; from toposcope.recorder import wandb; run = wandb.init(dir=sys.argv[1], project='p', name='n', "
    )
    program += "id='1'); run.log({'loss': 0.5}); run.finish()"
    command = [sys.executable, "-c", program, f"s3://{BUCKET}/wandb-runs"]
    result = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    address = f"s3://{BUCKET}/wandb-runs/wandb/p"
    assert f"is recorded in {address}/n-1" in result.stderr
    assert server.open(address).runs["n-1"].scalars("loss").value.tolist() == [0.5]
    assert "wandb-runs/wandb/p/n-1/wandb-run.json" in keys(store)
    assert not any(folder.iterdir())
    assert not any(spool.iterdir())


def test_a_killed_recorder_loses_nothing_that_was_flushed(store: S3Server, spool: Path) -> None:
    """Its uploader goes on; if that is killed too, the next recorder or the command uploads what was left."""
    for run, is_next in (("by-command", False), ("by-next", True)):
        process = record(f"s3://{BUCKET}/killed/{run}", 500, "wait")
        wait_until(lambda run=run: any(f"killed/{run}/" in key for key in keys(store)))  # type: ignore[misc]
        (folder,) = spool.iterdir()
        for each in (uploader_of(folder), process.pid):
            os.kill(each, signal.SIGKILL)
        process.communicate()
        assert any(folder.rglob("events.*"))
        if is_next:
            end(record(f"s3://{BUCKET}/killed/other", 5))
        else:
            subprocess.run([sys.executable, "-m", "toposcope.recorder", "sync", str(spool)], check=True)
        wait_until(lambda: not any(spool.iterdir()))
        loaded = server.open(f"s3://{BUCKET}/killed").runs[run]
        assert loaded.scalars("loss").step.tolist() == list(range(500))
    assert not any(parse_piece_name(key) for key in keys(store))


def test_an_uploader_that_ends_is_replaced(store: S3Server, spool: Path) -> None:
    """Uploads go on, although the recorder has nothing to complete and is not closed."""
    process = record(f"s3://{BUCKET}/replaced/run", 5, "wait")
    wait_until(lambda: any("replaced/run/" in key for key in keys(store)))
    (folder,) = spool.iterdir()
    first = uploader_of(folder)
    os.kill(first, signal.SIGKILL)
    obstore.delete(store.client, [key for key in keys(store) if "replaced/run/" in key])
    wait_until(lambda: any("replaced/run/" in key for key in keys(store)))
    assert uploader_of(folder) != first
    end(process)
    assert not any(spool.iterdir())


def test_the_uploader_imports_nothing_from_the_working_directory(store: S3Server, spool: Path, tmp_path: Path) -> None:
    """A file there may have the name of a module that it imports."""
    (tmp_path / "filelock.py").write_text("open('executed', 'w').close()")
    script = "from toposcope.recorder import SummaryRecord\nwith SummaryRecord('s3://bucket/run') as recorder:\n"
    script += "    recorder.add_value('scalar', 'x', 1.0)\n    recorder.record(1)\n"
    script = script.replace("s3://bucket", f"s3://{BUCKET}")
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    assert any("run/" in key for key in keys(store))
    assert not (tmp_path / "executed").exists()
    assert not any(spool.iterdir())


def uploader_of(folder: Path) -> int:
    """Return the process that uploads a spool."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().endswith(f"--follow\0{folder}\0".encode()):
                return int(path.parent.name)
        except OSError:
            continue
    raise AssertionError("no process uploads it")


def test_a_checkpoint_is_saved_to_an_address(store: S3Server, spool: Path) -> None:
    """In a process that records nothing."""
    program = "import sys; import numpy as np; from toposcope.recorder.checkpoints import save_checkpoint; "
    program += "save_checkpoint({'w': np.arange(3.0)}, sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, f"s3://{BUCKET}/models/best.ckpt"], check=True)
    content = bytes(obstore.get(store.client, "models/best.ckpt").bytes())
    np.testing.assert_array_equal(np.load(io.BytesIO(content))["w"], np.arange(3.0))
    assert not any(spool.iterdir())


@pytest.mark.usefixtures("spool")
def test_invalid_addresses() -> None:
    """The message contains the address, and what was expected."""
    for address in ("s3://", "s3://bucket//run", "gs://bucket/../run"):
        with pytest.raises(ValueError, match=f"{address}.*expected"):
            SummaryRecord(address)
    with pytest.raises(ValueError, match="a Path removes"):
        SummaryRecord(Path("s3://bucket/run"))
    with pytest.raises(ValueError, match="backup_dir must be a local directory"):
        BackupAndRestore("s3://bucket/backup")
    with pytest.raises(ValueError, match="directory must be a local path"):
        OnRequestExit(directory="s3://bucket/exit")
    with pytest.raises(ValueError, match="path must be a local path, as it is read"):
        load_checkpoint("s3://bucket/best.ckpt")
    with pytest.raises(ValueError, match="'s3://bucket' is a bucket"):
        save_checkpoint({}, "s3://bucket")
