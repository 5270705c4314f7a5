"""Messages that users hand over: ours, or those that MindSpore builds, as a copy in our own classes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from google.protobuf.message import Error, Message

from toposcope.proto.graph_pb2 import GraphProto, ModelProto
from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.proto.lineage_pb2 import DatasetGraph, EvaluationLineage, TrainLineage, UserDefinedInfo
from toposcope.recorder.values.foreign import shown

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
"""Plugin to the message that its values are."""

LINEAGE_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "train_lineage": "train_lineage",
        "eval_lineage": "evaluation_lineage",
        "dataset_graph": "dataset_graph",
        "custom_lineage_data": "user_defined_info",
    }
)
"""Plugin to the field of LineageEvent that holds its message; the other plugins are not of lineage."""


def message_from(plugin: str, value: object) -> Message:
    """Return value, a message for plugin, as a message of MESSAGES[plugin].

    MindSpore's classes and ours differ, but messages of equal names have equal bytes. So a message is known by its
    name, and copied by way of its bytes: fields unknown to us survive, later changes of value do not matter.
    A graph may also stand in MindSpore's ModelProto, or in the bytes of one, which is what its compiler gives.

    Raises:
        TypeError: value is no message, or another one.
        ValueError: plugin is not in MESSAGES, or the bytes of value do not make up its message.
    """
    if plugin not in MESSAGES:
        raise ValueError(f"plugin is one of {', '.join(MESSAGES)}; not {shown(plugin)}.")
    wanted = MESSAGES[plugin]
    name = value.DESCRIPTOR.name if isinstance(value, Message) else ""
    if isinstance(value, Message) and name == wanted.DESCRIPTOR.name:
        return _copied(wanted, value)
    if plugin == "graph" and (isinstance(value, bytes) or (isinstance(value, Message) and name == "ModelProto")):
        return _graph_of_model(value)
    given = f"a message {value.DESCRIPTOR.full_name}" if isinstance(value, Message) else shown(value)
    raise TypeError(f"A value of plugin {plugin!r} is a message {wanted.DESCRIPTOR.name}, not {given}.")


def _graph_of_model(value: Message | bytes) -> GraphProto:
    model = _copied(ModelProto, value)
    if not model.HasField("graph"):
        raise ValueError(f"A ModelProto holds a graph; there is none in {shown(value)}.")
    return model.graph


def _copied(wanted: type[_M], value: Message | bytes) -> _M:
    try:
        return wanted.FromString(value if isinstance(value, bytes) else value.SerializeToString())
    except Error as error:
        raise ValueError(f"{shown(value)} is no {wanted.DESCRIPTOR.name}: {error}") from None
