"""Lineage messages built from plain Python values."""

import json
import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from google.protobuf.json_format import MessageToDict
from support import golden_run

from toposcope.proto.lineage_pb2 import EvaluationLineage, TrainLineage, UserDefinedInfo
from toposcope.recorder.messages.lineage import custom_lineage, eval_lineage, train_lineage


def test_train_lineage_matches_mindspore() -> None:
    """The settings of the golden training result in MindSpore's message, plus the exact numbers."""
    golden = golden_run.lineage_events()["train_lineage"].train_lineage

    lineage = train_lineage(
        optimizer="Momentum",
        learning_rate=0.05,
        loss_function="SoftmaxCrossEntropyWithLogits",
        epoch=4,
        parallel_mode="stand_alone",
        device_num=1,
        batch_size=64,
        train_dataset_size=1472,
        network="SmallConv",
        loss=np.float32(golden.algorithm.loss),
        model_size=0,
    )

    assert lineage.hyper_parameters.learning_rate_double == 0.05
    lineage.hyper_parameters.ClearField("learning_rate_double")
    golden.model.ClearField("path")
    assert lineage == golden


def test_eval_lineage_matches_mindspore() -> None:
    """The metrics of the golden evaluation result in its message."""
    golden = golden_run.lineage_events()["evaluation_lineage"].evaluation_lineage

    assert eval_lineage(json.loads(golden.metric), valid_dataset_size=288) == golden


def test_custom_lineage_matches_mindspore() -> None:
    """Texts, floats and small integers are stored in MindSpore's fields."""
    golden = golden_run.lineage_events()["user_defined_info"].user_defined_info

    assert custom_lineage({"note": "seed1", "lr0": 0.05, "width": 8}) == golden


def test_message_without_arguments_is_empty() -> None:
    """Arguments that are None are absent from the message."""
    assert train_lineage() == TrainLineage()
    assert eval_lineage({}) == EvaluationLineage(metric="{}")


def test_model_path_is_stored_as_json() -> None:
    """The path of the checkpoint is stored in MindSpore's JSON, also if it is a path object."""
    assert json.loads(train_lineage(model_path=Path("/runs") / "net.ckpt").model.path) == {"ckpt": "/runs/net.ckpt"}


def test_undecodable_file_names_are_escaped() -> None:
    """A path with bytes that are not UTF-8 is stored, not rejected."""
    lineage = train_lineage(train_dataset_path="/data/\udcff", model_path="/model/\udcff")

    assert TrainLineage.FromString(lineage.SerializeToString()).train_dataset.train_dataset_path == "/data/\\udcff"
    assert json.loads(lineage.model.path) == {"ckpt": "/model/\udcff"}


@pytest.mark.parametrize(
    ("rate", "nearest", "is_exact"),
    [
        (0.5, 0.5, True),
        (0.1, float(np.float32(0.1)), False),
        (np.float32(0.1), float(np.float32(0.1)), True),
        (np.array(3), 3.0, True),
        (np.array([1e-3]), float(np.float32(1e-3)), False),
        (1e300, math.inf, False),
        (-math.inf, -math.inf, True),
    ],
)
def test_reals_are_stored_exactly(rate: object, nearest: float, is_exact: bool) -> None:
    """A number is also stored as a double if and only if float32 does not represent it exactly."""
    hyper_parameters = train_lineage(learning_rate=rate).hyper_parameters

    assert hyper_parameters.learning_rate == nearest
    assert hyper_parameters.HasField("learning_rate_double") == (not is_exact)
    assert is_exact or hyper_parameters.learning_rate_double == np.asarray(rate).item()


def test_nan_loss_is_stored() -> None:
    """The loss of a diverged training may be NaN, which needs no double."""
    algorithm = train_lineage(loss=math.nan).algorithm

    assert math.isnan(algorithm.loss)
    assert not algorithm.HasField("loss_double")


def test_sizes_of_large_datasets_are_stored_exactly() -> None:
    """For a size beyond int32, MindInsight reads the largest int32, and our reader the exact size."""
    train = train_lineage(train_dataset_size=2**40).train_dataset
    valid = eval_lineage({}, valid_dataset_size=np.int64(2**40)).valid_dataset

    assert (train.train_dataset_size, train.train_dataset_size_int64) == (2**31 - 1, 2**40)
    assert (valid.valid_dataset_size, valid.valid_dataset_size_int64) == (2**31 - 1, 2**40)


