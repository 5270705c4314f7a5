"""Logs of every format, converted into event files of both dialects and into Parquet files, and read again."""

from pathlib import Path
from typing import Any

import pytest
from support.event_files import GOLDEN as EVENT_FILES
from support.event_files import loss_run
from support.lakes import rows
from support.servers import run

from toposcope.proto import framing
from toposcope.proto.file_name import event_file_name
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.server.convert.conversion import Conversion
from toposcope.server.convert.target import MINDSPORE, TENSORBOARD, Target
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.parameters.hyper_parameters import read_settings
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.values.histogram import read_histogram
from toposcope.server.values.image import read_images
from toposcope.server.values.tensor import read_tensor
from toposcope.server.values.text import read_text

FOREIGN = Path(__file__).parents[1] / "formats/golden"
LOGS = [
    *sorted(path for path in FOREIGN.iterdir() if path.is_dir()),
    EVENT_FILES / "mindspore",
    EVENT_FILES / "tensorboard",
]
TARGETS = [TENSORBOARD, MINDSPORE]


def convert(source: Path, target: Target, out: Path) -> Conversion:
    """Convert a logdir."""
    out.mkdir()
    conversion = Conversion(target, str(out))
    for view in load_logdir(str(source)).runs.values():
        conversion.add(view)
    return conversion


def name_in(target: Target, run: str) -> str:
    """Return the name of a run after the conversion."""
    return run if target is TENSORBOARD else run.replace("/", ".")


def scalars(run: RunView) -> dict[str, str]:
    """Return all points of each scalar tag, as a text in which NaN equals NaN."""
    return {
        tag: repr(sorted(zip(*(column.tolist() for column in run.points(tag, 0, ALL)), strict=True), key=repr))
        for tag in run.tags_of("scalar")
    }


def values(run: RunView, plugin: str) -> dict[str, Any]:
    """Return the steps, the times and the contents of each tag of a plugin."""
    tags = [Tag(plugin, name) for name in run.tags_of(plugin)]
    return {tag.name: [_value(run, tag, row) for row in range(_payloads(run, tag).total)] for tag in tags}


def _payloads(run: RunView, tag: Tag) -> Payloads:
    return run.payloads(tag, run.ranks_of(tag, ALL)[0], ALL)


def _value(run: RunView, tag: Tag, row: int) -> tuple[int, float, str]:
    payloads = _payloads(run, tag)
    payload, kind = read_payload(run, payloads, row), KINDS[payloads.kind[row]]
    dialect = run.files[int(payloads.file[row])].version.dialect
    content: Any
    match tag.plugin:
        case "image":
            content = [bytes(image.encoded) for image in read_images(payload, kind)][:1]
        case "text":
            content = "\n\n".join(read_text(payload, kind).texts)
        case "tensor":
            tensor = read_tensor(payload, dialect)
            content = (tensor.dtype, tensor.dims, None if tensor.values is None else tensor.values.tolist())
        case "histogram":
            histogram = read_histogram(payload, kind, dialect)
            # TensorBoard's dialect has the right edges, MindSpore's the widths: they differ by a rounding.
            columns = [column.round(6).tolist() for column in histogram.buckets]
            counted = [bucket for bucket in zip(*columns, strict=True) if bucket[2]]
            content = (histogram.total_count, histogram.min, histogram.max, counted)
    return int(payloads.step[row]), float(payloads.wall_time[row]), repr(content)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.dialect)
@pytest.mark.parametrize("source", LOGS, ids=lambda source: source.name)
def test_scalars_are_those_of_the_source(source: Path, target: Target, tmp_path: Path) -> None:
    """Their steps, times and values: also NaN, infinities, and doubles beyond float32."""
    convert(source, target, tmp_path / "out")
    before, after = load_logdir(str(source)).runs, load_logdir(str(tmp_path / "out")).runs
    expected = {name_in(target, name): scalars(view) for name, view in before.items()}
    assert any(expected.values())
    assert {name: scalars(run) for name, run in after.items()} == expected


@pytest.mark.parametrize("plugin", ["image", "text", "tensor", "histogram"])
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.dialect)
@pytest.mark.parametrize("source", LOGS, ids=lambda source: source.name)
def test_other_values_are_those_of_the_source(source: Path, target: Target, plugin: str, tmp_path: Path) -> None:
    """Of several images of a value, MindSpore's dialect has the first one."""
    convert(source, target, tmp_path / "out")
    before, after = load_logdir(str(source)).runs, load_logdir(str(tmp_path / "out")).runs
    for name, view in before.items():
        assert values(after[name_in(target, name)], plugin) == values(view, plugin)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.dialect)
@pytest.mark.parametrize("source", ["wandb", "mlflow-sqlite", "trackio"])
def test_parameters_and_states_are_those_of_the_source(source: str, target: Target, tmp_path: Path) -> None:
    convert(FOREIGN / source, target, tmp_path / "out")
    before, after = load_logdir(str(FOREIGN / source)).runs, load_logdir(str(tmp_path / "out")).runs
    for name, view in before.items():
        converted = after[name_in(target, name)]
        assert read_settings(converted, []).hyper_parameters == read_settings(view, []).hyper_parameters
        assert converted.state_name == view.state_name


