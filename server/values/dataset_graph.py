"""Dataset graphs: the dataset pipeline of a run as a tree in which children feed their parent."""

from typing import NamedTuple

from toposcope.proto.lineage_pb2 import DatasetGraph, Operation, OperationParameter
from toposcope.server.values.lineage import Plain, from_json, shortest, text

MAX_STAGES = 10_000
"""Limit on the stages and operations of a pipeline."""


class Stage(NamedTuple):
    """One stage of a dataset pipeline."""

    op_type: str
    """"Batch", "Map", "GeneratorDataset", ...; empty if the file does not state it."""
    parameters: dict[str, Plain]
    """Ordered by name. Texts are unchanged; the items of lists, which the format stores as JSON, are parsed."""
    operations: list[dict[str, Plain]]
    """Parameters of each transform that the stage applies. MindSpore drops the names of their lists: those of integers
    are in "size", the others in "weights"."""
    sampler: dict[str, Plain] | None
    """Parameters of the sampler, in the form of those of an operation."""
    children: list["Stage"]


def dataset_graph(payload: bytes) -> Stage:
    """Parse a DatasetGraph message; return the last stage of the pipeline.

    Raises:
        DecodeError: the message is malformed, or nested deeper than the 100 levels that protobuf supports.
        ValueError: it has more than MAX_STAGES stages and operations, or a name is not UTF-8.
    """
    graph = DatasetGraph.FromString(payload)
    _check_size(graph)
    return _stage(graph)


def _check_size(graph: DatasetGraph) -> None:
    waiting, count = [graph], 1
    while waiting:
        stage = waiting.pop()
        count += len(stage.children) + len(stage.operations)
        if count > MAX_STAGES:
            raise ValueError(f"the pipeline has more than {MAX_STAGES} stages and operations")
        waiting += stage.children


def _stage(graph: DatasetGraph) -> Stage:
    parameters = _parameters(graph.parameter)
    return Stage(
        str(parameters.pop("op_type", "")),
        parameters,
        [_operation(operation) for operation in graph.operations],
        _operation(graph.sampler) if graph.HasField("sampler") else None,
        [_stage(child) for child in graph.children],
    )


def _operation(operation: Operation) -> dict[str, Plain]:
    lists: dict[str, Plain] = {}
    if operation.size:
        lists["size"] = list(operation.size)
    if operation.weights:
        lists["weights"] = [shortest(weight) for weight in operation.weights]
    return lists | _parameters(operation.operationParam)


def _parameters(message: OperationParameter) -> dict[str, Plain]:
    parameters: dict[str, Plain] = {}
    for values in (message.mapStr, message.mapBool, message.mapInt, message.mapDouble):
        parameters |= {name: text(value) for name, value in values.items()}
    for name, listed in message.mapStrList.items():
        # Both writers store None as "".
        parameters[name] = [from_json(text(item)) if item else None for item in listed.strValue]
    return dict(sorted(parameters.items()))
