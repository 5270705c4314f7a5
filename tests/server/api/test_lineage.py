"""The API routes of lineage and dataset pipelines."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import GOLDEN, loss_run
from support.servers import Serve

from toposcope.proto import framing, hparams_pb2
from toposcope.proto.hparams_pb2 import HParamsPluginData
from toposcope.proto.lineage_pb2 import DatasetGraph, EvaluationLineage, LineageEvent, UserDefinedInfo
from toposcope.proto.tensorboard_pb2 import Event
from toposcope.proto.wire import varint
from toposcope.recorder import SummaryRecord, custom_lineage, dataset_graph, eval_lineage, train_lineage
from toposcope.server.api.parameters.lineage import DatasetPipeline, DatasetPipelines, Lineages
from toposcope.server.runs.messages.run_messages import LARGEST_MESSAGE

_SECTIONS = ("hyper_parameters", "metrics", "train_dataset", "valid_dataset", "model", "custom")


def _rows(client: httpx.Client, **query: Any) -> dict[str, dict[str, Any]]:
    """Return the non-empty sections by run."""
    reply = client.get("api/lineage", params=query).raise_for_status().json()
    Lineages.model_validate(reply, extra="forbid")
    return {row.pop("run"): {name: value for name, value in row.items() if value} for row in reply["runs"]}


def _write_lineage(directory: Path, *events: LineageEvent | bytes) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    records = [each if isinstance(each, bytes) else each.SerializeToString() for each in events]
    path = directory / "events.out.events.summary.1.0.host_lineage"
    path.write_bytes(b"".join(map(framing.frame, records)))


def _write_tensorboard(
    directory: Path, wall_time: float = 1.0, scalars: dict[str, float] | None = None, **data: Any
) -> None:
    """Write a TensorBoard file with messages of the plugin "hparams" and scalars."""
    events = [Event(wall_time=wall_time, file_version="brain.Event:2")]
    for name, message in data.items():
        events.append(Event(wall_time=wall_time))
        plugin_data = events[-1].summary.value.add(tag=f"_hparams_/{name}").metadata.plugin_data
        plugin_data.plugin_name = "hparams"
        plugin_data.content = HParamsPluginData(**{name: message}).SerializeToString()
    for tag, value in (scalars or {}).items():
        events.append(Event(wall_time=wall_time))
        events[-1].summary.value.add(tag=tag, simple_value=value)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"events.out.tfevents.{wall_time:.0f}.host"
    path.write_bytes(b"".join(framing.frame(event.SerializeToString()) for event in events))


def _session(**hparams: float) -> hparams_pb2.SessionStartInfo:
    message = hparams_pb2.SessionStartInfo()
    for name, value in hparams.items():
        message.hparams[name].number_value = value
    return message


def _experiment(*metrics: tuple[str, str]) -> hparams_pb2.Experiment:
    message = hparams_pb2.Experiment()
    for group, tag in metrics:
        name = message.metric_infos.add().name
        name.group, name.tag = group, tag
    return message


def test_golden_lineage_is_returned(golden: httpx.Client) -> None:
    """The run of MindSpore and the two of tensorboardX have a row; the directory of a session has none."""
    rows = _rows(golden)

    sees = json.loads((GOLDEN / "mindspore/digits_momentum/mindinsight_sees.json").read_text())
    seen = sees["digits_momentum"]["lineage"]
    row = rows.pop("mindspore/digits_momentum")
    assert (row["metrics"], row["custom"]) == (seen["metric"], seen["user_defined"])
    assert row["hyper_parameters"] == {
        "optimizer": "Momentum",
        "learning_rate": 0.05,
        "loss_function": "SoftmaxCrossEntropyWithLogits",
        "epoch": 4,
        "parallel_mode": "stand_alone",
        "device_num": 1,
        "batch_size": 64,
    }
    assert row["model"] == {"network": "SmallConv", "loss": 0.15966673, "path": None, "size": 0}
    assert rows == {
        "tensorboard/tensorboardx/lr_0.01": {
            "hyper_parameters": {"lr": 0.01, "batch": 32, "opt": "sgd"},
            "metrics": {"hparam/accuracy": 0.7039762735366821},
        },
        "tensorboard/tensorboardx/lr_0.1": {
            "hyper_parameters": {"lr": 0.1, "batch": 32, "opt": "sgd"},
            "metrics": {"hparam/accuracy": 0.998500406742096},
        },
    }


def test_requested_session_has_a_separate_row(golden: httpx.Client) -> None:
    """A session in a subdirectory can be requested by name."""
    run = "tensorboard/tensorboardx/lr_0.1/1795230787.3453648"

    assert _rows(golden, run=run)[run]["metrics"] == {"hparam/accuracy": 0.998500406742096}


def test_all_messages_of_a_run_are_merged(tmp_path: Path, serve: Serve) -> None:
    """Messages of two recorders are merged by name, the newest takes precedence; other runs have no row."""
    with SummaryRecord(str(tmp_path / "a")) as record:
        record.add_value("train_lineage", "train", train_lineage(learning_rate=0.1, epoch=4, train_dataset_path="/d"))
        record.add_value("custom_lineage_data", "custom", custom_lineage({"note": "first", "seed": 1}))
        record.record(1)
    with SummaryRecord(str(tmp_path / "a")) as record:
        record.add_value("train_lineage", "train", train_lineage(learning_rate=0.5, model_path="/m.ckpt"))
        record.add_value("eval_lineage", "eval", eval_lineage({"accuracy": 0.5}, valid_dataset_size=2**40))
        record.add_value("custom_lineage_data", "custom", custom_lineage({"note": "second"}))
        record.record(1)
    loss_run(tmp_path / "b", range(3))

    assert _rows(serve(tmp_path)) == {
        "a": {
            "hyper_parameters": {"learning_rate": 0.5, "epoch": 4},
            "train_dataset": {"train_dataset_path": "/d"},
            "model": {"path": "/m.ckpt"},
            "metrics": {"accuracy": 0.5},
            "valid_dataset": {"valid_dataset_size": 2**40},
            "custom": {"note": "second", "seed": 1},
        }
    }


def test_values_that_json_lacks_are_strings(tmp_path: Path, serve: Serve) -> None:
    """NaN, infinities, large integers and lone surrogates do not break the reply."""
    metric = '{"a": NaN, "b": [-Infinity, {"c": 123456789012345678901234567890}], "d\\ud800": "\\udfff"}'
    _write_lineage(tmp_path, LineageEvent(wall_time=1.0, evaluation_lineage=EvaluationLineage(metric=metric)))

    assert _rows(serve(tmp_path))["."]["metrics"] == {
        "a": "NaN",
        "b": ["-Infinity", {"c": "123456789012345678901234567890"}],
        "d\\ud800": "\\udfff",
    }


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("NaN", "NaN"),
        ("[1, -Infinity]", [1, "-Infinity"]),
        ("null", None),
        ('"null"', "null"),
        (str(2**64), str(2**64)),
    ],
)
def test_single_values_that_json_lacks_are_strings(tmp_path: Path, serve: Serve, metric: str, expected: object) -> None:
    """A single such value is converted too; null is unchanged."""
    metrics = f'{{"a": {metric}, "b": 0.5}}'
    _write_lineage(tmp_path, LineageEvent(wall_time=1.0, evaluation_lineage=EvaluationLineage(metric=metrics)))

    assert _rows(serve(tmp_path))["."]["metrics"] == {"a": expected, "b": 0.5}


def test_damaged_and_oversized_messages_are_reported_and_others_read(tmp_path: Path, serve: Serve) -> None:
    """Each problem is one sentence with the message; nothing else is lost."""
    large = LineageEvent(wall_time=2.0)
    large.user_defined_info.map_str["large"] = "x" * LARGEST_MESSAGE
    small = LineageEvent(wall_time=3.0)
    small.user_defined_info.map_str["small"] = "x"
    _write_lineage(tmp_path, b"\x09" + bytes(8) + b"\x32\x02\x0a\x7f", large, small)  # train_lineage: not complete

    row = _rows(serve(tmp_path))["."]

    assert row["custom"] == {"small": "x"}
    damaged, oversized = row["problems"]
    assert damaged.startswith("lineage 'train' of run '.' at step 0: Error parsing message")
    assert oversized.startswith(f"lineage 'custom' of run '.' at step 0: {large.user_defined_info.ByteSize()} bytes")


def test_too_deeply_nested_custom_info_is_reported(tmp_path: Path, serve: Serve) -> None:
    """The depth that protobuf supports is read, one level more is a problem."""
    for name, depth in (("deepest", 49), ("deeper", 5000)):
        content = UserDefinedInfo(map_int32={"x": 1}).SerializeToString()
        for _ in range(depth):
            entry = b"\x0a\x01a\x12" + varint(len(content)) + content
            content = b"\x12" + varint(len(entry)) + entry
        _write_lineage(tmp_path / name, b"\x09" + bytes(8) + b"\x52" + varint(len(content)) + content)

    rows = _rows(serve(tmp_path))

    nested = rows["deepest"]["custom"]
    for _ in range(49):
        nested = nested["a"]
    assert nested == {"x": 1}
    assert "Error parsing message" in rows["deeper"]["problems"][0]


def test_sessions_with_scalars_are_runs(tmp_path: Path, serve: Serve) -> None:
    """Keras records the experiment in the parent directory, and metrics in the session and its subdirectories."""
    metrics = _experiment(("", "accuracy"), ("validation", "epoch_loss"), ("train", "unknown"))
    _write_tensorboard(tmp_path / "trials", experiment=metrics)
    for trial in ("1", "2"):
        run = tmp_path / "trials" / trial
        _write_tensorboard(run, scalars={"accuracy": float(trial)}, session_start_info=_session(units=8))
        _write_tensorboard(run / "validation", scalars={"epoch_loss": 0.5, "accuracy": 9.0})

    assert _rows(serve(tmp_path)) == {
        f"trials/{trial}": {
            "hyper_parameters": {"units": 8},
            "metrics": {"accuracy": float(trial), "validation/epoch_loss": 0.5},
        }
        for trial in ("1", "2")
    }


def test_hyperparameters_in_the_directory_of_a_run(tmp_path: Path, serve: Serve) -> None:
    """Lightning records experiment, session, metrics and scalars in one directory, maybe below another run."""
    loss_run(tmp_path, range(3))
    _write_tensorboard(
        tmp_path / "version_0",
        scalars={"hp_metric": float("nan"), "loss": 2.0},
        experiment=_experiment(("", "hp_metric")),
        session_start_info=_session(lr=0.5),
    )

    assert _rows(serve(tmp_path)) == {"version_0": {"hyper_parameters": {"lr": 0.5}, "metrics": {"hp_metric": "NaN"}}}


def test_several_sessions_of_a_run_are_trials(tmp_path: Path, serve: Serve) -> None:
    """Each call of add_hparams creates a directory; the values of several are never merged into a run."""
    loss_run(tmp_path, range(3))
    for wall_time, name, session in ((10.0, "z", _session(lr=0.5, batch=8)), (20.0, "a", _session(lr=0.25))):
        messages = {"experiment": _experiment(("", "accuracy")), "session_start_info": session}
        _write_tensorboard(tmp_path / name, wall_time, {"accuracy": wall_time}, **messages)

    assert _rows(serve(tmp_path)) == {
        "a": {"hyper_parameters": {"lr": 0.25}, "metrics": {"accuracy": 20}},
        "z": {"hyper_parameters": {"lr": 0.5, "batch": 8}, "metrics": {"accuracy": 10}},
    }


def test_golden_pipeline_is_returned(golden: httpx.Client) -> None:
    """All stages, from the last to the source, have their parameters; a run without a pipeline has null."""
    reply = golden.get("api/lineage/dataset", params={"run": "mindspore/digits_momentum"}).raise_for_status().json()
    other = golden.get("api/lineage/dataset", params={"run": "tensorboard/torch"}).json()

    DatasetPipeline.model_validate(reply, extra="forbid")
    stages = [reply["dataset"]]
    while stages[-1]["children"]:
        stages += stages[-1]["children"]
    assert [stage["op_type"] for stage in stages] == ["Batch", "Map", "Map", "GeneratorDataset"]
    assert stages[0]["parameters"]["drop_remainder"] is True
    assert stages[1]["operations"][0]["tensor_op_name"] == "TypeCast"
    assert (other["dataset"], other["problems"]) == (None, [])


def test_newest_pipeline_of_a_run_is_read(tmp_path: Path, serve: Serve) -> None:
    """Values that JSON lacks are strings; deep pipelines are supported."""
    with SummaryRecord(str(tmp_path / "two")) as record:
        for step, rate in ((1, 0.5), (2, float("inf"))):
            record.add_value("dataset_graph", "dataset", dataset_graph({"op_type": "Batch", "rate": rate}))
            record.record(step)
    graph = DatasetGraph()
    for _ in range(98):
        graph = DatasetGraph(children=[graph])
    _write_lineage(tmp_path / "deep", LineageEvent(wall_time=1.0, dataset_graph=graph))
    client = serve(tmp_path)

    two = client.get("api/lineage/dataset", params={"run": "two"}).json()["dataset"]
    deep = client.get("api/lineage/dataset", params={"run": "deep"}).raise_for_status().json()

    assert two["parameters"] == {"rate": "Infinity"}
    assert deep["dataset"]["children"][0]["children"]


def test_damaged_pipeline_is_reported(tmp_path: Path, serve: Serve) -> None:
    """The pipeline is null, with the reason in one sentence."""
    _write_lineage(tmp_path, b"\x09" + bytes(8) + b"\x4a\x02\x0a\x7f")

    reply = serve(tmp_path).get("api/lineage/dataset", params={"run": "."}).raise_for_status().json()

    assert reply["dataset"] is None
    assert reply["problems"][0].startswith("dataset_graph '' of run '.' at step 0: Error parsing message")


def test_long_lists_of_runs_are_posted(golden: httpx.Client) -> None:
    """POST equals GET for any number of runs, also for pipelines."""
    run = "mindspore/digits_momentum"
    both = [run, "tensorboard/torch"]

    posted = golden.post("api/lineage", json={"run": both}).raise_for_status().json()
    assert posted == golden.get("api/lineage", params={"run": both}).json()
    reply = golden.post("api/lineage/datasets", json={"run": both}).raise_for_status().json()
    DatasetPipelines.model_validate(reply, extra="forbid")
    one = golden.get("api/lineage/dataset", params={"run": run}).json()
    assert reply["runs"] == [{"run": run, "dataset": one["dataset"], "problems": []}]
    assert golden.get("api/lineage/datasets").json() == reply
    for route in ("api/lineage", "api/lineage/datasets"):
        refused = golden.post(route, json={"run": ["nobody"]})
        assert (refused.status_code, "'nobody'" in refused.text) == (404, True)
        assert golden.post(route, json={"runs": []}).status_code == 422


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("api/lineage?run=nobody", 404, "'nobody'"),
        ("api/lineage?typo=1", 422, "typo"),
        ("api/lineage/dataset", 422, "run"),
        ("api/lineage/dataset?run=nobody", 404, "'nobody'"),
        ("api/lineage/dataset?run=.&typo=1", 422, "typo"),
    ],
)
def test_errors_contain_the_invalid_value(golden: httpx.Client, path: str, status: int, error: str) -> None:
    """Each error is one sentence with the parameter and its value."""
    reply = golden.get(path)

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text
