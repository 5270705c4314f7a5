"""Lineage messages: what a run was trained with and how well it did, decoded and merged."""

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from google.protobuf.message import Message

from toposcope.proto.lineage_pb2 import EvaluationLineage, TrainLineage, UserDefinedInfo

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""Plain data, as JSON has it, and NaN, infinities and integers of any size."""
Content = TypeVar("Content")

_DEEPEST_JSON = 32
_EXACT = re.compile("_(double|int64)$")


class Lineage(NamedTuple):
    """Name to value by section, a section empty when nothing was recorded of it.

    The names are those of the fields of lineage.proto, which MindInsight uses too.
    """

    hyper_parameters: dict[str, Plain]
    """optimizer, learning_rate, loss_function, epoch, parallel_mode, device_num, batch_size."""
    metrics: dict[str, Plain]
    """Of evaluations, by name; under "metric" the text that was recorded when it is no JSON object."""
    train_dataset: dict[str, Plain]
    """train_dataset_path, train_dataset_size (samples)."""
    valid_dataset: dict[str, Plain]
    """valid_dataset_path, valid_dataset_size (samples)."""
    model: dict[str, Plain]
    """network, loss (the last of the training), path (of the checkpoint), size (bytes)."""
    custom: dict[str, Plain]
    """What the user told."""


def no_lineage() -> Lineage:
    """Return a lineage whose sections are empty."""
    return Lineage({}, {}, {}, {}, {}, {})


def merge(lineages: Iterable[Lineage]) -> Lineage:
    """Return all lineages in one; of each name the value of the last that has it."""
    merged = no_lineage()
    for lineage in lineages:
        for section, more in zip(merged, lineage, strict=True):
            section.update(more)
    return merged


def train_lineage(payload: bytes) -> Lineage:
    """Return what a TrainLineage message says.

    Raises:
        DecodeError: it is none.
    """
    message = TrainLineage.FromString(payload)
    model = present_fields(message.algorithm) | present_fields(message.model)
    if isinstance(path := model.get("path"), str):
        model["path"] = _checkpoint(path)
    return no_lineage()._replace(
        hyper_parameters=present_fields(message.hyper_parameters),
        train_dataset=present_fields(message.train_dataset),
        model=model,
    )


def evaluation_lineage(payload: bytes) -> Lineage:
    """Return what an EvaluationLineage message says.

    Raises:
        DecodeError: it is none.
    """
    message = EvaluationLineage.FromString(payload)
    metrics = metrics_from(text(message.metric)) if message.metric else {}
    return no_lineage()._replace(metrics=metrics, valid_dataset=present_fields(message.valid_dataset))


def custom_lineage(payload: bytes) -> Lineage:
    """Return what a UserDefinedInfo message says.

    Raises:
        DecodeError: it is none.
        ValueError: a name in it is not UTF-8.
    """
    return no_lineage()._replace(custom=_custom(UserDefinedInfo.FromString(payload)))


def present_fields(message: Message) -> dict[str, Plain]:
    """Return the fields of a flat message that are present, by name.

    A field of ours that holds the exact value stands for the field it makes exact.
    """
    return {
        _EXACT.sub("", field.name): shortest(value) if field.type == field.TYPE_FLOAT else text(value)
        for field, value in message.ListFields()
    }


def shortest(value: float) -> float:
    """Return the double of fewest digits that rounds to a float32: 0.05 and not 0.05000000074505806."""
    return float(str(np.float32(value)))


def text(value: Content) -> Content | str:
    """Return value; where protobuf gives bytes for a string that is not UTF-8: text with the bad bytes replaced."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def metrics_from(json_text: str) -> dict[str, Plain]:
    """Return the metrics that JSON text holds; what is no JSON object stays text under the name "metric"."""
    content = from_json(json_text)
    return content if isinstance(content, dict) else {"metric": json_text}


def from_json(json_text: str) -> Plain:
    """Return what JSON text says; the text itself when it is damaged or nested deeper than 32 levels."""
    try:
        content: Plain = json.loads(json_text)
    except (ValueError, RecursionError):
        return json_text
    level = [content]
    for _ in range(_DEEPEST_JSON):
        level = [item for each in level for item in _items(each)]
        if not level:
            return content
    return json_text


def _items(content: Plain) -> list[Plain]:
    if isinstance(content, dict):
        return list(content.values())
    return content if isinstance(content, list) else []


def _checkpoint(path: str) -> Plain:
    """Return the path in the JSON that MindSpore writes; another text stays as it is."""
    content = from_json(path)
    return content["ckpt"] if isinstance(content, dict) and "ckpt" in content else path


def _custom(info: UserDefinedInfo) -> dict[str, Plain]:
    """Return names and values; as deep as protobuf reads messages, 100 levels at most."""
    found: dict[str, Plain] = {}
    # In the order of their numbers: the fields that hold exact values come last.
    for field, content in info.ListFields():
        if field.name == "user_info":
            for entry in content:
                found |= _custom(entry)
        else:
            found |= {name: _custom_value(content[name]) for name in content}  # A map's items() takes twice as long.
    return found


def _custom_value(value: Any) -> Plain:
    return _custom(value) if isinstance(value, UserDefinedInfo) else text(value)