@pytest.mark.parametrize(
    ("argument", "error"),
    [
        ({"optimizer": object()}, TypeError),
        ({"epoch": True}, TypeError),
        ({"epoch": 1.0}, TypeError),
        ({"epoch": np.arange(3)}, TypeError),
        ({"epoch": 2**31}, ValueError),
        ({"batch_size": -1}, ValueError),
        ({"train_dataset_size": 2**63}, ValueError),
        ({"model_size": "1 GB"}, TypeError),
        ({"learning_rate": "0.1"}, TypeError),
        ({"loss": np.zeros(2)}, ValueError),
        ({"model_path": b"net.ckpt"}, TypeError),
        ({"train_dataset_path": 7}, TypeError),
    ],
)
def test_invalid_arguments_are_rejected(argument: dict[str, Any], error: type[Exception]) -> None:
    """The message names the parameter with the wrong type or an invalid value."""
    with pytest.raises(error, match=next(iter(argument))):
        train_lineage(**argument)


def test_metrics_of_all_types() -> None:
    """A metric may be a number of Python or NumPy, an array, a text, None, or a list or dict of these."""
    metrics = {
        "accuracy": np.float32(0.5),
        "f1": np.array([0.25, 1]),
        "confusion": np.eye(2, dtype=np.int64),
        "half": ml_dtypes.bfloat16(1.5),
        "best": None,
        "note": "ok",
        "per class": {0: np.int8(1), "cat": (True, [2])},
        "loss": math.nan,
    }

    plain = json.loads(eval_lineage(metrics).metric)

    assert math.isnan(plain.pop("loss"))
    assert plain == {
        "accuracy": 0.5,
        "f1": [0.25, 1.0],
        "confusion": [[1, 0], [0, 1]],
        "half": 1.5,
        "best": None,
        "note": "ok",
        "per class": {"0": 1, "cat": [True, [2]]},
    }


@pytest.mark.parametrize(
    "value", [object(), 1j, {1, 2}, b"x", [object()], {"a": {0.5: 1}}, np.array([None]), np.array(["2026"], "M8[s]")]
)
def test_metric_of_an_unsupported_type_is_a_type_error(value: object) -> None:
    """The message names the metric."""
    with pytest.raises(TypeError, match="metric 'f1'"):
        eval_lineage({"accuracy": 1.0, "f1": value})


@pytest.mark.parametrize("metrics", [None, [("loss", 1)], {1: 0.5}])
def test_metrics_must_be_a_mapping(metrics: Any) -> None:
    """Anything other than a mapping with names as keys is a TypeError."""
    with pytest.raises(TypeError, match="metrics must be a dict"):
        eval_lineage(metrics)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (np.int64(7), {"map_int32": 7}),
        (np.array(0.5), {"map_double": 0.5}),
        (-(2**31), {"map_int32": -(2**31)}),
        (2**31, {"map_double": 2.0**31, "map_int64": "2147483648"}),
        (2**63 - 1, {"map_double": 2.0**63, "map_int64": str(2**63 - 1)}),
        (True, {"map_int32": 1, "map_bool": True}),
        (np.False_, {"map_int32": 0, "map_bool": False}),
        ("\ud800", {"map_str": "\\ud800"}),
    ],
)
def test_types_of_custom_values_are_preserved(value: object, stored: dict[str, object]) -> None:
    """Each value is in one of MindSpore's maps, and also in one of ours if that is required to store it exactly."""
    info = UserDefinedInfo.FromString(custom_lineage({"key": value}).SerializeToString())

    (entry,) = MessageToDict(info, preserving_proto_field_name=True)["user_info"]
    assert entry == {name: {"key": content} for name, content in stored.items()}


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, object(), np.zeros(2), b"x", 1j])
def test_custom_values_of_other_types_are_type_errors(value: object) -> None:
    """Custom lineage supports texts, numbers and bools only."""
    with pytest.raises(TypeError, match=r"data\['key'\]"):
        custom_lineage({"key": value})


def test_invalid_custom_lineage() -> None:
    """Integers beyond 64 bits, keys other than str, and empty lineage are rejected."""
    with pytest.raises(ValueError, match=r"data\['key'\] must be a 64-bit integer"):
        custom_lineage({"key": 2**63})
    with pytest.raises(TypeError, match="keys of type str; 3 is not"):
        custom_lineage({3: "x"})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="data is empty"):
        custom_lineage({})
