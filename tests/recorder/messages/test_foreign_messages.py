"""Messages of other classes, as MindSpore's, as messages of ours."""

import functools

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import Message
from support import golden_run

from toposcope.proto import graph_pb2, landscape_pb2, lineage_pb2, tensor_pb2
from toposcope.recorder.messages.foreign_messages import LINEAGE_FIELDS, MESSAGES, message_from


@functools.cache
def foreign_class(name: str) -> type[Message]:
    """Return a message class in a package and a pool of its own, as MindSpore's are."""
    message: type[Message] = message_factory.GetMessageClass(foreign_pool().FindMessageTypeByName(f"foreign.{name}"))
    return message


@functools.cache
def foreign_pool() -> descriptor_pool.DescriptorPool:
    """Return our messages in the package "foreign", with a field 90 that ours have not in TrainLineage."""
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
    """Return message as one of the foreign class."""
    return foreign_class(message.DESCRIPTOR.name).FromString(message.SerializeToString())


def golden_messages() -> dict[str, Message]:
    """Return a message that MindSpore wrote for each plugin."""
    lineage = golden_run.lineage_events()
    return {
        "graph": golden_run.graph(),
        "landscape": golden_run.landscapes()["landscape_[1, 4]"],
        **{plugin: getattr(lineage[field], field) for plugin, field in LINEAGE_FIELDS.items()},
    }


@pytest.mark.parametrize("plugin", MESSAGES)
def test_messages_of_any_class_become_ours(plugin: str) -> None:
    """A message that MindSpore wrote is the same in our class, from our class and from a foreign one."""
    golden = golden_messages()[plugin]

    for actual in (golden, foreign(golden)):
        message = message_from(plugin, actual)

        assert type(message) is MESSAGES[plugin]
        assert message == golden


def test_message_is_a_snapshot() -> None:
    """What happens to the actual message later does not change ours."""
    actual = lineage_pb2.EvaluationLineage(metric='{"loss": 1}')
    message = message_from("eval_lineage", actual)
    actual.metric = "{}"

    assert message.metric == '{"loss": 1}'


def test_unknown_fields_survive() -> None:
    """Fields of a newer MindSpore, which our classes do not know, stay in the bytes."""
    actual = foreign_class("TrainLineage")(extra="kept")

    assert message_from("train_lineage", actual).SerializeToString() == actual.SerializeToString()


def test_graph_comes_out_of_a_model() -> None:
    """MindSpore's compiler gives the bytes of a ModelProto, whose field 4 is the graph."""
    golden = golden_run.graph()
    model = foreign_class("ModelProto")(graph=foreign(golden))
    # ModelProto.ir_version, which our class does not know.
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
    """Another message, and what is none, is refused in words that say what it is and what is wanted."""
    with pytest.raises(
        TypeError, match=f"{plugin}.* must be a message {MESSAGES[plugin].DESCRIPTOR.name}, not "
    ) as raised:
        message_from(plugin, value)

    assert actual in str(raised.value)


@pytest.mark.parametrize("content", [b"abc", b"", b"\x08\x01", graph_pb2.ModelProto()])
def test_models_without_a_graph_are_value_errors(content: object) -> None:
    """Bytes that are no ModelProto, and a model without a graph, are refused."""
    with pytest.raises(ValueError, match="ModelProto"):
        message_from("graph", content)


def test_message_of_equal_name_with_other_bytes_is_a_value_error() -> None:
    """A message that is called as ours but cannot be read as one is refused."""
    pool = descriptor_pool.DescriptorPool()
    file = descriptor_pb2.FileDescriptorProto(name="other.proto", package="other")
    kind = file.message_type.add(name="TrainLineage")
    kind.field.add(name="hyper_parameters", number=1, type="TYPE_STRING", label="LABEL_OPTIONAL")
    pool.Add(file)
    other = message_factory.GetMessageClass(pool.FindMessageTypeByName("other.TrainLineage"))

    with pytest.raises(ValueError, match="is not a valid TrainLineage"):
        message_from("train_lineage", other(hyper_parameters="SGD"))


@pytest.mark.parametrize("plugin", ["scalar", "LANDSCAPE", "", None])
def test_other_plugins_are_value_errors(plugin: object) -> None:
    """A plugin whose values are no messages is refused by name."""
    with pytest.raises(ValueError, match="plugin must be one of graph, "):
        message_from(plugin, graph_pb2.GraphProto())
