"""toposcope.server.open: the Python API."""

import gc
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from support.event_files import GOLDEN, loss_run, scalar_event, write_run
from support.open_files import files_open_in
from support.summary_values import MindSporeValue, record

import toposcope.server
from toposcope.proto.summary_pb2 import Summary
from toposcope.server.python_api import Run

MINDSPORE = "mindspore/digits_momentum"


@pytest.fixture
def digits() -> Run:
    """Return the golden run of MindSpore."""
    return toposcope.server.open(GOLDEN).runs[MINDSPORE]


def test_scalars_are_arrays_without_the_by_products_of_landscapes(digits: Run) -> None:
    """The stitched series equals that of the HTTP API; attempt="all" has all points in file order."""
    stitched, everything = digits.scalars("logit_abs_mean"), digits.scalars("logit_abs_mean", attempt="all")

    assert [column.dtype for column in stitched] == [np.int64, np.float64, np.float64]
    assert stitched.step.tolist() == [1, *range(5, 91, 5)]
    assert everything.step.tolist() == [*stitched.step.tolist(), 0, 0]
    assert stitched.value[0] == np.float32(0.11606693)


def test_values_are_read_on_access(digits: Run) -> None:
    """Tensors, images, histograms, landscapes and lineage have the types of the server."""
    tensors = digits.tensors("logits")
    exported = np.load(GOLDEN / MINDSPORE / "export_1795226941/tensor/logits_90.npy")

    assert (len(tensors), tensors.step[-1]) == (19, 90)
    np.testing.assert_array_equal(tensors[-1].values, exported)
    assert [tensor.dims for tensor in tensors[2:4]] == [exported.shape] * 2
    assert bytes(digits.images("input")[0][0].encoded).startswith(b"\x89PNG")
    assert digits.histograms("fc2.bias/auto")[0].total_count == 10
    assert digits.landscapes("landscape_[4]")[0].kind == "final"
    assert digits.lineage().hyper_parameters["batch_size"] == 64


def test_runs_tags_and_plugins_are_listed(digits: Run) -> None:
    """Names are in the order of their first occurrence."""
    keras = toposcope.server.open(GOLDEN / "tensorboard" / "keras")

    assert list(keras.runs) == ["custom", "train", "validation"]
    assert sorted(digits.tags("scalar")) == ["logit_abs_mean", "loss/auto"]
    assert {"input", "logits", "loss/auto"} <= set(digits.tags())
    assert digits.plugins["image"] == 2
    assert keras.runs["custom"].text("words")[0].texts[0]


def test_ranks_and_attempts_follow_the_rules_of_the_api(tmp_path: Path) -> None:
    """The lowest rank is the default, with attempts stitched; a rank without points is an empty series."""
    loss_run(tmp_path, range(10), seconds=1)
    loss_run(tmp_path, range(5, 8), seconds=100)
    loss_run(tmp_path, range(4), seconds=1, rank=1)
    run = toposcope.server.open(tmp_path).runs["."]

    assert (run.ranks, run.attempts) == ([0, 1], 2)
    assert run.scalars("loss").step.tolist() == list(range(8))
    assert run.scalars("loss", attempt=1).step.tolist() == list(range(10))
    assert run.scalars("loss", rank=1).step.tolist() == list(range(4))
    assert run.scalars("loss", rank=7).step.tolist() == []
    assert run.scalars("loss", attempt=9).step.dtype == np.int64


