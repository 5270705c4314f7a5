"""Dataset graph of a run: its dataset pipeline as a tree, each stage fed by its children."""

from typing import NamedTuple

from toposcope.proto.lineage_pb2 import DatasetGraph, Operation, OperationParameter
from toposcope.server.values.lineage import Plain, from_json, shortest, text

MOST_STAGES = 10_000
"""Stages and their operations in one pipeline; more than that is no pipeline."""


class Stage(NamedTuple):
    """One stage of a dataset pipeline."""

    op_type: str
    """"Batch", "Map", "GeneratorDataset", ...; empty when the file names none."""
    parameters: dict[str, Plain]
    """In the order of their names. Texts stay as they are; the items of lists, which the format has as JSON, are
    read."""
    operations: list[dict[str, Plain]]
    """Parameters of each transform that it applies. MindSpore drops the names of their lists: those of integers stand
    together under "size", the others under "weights"."""
    sampler: dict[str, Plain] | None
    """Parameters of the sampler, as of an operation."""
    children: list["Stage"]


def dataset_graph(payload: bytes) -> Stage:
    """Return the last stage of the pipeline that a DatasetGraph message describes.

    Raises:
        DecodeError: it is none, or it is nested deeper than the 100 levels that protobuf reads.
        ValueError: it holds more than MOST_STAGES stages and operations, or a name that is not UTF-8.
    """
    graph = DatasetGraph.FromString(payload)
    _check_size(graph)
    return _stage(graph)


def _check_size(graph: DatasetGraph) -> None:
    waiting, count = [graph], 1
    while waiting:
        stage = waiting.pop()
        count += len(stage.children) + len(stage.operations)
        if count > MOST_STAGES:
            raise ValueError(f"the pipeline has more than {MOST_STAGES} stages and operations")
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
    found: dict[str, Plain] = {}
    for values in (message.mapStr, message.mapBool, message.mapInt, message.mapDouble):
        found |= {name: text(value) for name, value in values.items()}
    for name, listed in message.mapStrList.items():
        # Both writers have "" for None.
        found[name] = [from_json(text(item)) if item else None for item in listed.strValue]
    return dict(sorted(found.items()))