def test_lineage_of_mindspore_becomes_hyperparameters_of_tensorboard(tmp_path: Path) -> None:
    convert(EVENT_FILES / "mindspore", TENSORBOARD, tmp_path / "out")
    (before,), (after,) = (
        load_logdir(str(logs)).runs.values() for logs in (EVENT_FILES / "mindspore", tmp_path / "out")
    )
    expected = read_settings(before, []).hyper_parameters
    assert expected
    assert read_settings(after, []).hyper_parameters == expected


def test_lineage_beyond_hyperparameters_is_counted(tmp_path: Path) -> None:
    """Each value that the train lineage has of data sets and of the model, and each evaluation."""
    (tmp_path / "logs").mkdir()
    training, evaluation = LineageEvent(wall_time=1.0), LineageEvent(wall_time=2.0)
    training.train_lineage.hyper_parameters.optimizer = "Momentum"
    training.train_lineage.train_dataset.train_dataset_size = 100
    training.train_lineage.algorithm.network = "LeNet"
    training.train_lineage.model.size = 5
    evaluation.evaluation_lineage.metric = '{"accuracy": 0.5}'
    events = [LineageEvent(wall_time=1.0, version="MindSpore.Event:1"), training, evaluation]
    name = event_file_name("", 1, 0, "host", "_MS_lineage")
    (tmp_path / "logs" / name).write_bytes(b"".join(framing.frame(event.SerializeToString()) for event in events))

    conversion = convert(tmp_path / "logs", TENSORBOARD, tmp_path / "out")

    assert conversion.left_out == {("lineage", "left out: files of TensorBoard have no place for them"): 4}
    (converted,) = load_logdir(str(tmp_path / "out")).runs.values()
    assert read_settings(converted, []).hyper_parameters == {"optimizer": "Momentum"}


def test_attempts_stay_apart(tmp_path: Path) -> None:
    loss_run(tmp_path / "logs/a", range(1, 6), seconds=100)
    loss_run(tmp_path / "logs/a", range(3, 9), seconds=200)
    convert(tmp_path / "logs", TENSORBOARD, tmp_path / "out")
    (before,), (after,) = (load_logdir(str(tmp_path / logs)).runs.values() for logs in ("logs", "out"))
    assert repr(list(after.points("loss", 0))) == repr(list(before.points("loss", 0)))
    assert scalars(after) == scalars(before)


def test_what_has_no_place_is_counted_by_plugin(tmp_path: Path) -> None:
    done = run("convert", EVENT_FILES / "mindspore", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert done.stdout == f"{tmp_path / 'out'}: 1 run, 3 event files\n"
    assert "landscape: 2 values left out: files of TensorBoard have no place for them\n" in done.stderr
    assert "scalar" not in done.stderr


def test_damaged_records_are_left_out(tmp_path: Path) -> None:
    file = loss_run(tmp_path / "logs/a", range(1, 6))
    content = bytearray(file.read_bytes())
    content[-30] ^= 1
    file.write_bytes(content)
    for target in ("mindspore", "tensorboard"):
        done = run("convert", tmp_path / "logs", "--to", target, "--out", tmp_path / target)
        assert (done.returncode, done.stderr) == (1, "1 damaged place in event files left out\n")
        (converted,) = load_logdir(str(tmp_path / target)).runs.values()
        assert converted.points("loss", 0).step.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["", "..", "a\0b", "x" * 250])
def test_names_that_are_no_directories_are_changed(name: str, tmp_path: Path) -> None:
    """Runs of databases have any names."""
    loss_run(tmp_path / "logs", range(1, 3))
    (view,) = load_logdir(str(tmp_path / "logs")).runs.values()
    (tmp_path / "out").mkdir()
    for each in (f"a/{name}", f"A/{name}"):
        Conversion(MINDSPORE, str(tmp_path / "out")).add(RunView(each, view.files, 1, live=False))
    assert len(load_logdir(str(tmp_path / "out")).runs) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logs", "out"]


def test_one_log_in_another_format_is_converted(tmp_path: Path) -> None:
    done = run("convert", FOREIGN / "plain_files/keras/training.log", "--out", tmp_path / "out")
    assert done.stdout == f"{tmp_path / 'out'}: 1 run, 1 event file\n"
    assert list(load_logdir(str(tmp_path / "out")).runs) == ["."]


def test_parquet_files_have_all_points(tmp_path: Path) -> None:
    done = run("convert", FOREIGN / "wandb", "--to", "parquet", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "image: left out: tables of scalars and runs have no place for them\n" in done.stderr
    expected = sum(
        run.points(tag, 0).total
        for run in load_logdir(str(FOREIGN / "wandb")).runs.values()
        for tag in run.tags_of("scalar")
    )
    assert len(rows(tmp_path / "out", "scalars")) == expected


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("full", "--out '{}' is not empty: choose a new directory, nothing is overwritten"),
        ("full/file", "--out '{}' is not a directory"),
        ("logs/out", "--out '{}' is inside DIR, which is read-only: choose another directory"),
    ],
)
def test_nothing_is_overwritten(out: str, message: str, tmp_path: Path) -> None:
    loss_run(tmp_path / "logs/a", range(3))
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("mine")
    done = run("convert", tmp_path / "logs", "--out", tmp_path / out)
    assert done.returncode == 2
    assert done.stderr == f"summary-server convert: {message.format(tmp_path / out)}\n"
    assert (tmp_path / "full/file").read_text() == "mine"


def test_a_logdir_without_runs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    done = run("convert", tmp_path / "logs", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "has no runs" in done.stderr
    assert not (tmp_path / "out").exists()
