"""Copies messages of users, of our classes or MindSpore's, into our classes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from google.protobuf.message import Error, Message

from toposcope.proto.graph_pb2 import GraphProto, ModelProto
from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.proto.lineage_pb2 import DatasetGraph, EvaluationLineage, TrainLineage, UserDefinedInfo
from toposcope.recorder.values.arrays.foreign_values import short_repr

_M = TypeVar("_M", bound=Message)

MESSAGES: Mapping[str, type[Message]] = MappingProxyType(
    {
        "graph": GraphProto,
        "train_lineage": TrainLineage,
        "eval_lineage": EvaluationLineage,
        "dataset_graph": DatasetGraph,
        "custom_lineage_data": UserDefinedInfo,
        "landscape": LossLandscape,
    }
)
"""The message class of each plugin whose values are messages."""

LINEAGE_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "train_lineage": "train_lineage",
        "eval_lineage": "evaluation_lineage",
        "dataset_graph": "dataset_graph",
        "custom_lineage_data": "user_defined_info",
    }
)
"""The field of LineageEvent for each plugin of lineage."""


def message_from(plugin: str, value: object) -> Message:
    """Return a copy of value as a message of class MESSAGES[plugin].

    MindSpore's classes differ from ours, but messages with the same name have the same encoding. A message is therefore
    identified by its name and copied by serializing and parsing it, which preserves unknown fields. A graph may also be
    passed as MindSpore's ModelProto, or as the bytes of one, which is the output of its compiler.

    Raises:
        TypeError: value is not a message of the plugin.
        ValueError: plugin is not in MESSAGES, or value cannot be parsed as its message.
    """
    if plugin not in MESSAGES:
        raise ValueError(f"plugin must be one of {', '.join(MESSAGES)}; not {short_repr(plugin)}.")
    expected = MESSAGES[plugin]
    name = value.DESCRIPTOR.name if isinstance(value, Message) else ""
    if isinstance(value, Message) and name == expected.DESCRIPTOR.name:
        return _parse(expected, value)
    if plugin == "graph" and (isinstance(value, bytes) or (isinstance(value, Message) and name == "ModelProto")):
        return _graph_of_model(value)
    actual = f"a message {value.DESCRIPTOR.full_name}" if isinstance(value, Message) else short_repr(value)
    raise TypeError(f"A value of plugin {plugin!r} must be a message {expected.DESCRIPTOR.name}, not {actual}.")


def _graph_of_model(value: Message | bytes) -> GraphProto:
    model = _parse(ModelProto, value)
    if not model.HasField("graph"):
        raise ValueError(f"A ModelProto must contain a graph; {short_repr(value)} has none.")
    return model.graph


def _parse(expected: type[_M], value: Message | bytes) -> _M:
    try:
        return expected.FromString(value if isinstance(value, bytes) else value.SerializeToString())
    except Error as error:
        raise ValueError(f"{short_repr(value)} is not a valid {expected.DESCRIPTOR.name}: {error}") from None
