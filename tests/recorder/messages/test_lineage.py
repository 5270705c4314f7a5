"""Lineage messages, made of plain Python values."""

import json
import math
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from google.protobuf.json_format import MessageToDict
from support import golden_run

from toposcope.proto.lineage_pb2 import EvaluationLineage, TrainLineage, UserDefinedInfo
from toposcope.recorder.messages.lineage import custom_lineage, eval_lineage, train_lineage


def test_train_lineage_is_what_mindspore_wrote() -> None:
    """Told what MindSpore knew of a training, train_lineage() gives MindSpore's message, and the exact numbers."""
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


def test_eval_lineage_is_what_mindspore_wrote() -> None:
    """The metrics of the golden evaluation give its message."""
    golden = golden_run.lineage_events()["evaluation_lineage"].evaluation_lineage

    assert eval_lineage(json.loads(golden.metric), valid_dataset_size=288) == golden


def test_custom_lineage_is_what_mindspore_wrote() -> None:
    """Texts, floats and small integers are stored as MindSpore stores them."""
    golden = golden_run.lineage_events()["user_defined_info"].user_defined_info

    assert custom_lineage({"note": "seed1", "lr0": 0.05, "width": 8}) == golden


def test_nothing_given_is_nothing_stored() -> None:
    """What is absent stays absent: the message is empty."""
    assert train_lineage() == TrainLineage()
    assert eval_lineage({}) == EvaluationLineage(metric="{}")


def test_model_path_is_stored_as_mindspore_does() -> None:
    """The path of the checkpoint is JSON, whatever kind of path was given."""
    assert json.loads(train_lineage(model_path=Path("/runs") / "net.ckpt").model.path) == {"ckpt": "/runs/net.ckpt"}


def test_undecodable_file_names_are_spelled_out() -> None:
    """A path with bytes that are no UTF-8 is stored, not refused."""
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
def test_reals_are_exact(rate: object, nearest: float, is_exact: bool) -> None:
    """A number that float32 does not hold is stored as a double too, and only then."""
    hyper_parameters = train_lineage(learning_rate=rate).hyper_parameters

    assert hyper_parameters.learning_rate == nearest
    assert hyper_parameters.HasField("learning_rate_double") == (not is_exact)
    assert is_exact or hyper_parameters.learning_rate_double == np.asarray(rate).item()


def test_nan_loss_is_kept() -> None:
    """The loss of a training that diverged is NaN, which float32 holds."""
    algorithm = train_lineage(loss=math.nan).algorithm

    assert math.isnan(algorithm.loss)
    assert not algorithm.HasField("loss_double")


def test_large_datasets_keep_their_size() -> None:
    """A size beyond int32 is the largest int32 for MindInsight, and exact for us."""
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
def test_bad_arguments_are_named(argument: dict[str, object], error: type[Exception]) -> None:
    """What is of another type, or does not fit, is refused by the name of the parameter."""
    with pytest.raises(error, match=next(iter(argument))):
        train_lineage(**argument)


def test_metrics_of_many_kinds() -> None:
    """A metric is a number, an array, a text, None or a nest of these; NumPy's are as Python's."""
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
def test_metric_that_cannot_be_expressed_is_named(value: object) -> None:
    """One bad metric is a TypeError that says which."""
    with pytest.raises(TypeError, match="metric 'f1'"):
        eval_lineage({"accuracy": 1.0, "f1": value})


@pytest.mark.parametrize("metrics", [None, [("loss", 1)], {1: 0.5}])
def test_metrics_are_a_mapping_from_names(metrics: object) -> None:
    """Anything else than a mapping with names as keys is a TypeError."""
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
def test_custom_values_keep_their_type(value: object, stored: dict[str, object]) -> None:
    """MindInsight finds each value in a map that it knows; what that does not hold exactly stands in ours too."""
    info = UserDefinedInfo.FromString(custom_lineage({"key": value}).SerializeToString())

    (entry,) = MessageToDict(info, preserving_proto_field_name=True)["user_info"]
    assert entry == {name: {"key": content} for name, content in stored.items()}


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, object(), np.zeros(2), b"x", 1j])
def test_custom_values_of_other_types_are_named(value: object) -> None:
    """Only texts, numbers and bools are custom lineage."""
    with pytest.raises(TypeError, match=r"data\['key'\]"):
        custom_lineage({"key": value})


def test_custom_lineage_that_does_not_fit() -> None:
    """An integer beyond 64 bits, another key than a str, and no entry at all are refused."""
    with pytest.raises(ValueError, match=r"data\['key'\] must be a 64-bit integer"):
        custom_lineage({"key": 2**63})
    with pytest.raises(TypeError, match="keys of type str; 3 is not"):
        custom_lineage({3: "x"})
    with pytest.raises(ValueError, match="data is empty"):
        custom_lineage({})
