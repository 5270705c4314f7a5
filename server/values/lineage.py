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
    """Values by name in each section; a section is empty if nothing was recorded.

    The names are those of the fields of lineage.proto, which MindInsight also uses.
    """

    hyper_parameters: dict[str, Plain]
    """optimizer, learning_rate, loss_function, epoch, parallel_mode, device_num, batch_size."""
    metrics: dict[str, Plain]
    """Metrics of evaluations, by name; if the recorded text is not a JSON object, it is under "metric"."""
    train_dataset: dict[str, Plain]
    """train_dataset_path, train_dataset_size (samples)."""
    valid_dataset: dict[str, Plain]
    """valid_dataset_path, valid_dataset_size (samples)."""
    model: dict[str, Plain]
    """network, loss (the last training loss), path (of the checkpoint), size (bytes)."""
    custom: dict[str, Plain]
    """Values recorded by the user."""


def no_lineage() -> Lineage:
    """Return a lineage with empty sections."""
    return Lineage({}, {}, {}, {}, {}, {})


def merge(lineages: Iterable[Lineage]) -> Lineage:
    """Merge lineages; for each name, the last value takes precedence."""
    merged = no_lineage()
    for lineage in lineages:
        for section, more in zip(merged, lineage, strict=True):
            section.update(more)
    return merged


def train_lineage(payload: bytes) -> Lineage:
    """Parse a TrainLineage message.

    Raises:
        DecodeError: the message is malformed.
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
    """Parse an EvaluationLineage message.

    Raises:
        DecodeError: the message is malformed.
    """
    message = EvaluationLineage.FromString(payload)
    metrics = metrics_from(text(message.metric)) if message.metric else {}
    return no_lineage()._replace(metrics=metrics, valid_dataset=present_fields(message.valid_dataset))


def custom_lineage(payload: bytes) -> Lineage:
    """Parse a UserDefinedInfo message.

    Raises:
        DecodeError: the message is malformed.
        ValueError: a name is not UTF-8.
    """
    return no_lineage()._replace(custom=_custom(UserDefinedInfo.FromString(payload)))


def present_fields(message: Message) -> dict[str, Plain]:
    """Return the fields of a flat message that are present, by name.

    A field of Toposcope with an exact value replaces the field of MindSpore with the rounded one.
    """
    return {
        _EXACT.sub("", field.name): shortest(value) if field.type == field.TYPE_FLOAT else text(value)
        for field, value in message.ListFields()
    }


def shortest(value: float) -> float:
    """Return the double with the fewest digits that rounds to a float32: 0.05 instead of 0.05000000074505806."""
    return float(str(np.float32(value)))


def text(value: Content) -> Content | str:
    """Return the value; bytes, as protobuf returns for strings that are not UTF-8, are decoded with replacement."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def metrics_from(json_text: str) -> dict[str, Plain]:
    """Parse metrics from JSON; a text that is not a JSON object is the value of "metric"."""
    content = from_json(json_text)
    return content if isinstance(content, dict) else {"metric": json_text}


def from_json(json_text: str) -> Plain:
    """Parse JSON; return the text itself if it is malformed or nested deeper than 32 levels."""
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
    """Return the path from the JSON that MindSpore records; any other text is returned unchanged."""
    content = from_json(path)
    return content["ckpt"] if isinstance(content, dict) and "ckpt" in content else path


def _custom(info: UserDefinedInfo) -> dict[str, Plain]:
    """Return values by name; protobuf limits their nesting to 100 levels."""
    values: dict[str, Plain] = {}
    # Fields are ordered by number, so those with exact values are last.
    for field, content in info.ListFields():
        if field.name == "user_info":
            for entry in content:
                values |= _custom(entry)
        else:
            values |= {name: _custom_value(content[name]) for name in content}  # items() takes twice as long.
    return values


def _custom_value(value: Any) -> Plain:
    return _custom(value) if isinstance(value, UserDefinedInfo) else text(value)
