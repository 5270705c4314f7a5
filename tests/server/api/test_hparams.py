"""GET /api/hparams."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import loss_run
from support.servers import Serve

from toposcope.proto import framing, hparams_pb2
from toposcope.proto.hparams_pb2 import HParamsPluginData
from toposcope.proto.tensorboard_pb2 import Event, TensorProto
from toposcope.server.api.parameters.hparams import Hparams

_RUN = "tensorboard/tensorboardx/lr_0.1/1795230787.3453648"


def _rows(client: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    reply = client.get("api/hparams", params=query).raise_for_status().json()
    Hparams.model_validate(reply, extra="forbid")
    return reply["runs"]


def _write(directory: Path, contents: dict[str, bytes], tensor: TensorProto | None = None) -> None:
    """Write a TensorBoard file with a value of the plugin for each tag, and an empty tensor as TensorFlow does."""
    events = [Event(wall_time=1.0, file_version="brain.Event:2")]
    for tag, content in contents.items():
        events.append(Event(wall_time=2.0))
        value = events[-1].summary.value.add(tag=f"_hparams_/{tag}", tensor=tensor)
        value.metadata.plugin_data.plugin_name = "hparams"
        value.metadata.plugin_data.content = content
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "events.out.tfevents.1.host"
    path.write_bytes(b"".join(framing.frame(event.SerializeToString()) for event in events))


def _start(group: str, **hparams: float) -> bytes:
    message = hparams_pb2.SessionStartInfo(group_name=group, start_time_secs=1.5)
    for name, value in hparams.items():
        message.hparams[name].number_value = value
    return HParamsPluginData(session_start_info=message).SerializeToString()


def _end(status: str) -> bytes:
    message = hparams_pb2.SessionEndInfo(status=status, end_time_secs=9.5)
    return HParamsPluginData(session_end_info=message).SerializeToString()


def test_golden_sessions_are_listed_with_their_parent(golden: httpx.Client) -> None:
    """Session, experiment, types and status recorded by tensorboardX are complete."""
    rows = _rows(golden)

    assert [row["run"] for row in rows] == ["tensorboard/tensorboardx/lr_0.01/1795230787.3919647", _RUN]
    assert rows[1] == {
        "run": _RUN,
        "parent": "tensorboard/tensorboardx/lr_0.1",
        "session": {
            "hparams": {
                "lr": {"type": "float64", "value": 0.1},
                "batch": {"type": "float64", "value": 32},
                "opt": {"type": "string", "value": "sgd"},
            },
            "group": "",
            "model_uri": "",
            "monitor_url": "",
            "start_time": None,
            "end_time": None,
            "status": "success",
        },
        "experiment": {
            "name": "",
            "description": "",
            "user": "",
            "time_created": None,
            "hparams": [
                {
                    "name": name,
                    "display_name": "",
                    "description": "",
                    "type": kind,
                    "values": None,
                    "interval": None,
                }
                for name, kind in (("lr", "float64"), ("batch", "float64"), ("opt", "string"))
            ],
            "metrics": [
                {"group": "", "tag": "hparam/accuracy", "display_name": "", "description": "", "dataset": None}
            ],
        },
        "problems": [],
    }
    assert _rows(golden, run=_RUN) == rows[1:]
    assert _rows(golden, run="tensorboard/torch") == []


def test_sessions_with_an_empty_tensor_are_read(tmp_path: Path, serve: Serve) -> None:
    """The empty tensor of TensorFlow is ignored; the experiment above is not a parent of the sessions."""
    described = hparams_pb2.Experiment(name="digits")
    described.hparam_infos.add(name="lr").domain_interval.max_value = float("inf")
    empty = TensorProto(dtype=1)
    experiment = {"experiment": HParamsPluginData(experiment=described).SerializeToString()}
    _write(tmp_path, experiment, empty)
    session = {"session_start_info": _start("g", lr=float("nan")), "session_end_info": _end("STATUS_FAILURE")}
    _write(tmp_path / "0", session, empty)

    above, below = _rows(serve(tmp_path))

    assert (above["run"], above["session"], above["parent"]) == (".", None, None)
    assert above["experiment"]["hparams"][0]["interval"] == [0, "Infinity"]
    assert (below["run"], below["experiment"], below["parent"]) == ("0", None, None)
    assert below["session"]["hparams"] == {"lr": {"type": "float64", "value": "NaN"}}
    assert [below["session"][name] for name in ("group", "start_time", "end_time", "status")] == [
        "g",
        1.5,
        9.5,
        "failure",
    ]


def test_damaged_messages_are_reported_and_others_read(tmp_path: Path, serve: Serve) -> None:
    """Each tag of the plugin is read separately; runs without hyperparameters have no row."""
    contents = {"experiment": _end("STATUS_SUCCESS"), "session_start_info": b"\xff", "session_end_info": b"\x22\x7f"}
    _write(tmp_path / "damaged", contents)
    _write(tmp_path / "half", {"session_start_info": _start("", lr=1.0), "session_end_info": b"\xff"})
    loss_run(tmp_path / "other", range(3))

    damaged, half = _rows(serve(tmp_path))

    assert (damaged["session"], damaged["experiment"]) == (None, None)
    assert [problem.split(" of run ")[0] for problem in damaged["problems"]] == [
        "hparams '_hparams_/session_start_info'",
        "hparams '_hparams_/session_end_info'",
        "hparams '_hparams_/experiment'",
    ]
    assert "expected experiment instead of session_end_info" in damaged["problems"][2]
    assert half["session"]["hparams"] == {"lr": {"type": "float64", "value": 1}}
    assert half["session"]["status"] == "unknown"
    assert len(half["problems"]) == 1


def test_newest_session_of_a_file_takes_precedence(tmp_path: Path, serve: Serve) -> None:
    """Lightning records hyperparameters repeatedly."""
    _write(tmp_path, {"session_start_info": _start("", lr=1.0)})
    path = tmp_path / "events.out.tfevents.1.host"
    first = path.read_bytes()
    _write(tmp_path, {"session_start_info": _start("", lr=2.0, batch=8.0)})
    path.write_bytes(first + path.read_bytes())

    (row,) = _rows(serve(tmp_path))

    assert row["session"]["hparams"] == {
        "batch": {"type": "float64", "value": 8},
        "lr": {"type": "float64", "value": 2},
    }


@pytest.mark.parametrize(("path", "status", "error"), [("run=nobody", 404, "'nobody'"), ("typo=1", 422, "typo")])
def test_errors_contain_the_invalid_value(golden: httpx.Client, path: str, status: int, error: str) -> None:
    """Each error is one sentence with the parameter and its value."""
    reply = golden.get(f"api/hparams?{path}")

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text
