"""Lineage messages as plain data."""

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from support.event_files import GOLDEN
from support.golden_run import lineage_events

from toposcope.proto.lineage_pb2 import EvaluationLineage, TrainLineage, UserDefinedInfo
from toposcope.recorder import custom_lineage, eval_lineage, train_lineage
from toposcope.server.values import lineage

_RUN = GOLDEN / "mindspore" / "digits_momentum"


def test_golden_lineage_equals_that_of_mindspore_and_mindinsight() -> None:
    """Every value equals that of the writer and, under the same name, that of MindInsight."""
    events = lineage_events()
    trained = lineage.train_lineage(events["train_lineage"].train_lineage.SerializeToString())
    evaluated = lineage.evaluation_lineage(events["evaluation_lineage"].evaluation_lineage.SerializeToString())
    custom = lineage.custom_lineage(events["user_defined_info"].user_defined_info.SerializeToString())

    wrote = {name: value for event in _expected() for name, value in event.items()}
    assert trained.hyper_parameters == wrote["train_lineage"]["hyper_parameters"]
    assert trained.train_dataset == wrote["train_lineage"]["train_dataset"]
    assert trained.model == {**wrote["train_lineage"]["algorithm"], "path": None, "size": 0}
    assert evaluated.metrics == json.loads(wrote["evaluation_lineage"]["metric"])
    assert evaluated.valid_dataset == wrote["evaluation_lineage"]["valid_dataset"]

    seen = json.loads((_RUN / "mindinsight_sees.json").read_text())["digits_momentum"]["lineage"]
    shown = {name: seen[name] for name in trained.hyper_parameters if name != "parallel_mode"}
    assert shown == {name: value for name, value in trained.hyper_parameters.items() if name != "parallel_mode"}
    assert (seen["network"], seen["loss"], seen["model_size"]) == tuple(
        trained.model[name] for name in ("network", "loss", "size")
    )
    assert seen["train_dataset_count"] == trained.train_dataset["train_dataset_size"]
    assert seen["test_dataset_count"] == evaluated.valid_dataset["valid_dataset_size"]
    assert seen["metric"] == evaluated.metrics
    assert seen["user_defined"] == custom.custom


def _expected() -> list[dict[str, dict[str, Any]]]:
    events: list[dict[str, dict[str, Any]]] = json.loads((_RUN / "expected.json").read_text())["lineage"]
    return events


def test_numbers_are_exact() -> None:
    """Values beyond float32 and int32 are read from the exact fields."""
    message = train_lineage(learning_rate=0.1, loss=1e-300, train_dataset_size=2**40, batch_size=32)
    evaluated = eval_lineage({}, valid_dataset_size=2**35)

    read = lineage.train_lineage(message.SerializeToString())

    assert read.hyper_parameters == {"learning_rate": 0.1, "batch_size": 32}
    assert read.model == {"loss": 1e-300}
    assert read.train_dataset == {"train_dataset_size": 2**40}
    assert lineage.evaluation_lineage(evaluated.SerializeToString()).valid_dataset == {"valid_dataset_size": 2**35}


def test_float32_without_an_exact_value_is_its_shortest_decimal() -> None:
    """MindSpore's 0.05 is 0.05; values that are not numbers are unchanged."""
    message = TrainLineage()
    message.hyper_parameters.learning_rate = 0.05
    message.algorithm.loss = math.inf

    read = lineage.train_lineage(message.SerializeToString())

    assert read.hyper_parameters == {"learning_rate": 0.05}
    assert read.model == {"loss": math.inf}


def test_zeros_differ_from_missing_values() -> None:
    """Zeros and empty texts are read, absent fields are not."""
    message = TrainLineage()
    message.hyper_parameters.epoch = 0
    message.hyper_parameters.optimizer = ""

    read = lineage.train_lineage(message.SerializeToString())

    assert read == lineage.no_lineage()._replace(hyper_parameters={"epoch": 0, "optimizer": ""})


