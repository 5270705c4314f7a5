"""Conversion of messages of other classes, such as MindSpore's, to our classes."""

import functools
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import Message
from support import golden_run

from toposcope.proto import graph_pb2, landscape_pb2, lineage_pb2, tensor_pb2
from toposcope.recorder.messages.foreign_messages import LINEAGE_FIELDS, MESSAGES, message_from


@functools.cache
def foreign_class(name: str) -> type[Message]:
    """Return a message class in a separate package and descriptor pool, like those of MindSpore."""
    message: type[Message] = message_factory.GetMessageClass(foreign_pool().FindMessageTypeByName(f"foreign.{name}"))
    return message


@functools.cache
def foreign_pool() -> descriptor_pool.DescriptorPool:
    """Return a pool with our messages in the package "foreign", with an additional field 90 in TrainLineage."""
    pool = descriptor_pool.DescriptorPool()
    for module in (tensor_pb2, graph_pb2, landscape_pb2, lineage_pb2):
        file = descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        renamed = json_format.MessageToJson(file).replace(".toposcope.", ".foreign.")
        file = json_format.Parse(renamed, descriptor_pb2.FileDescriptorProto())
        file.package = "foreign"
        for message in file.message_type:
            if message.name == "TrainLineage":
                message.field.add(name="extra", number=90, type="TYPE_STRING", label="LABEL_OPTIONAL")
        pool.Add(file)
    return pool


def foreign(message: Message) -> Message:
    """Convert message to the foreign class."""
    return foreign_class(message.DESCRIPTOR.name).FromString(message.SerializeToString())


def golden_messages() -> dict[str, Message]:
    """Return a message written by MindSpore for each plugin."""
    lineage = golden_run.lineage_events()
    return {
        "graph": golden_run.graph(),
        "landscape": golden_run.landscapes()["landscape_[1, 4]"],
        **{plugin: getattr(lineage[field], field) for plugin, field in LINEAGE_FIELDS.items()},
    }


@pytest.mark.parametrize("plugin", MESSAGES)
def test_messages_of_any_class_are_converted(plugin: str) -> None:
    """A message written by MindSpore is equal after conversion from our class and from a foreign one."""
    golden = golden_messages()[plugin]

    for original in (golden, foreign(golden)):
        message = message_from(plugin, original)

        assert type(message) is MESSAGES[plugin]
        assert message == golden


def test_message_is_a_snapshot() -> None:
    """A later change of the original does not change the copy."""
    original = lineage_pb2.EvaluationLineage(metric='{"loss": 1}')
    message: Any = message_from("eval_lineage", original)
    original.metric = "{}"

    assert message.metric == '{"loss": 1}'


def test_unknown_fields_survive() -> None:
    """Fields of newer versions of MindSpore are preserved."""
    original = foreign_class("TrainLineage")(extra="kept")

    assert message_from("train_lineage", original).SerializeToString() == original.SerializeToString()


def test_graph_of_a_model() -> None:
    """The output of MindSpore's compiler is a serialized ModelProto, whose field 4 is the graph."""
    golden = golden_run.graph()
    model = foreign_class("ModelProto")(graph=foreign(golden))
    # ModelProto.ir_version, which our class does not declare.
    content = b"\x08\x01" + model.SerializeToString()

    assert message_from("graph", model) == golden
    assert message_from("graph", content) == golden


@pytest.mark.parametrize(
    ("plugin", "value", "actual"),
    [
        ("train_lineage", lineage_pb2.EvaluationLineage(), "a message toposcope.EvaluationLineage"),
        ("train_lineage", lineage_pb2.TrainLineage, "<class"),
        ("train_lineage", b"", "b''"),
        ("landscape", graph_pb2.ModelProto(), "a message toposcope.ModelProto"),
        ("graph", "net", "'net'"),
        ("graph", None, "None"),
        ("custom_lineage_data", {"note": "x"}, "{'note': 'x'}"),
    ],
)
def test_other_values_are_type_errors(plugin: str, value: object, actual: str) -> None:
    """The message of the error names the expected and the actual type."""
    with pytest.raises(
        TypeError, match=f"{plugin}.* must be a message {MESSAGES[plugin].DESCRIPTOR.name}, not "
    ) as raised:
        message_from(plugin, value)

    assert actual in str(raised.value)


@pytest.mark.parametrize("content", [b"abc", b"", b"\x08\x01", graph_pb2.ModelProto()])
def test_models_without_a_graph_are_value_errors(content: object) -> None:
    """Bytes that are not a ModelProto, and models without a graph, are rejected."""
    with pytest.raises(ValueError, match="ModelProto"):
        message_from("graph", content)


def test_incompatible_message_with_the_same_name_is_a_value_error() -> None:
    """A message with the same name as ours that cannot be parsed as one is rejected."""
    pool = descriptor_pool.DescriptorPool()
    file = descriptor_pb2.FileDescriptorProto(name="other.proto", package="other")
    message = file.message_type.add(name="TrainLineage")
    message.field.add(name="hyper_parameters", number=1, type="TYPE_STRING", label="LABEL_OPTIONAL")
    pool.Add(file)
    other = message_factory.GetMessageClass(pool.FindMessageTypeByName("other.TrainLineage"))

    with pytest.raises(ValueError, match="is not a valid TrainLineage"):
        message_from("train_lineage", other(hyper_parameters="SGD"))


@pytest.mark.parametrize("plugin", ["scalar", "LANDSCAPE", "", None])
def test_other_plugins_are_value_errors(plugin: Any) -> None:
    """A plugin whose values are not messages is rejected."""
    with pytest.raises(ValueError, match="plugin must be one of graph, "):
        message_from(plugin, graph_pb2.GraphProto())