def test_errors_contain_the_invalid_value(tmp_path: Path) -> None:
    """Unknown runs and tags, and invalid ranks, attempts and paths."""
    logs = tmp_path / "logs"
    loss_run(logs, range(3))
    (tmp_path / "notes.txt").touch()
    run = toposcope.server.open(logs).runs["."]

    with pytest.raises(KeyError, match=r"no scalar tag 'lost' in run '\.': expected one of 'loss'"):
        run.scalars("lost")
    with pytest.raises(KeyError, match=r"no image tag 'loss' in run '\.': the run has no image tags"):
        run.images("loss")
    with pytest.raises(ValueError, match="attempt=0: expected an integer, 1 or greater"):
        run.scalars("loss", attempt=0)
    with pytest.raises(ValueError, match="rank=-1"):
        run.scalars("loss", rank=-1)
    with pytest.raises(FileNotFoundError, match="missing"):
        toposcope.server.open(tmp_path / "missing")
    with pytest.raises(ValueError, match="not an event file"):
        toposcope.server.open(tmp_path / "notes.txt")
    with pytest.raises(ValueError, match="inside the logdir"):
        toposcope.server.open(logs, index_dir=logs / "index")


def test_one_event_file_is_a_logdir_of_one_run(tmp_path: Path) -> None:
    """Other files in its directory are ignored."""
    path = loss_run(tmp_path, range(3))
    loss_run(tmp_path, range(3), seconds=50, tag="other")

    with toposcope.server.open(path) as logdir:
        assert logdir.runs["."].tags() == ["loss"]


def test_damaged_value_is_an_error_and_others_are_read(tmp_path: Path) -> None:
    """A record is verified when its value is read."""
    pictures = [Summary.Image(encoded_image=bytes([step]) * 10_000) for step in range(3)]
    values = [MindSporeValue(tag="big", image=picture) for picture in pictures]
    path = write_run(tmp_path, [record(2.0 + step, step, value) for step, value in enumerate(values)])
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    images = toposcope.server.open(tmp_path).runs["."].images("big")

    assert images[1][0].encoded == bytes([1]) * 10_000
    with pytest.raises(ValueError, match=r"step 2 of run '\.'.*checksum"):
        images[2]


def test_no_threads_and_open_files_remain(tmp_path: Path) -> None:
    """The data are plain arrays."""
    for name in range(20):
        loss_run(tmp_path / str(name), range(100))
    before = set(threading.enumerate())  # Servers of other tests may be in this process.

    logdir = toposcope.server.open(tmp_path)

    assert len(logdir.runs) == 20
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("toposcope-load")]
    assert files_open_in(tmp_path) == []
    loss = logdir.runs["3"].scalars("loss")
    logdir.close()
    assert (len(logdir.runs), loss.step[-1]) == (0, 99)


def test_index_is_used_and_updated(tmp_path: Path) -> None:
    """The second call reads the index and what was appended."""
    path = loss_run(tmp_path / "logs", range(5))
    first = toposcope.server.open(tmp_path / "logs", index_dir=tmp_path / "index").runs["."].scalars("loss")
    assert any((tmp_path / "index").rglob("*-*"))
    with path.open("ab") as opened:
        opened.write(scalar_event(100.0, 5, {"loss": 0.5}))

    second = toposcope.server.open(tmp_path / "logs", index_dir=tmp_path / "index").runs["."].scalars("loss")

    assert second.step.tolist() == [*first.step.tolist(), 5]


def test_frames_have_the_columns_of_the_csv(tmp_path: Path) -> None:
    """One row per point of all or of selected runs and tags."""
    import pandas

    loss_run(tmp_path / "a", range(3))
    loss_run(tmp_path / "b", range(2))
    loss_run(tmp_path / "b", range(4), seconds=9, tag="other")
    logdir = toposcope.server.open(tmp_path)

    table, alone = logdir.frame(), logdir.runs["a"].scalars("loss").to_pandas()

    assert list(table.columns) == ["run", "tag", "rank", "step", "wall_time", "value"]
    assert table.groupby(["run", "tag"]).size().to_dict() == {("a", "loss"): 3, ("b", "loss"): 2, ("b", "other"): 4}
    assert logdir.frame("loss", runs=["b"])["step"].tolist() == [0, 1]
    assert logdir.frame(tags=[]).empty
    assert isinstance(alone, pandas.DataFrame)
    assert alone["value"].tolist() == [1.0, 0.5, np.float32(1 / 3)]
    alone.loc[0, "value"] = 7.0
    assert logdir.runs["a"].scalars("loss").value[0] == 1.0
    with pytest.raises(KeyError, match="no run 'c'"):
        logdir.frame(runs="c")
    with pytest.raises(KeyError, match="no scalar tag 'lost'"):
        logdir.frame(["loss", "lost"])