def test_newer_values_take_precedence_by_name() -> None:
    """A newer message replaces the values it has, including exact ones, and keeps the others."""
    older = lineage.train_lineage(train_lineage(learning_rate=0.1, epoch=4, network="Small").SerializeToString())
    newer = lineage.train_lineage(train_lineage(learning_rate=0.5, loss=2).SerializeToString())

    merged = lineage.merge([older, newer])

    assert merged.hyper_parameters == {"learning_rate": 0.5, "epoch": 4}
    assert merged.model == {"network": "Small", "loss": 2.0}


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("", {}),
        ("{}", {}),
        ('{"accuracy": 0.5, "f1": [1, {"macro": null}]}', {"accuracy": 0.5, "f1": [1, {"macro": None}]}),
        ('{"loss": Infinity}', {"loss": math.inf}),
        ("[0.5]", {"metric": "[0.5]"}),
        ('{"accuracy": 0.5', {"metric": '{"accuracy": 0.5'}),
        ("[" * 100_000, {"metric": "[" * 100_000}),
        ('{"a":' * 40 + "1" + "}" * 40, {"metric": '{"a":' * 40 + "1" + "}" * 40}),
        ('{"a": ' + "9" * 5000 + "}", {"metric": '{"a": ' + "9" * 5000 + "}"}),
    ],
    ids=lambda value: str(value)[:30],
)
def test_metrics_are_parsed_and_malformed_json_is_text(text: str, metrics: dict[str, object]) -> None:
    """No text raises an exception or is lost."""
    assert lineage.evaluation_lineage(EvaluationLineage(metric=text).SerializeToString()).metrics == metrics


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"ckpt": "/models/a.ckpt"}', "/models/a.ckpt"),
        ('{"ckpt": null}', None),
        ("/models/a.ckpt", "/models/a.ckpt"),
        ('{"file": "a"}', '{"file": "a"}'),
        ("{", "{"),
    ],
)
def test_model_path_is_read_from_json(text: str, path: str | None) -> None:
    """MindSpore stores the path of the checkpoint in JSON; any other text is the path itself."""
    message = TrainLineage(model=TrainLineage.Model(path=text))

    assert lineage.train_lineage(message.SerializeToString()).model == {"path": path}


def test_custom_values_keep_their_types() -> None:
    """Values recorded by custom_lineage are equal and of the same type."""
    data = {"note": "a", "rate": 0.1, "width": -8, "wide": 2**60, "on": True, "off": False, "zero": 0}

    read = lineage.custom_lineage(custom_lineage(data).SerializeToString()).custom

    assert read == data
    assert {name: type(value) for name, value in read.items()} == {name: type(value) for name, value in data.items()}


def test_nested_custom_info_is_a_nested_dict() -> None:
    """map_dict contains dicts, up to the depth that protobuf supports."""
    info = UserDefinedInfo()
    info.map_dict["model"].map_dict["head"].map_int32["width"] = 8
    info.map_dict["model"].map_str["name"] = "small"

    read = lineage.custom_lineage(info.SerializeToString())

    assert read.custom == {"model": {"head": {"width": 8}, "name": "small"}}


def test_invalid_utf8_is_replaced() -> None:
    """Neither the text nor its neighbours are lost."""
    content = b"\x0a\x05\x0a\x03a\xffb"  # hyper_parameters { optimizer: "a\377b" }

    assert lineage.train_lineage(content).hyper_parameters == {"optimizer": "a\N{REPLACEMENT CHARACTER}b"}


def test_name_that_is_not_utf8_is_an_error() -> None:
    """The documented error is raised."""
    content = b"\x22\x06\x0a\x01\xff\x12\x01a"  # map_str { key: "\377" value: "a" }

    with pytest.raises(ValueError, match="utf-8"):
        lineage.custom_lineage(content)


def test_changed_bytes_raise_nothing_unexpected() -> None:
    """Flipping any bit of a message raises nothing but the documented errors."""
    content = custom_lineage({"note": "a", "wide": 2**60, "on": True, "rate": 0.1}).SerializeToString()
    for at in range(len(content)):
        for bit in (0, 1, 7):
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            with suppress(DecodeError, ValueError):
                lineage.custom_lineage(bytes(changed))