def test_frame_without_pandas_is_an_import_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error states how to install pandas, which is optional."""
    loss_run(tmp_path, range(3))
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(ImportError, match="pip install pandas"):
        toposcope.server.open(tmp_path).frame()


def test_open_imports_no_web_server(tmp_path: Path) -> None:
    """Programs that only read do not load FastAPI."""
    loss_run(tmp_path, range(3))
    code = "import sys, toposcope.server; toposcope.server.open(sys.argv[1]); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)

    assert not {"fastapi", "uvicorn", "pandas", "watchfiles", "toposcope.recorder"} & set(done.stdout.split())


def test_scalars_are_a_stream_of_arrow(digits: Run) -> None:
    """The columns are the arrays, without a copy."""
    import pyarrow

    scalars = digits.scalars("logit_abs_mean")
    table = pyarrow.RecordBatchReader.from_stream(scalars).read_all()

    assert table.schema.names == ["step", "wall_time", "value"]
    assert [str(kind) for kind in table.schema.types] == ["int64", "double", "double"]
    for column, expected in zip(table.columns, scalars, strict=True):
        np.testing.assert_array_equal(column.to_numpy(), expected)


def test_missing_packages_of_tables_are_named(digits: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow with the extra that has it."""
    for name in ("pyarrow", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'toposcope\[lake\]'"):
        digits.scalars("logit_abs_mean").__arrow_c_stream__()
    with pytest.raises(ImportError, match="pip install polars"):
        digits.scalars("logit_abs_mean").to_polars()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_collections_of_the_caller_stay_as_they_are(tmp_path: Path, is_enabled: bool) -> None:
    """open() neither freezes the heap nor enables collections that are disabled."""
    loss_run(tmp_path / "logs/run", range(5))
    frozen, was_enabled = gc.get_freeze_count(), gc.isenabled()
    (gc.enable if is_enabled else gc.disable)()
    try:
        for _ in range(2):
            toposcope.server.open(tmp_path / "logs", index_dir=tmp_path / "index")
            found = (gc.get_freeze_count(), gc.isenabled())
    finally:
        (gc.enable if was_enabled else gc.disable)()

    assert found == (frozen, is_enabled)


def test_questions_are_those_of_the_command_line(tmp_path: Path) -> None:
    """find, best, compare and diagnose; lists of runs become tables."""
    for rate, accuracy in ((0.1, 0.7), (0.2, 0.9)):
        records = [scalar_event(2.0 + step, step, {"accuracy": accuracy * step}) for step in range(2)]
        write_run(tmp_path / f"rate {rate}", records)
    logdir = toposcope.server.open(tmp_path)

    assert [run.run for run in logdir.find("max(accuracy)>0.8").runs] == ["rate 0.2"]
    table = logdir.find(sort="name", columns=["state", "max(accuracy)"]).to_pandas()
    assert table.columns.tolist() == ["run", "state", "max(accuracy)"]
    assert table["max(accuracy)"].tolist() == pytest.approx([0.7, 0.9])
    assert logdir.best("accuracy").to_pandas()["run"].tolist() == ["rate 0.2", "rate 0.1"]
    (metric,) = logdir.compare("rate 0.1", "rate 0.2").metrics
    assert metric.deltas == pytest.approx([0.0, 0.2])
    assert logdir.diagnose("rate 0.1").findings == []
    with pytest.raises(LookupError, match="there is no run 'x'"):
        logdir.diagnose("x")
    with pytest.raises(ValueError, match="expected a value after lr<"):
        logdir.find("lr<")
