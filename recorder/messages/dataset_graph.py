"""Builds the message of a dataset graph from a nested dict, with one level per stage of the pipeline."""

import json
from collections.abc import Mapping

from toposcope.proto.lineage_pb2 import DatasetGraph, OperationParameter
from toposcope.recorder.messages.plain_data import items_of, plain_from, utf8
from toposcope.recorder.values.arrays.foreign_values import short_repr

_INT32 = range(-(2**31), 2**31)


def dataset_graph(stage: Mapping[str, object]) -> DatasetGraph:
    """Return the graph of a dataset pipeline.

        dataset_graph({
            "op_type": "Batch",
            "batch_size": 32,
            "children": [{
                "op_type": "Map",
                "operations": [{"tensor_op_name": "Resize", "size": [32, 32]}],
                "children": [{"op_type": "ImageFolder", "dir": "cats", "sampler": {"sampler_name": "RandomSampler"}}],
            }],
        })

    Args:
        stage: the last stage: a dict with its name (op_type), its parameters, its input stages (children), and the
            transforms (operations) and the sampler that it uses, each a dict of parameters. Only op_type is required.

    The result of mindspore.dataset.serialize(dataset) is also such a dict. List parameters are stored by name, whereas
    MindSpore joins those of a transform or a sampler into one unnamed list of float32.

    Raises:
        TypeError: a stage or a part of it has the wrong type, or a parameter is not plain data.
        ValueError: a stage has no op_type.
        UnreadableValueError: the methods of an array or tensor raised an error.
    """
    return _stage(stage)


def _stage(stage: object) -> DatasetGraph:
    parameters = dict(items_of("a stage of the dataset", stage))
    op_type = parameters.get("op_type")
    if not isinstance(op_type, str) or not op_type:
        raise ValueError(f"A stage of the dataset must have an op_type, a non-empty str; got {short_repr(stage)}.")
    children, operations, sampler = (parameters.pop(part, None) for part in ("children", "operations", "sampler"))
    graph = DatasetGraph(children=[_stage(child) for child in _checked_list(f"children of {op_type}", children)])
    _set_parameters(graph.parameter, op_type, parameters)
    for operation in _checked_list(f"operations of {op_type}", operations):
        # MindSpore writes None for a transform that it cannot describe.
        _set_parameters(graph.operations.add().operationParam, f"an operation of {op_type}", operation or {})
    if sampler:
        _set_parameters(graph.sampler.operationParam, f"the sampler of {op_type}", sampler)
    return graph


def _set_parameters(message: OperationParameter, owner: str, parameters: object) -> None:
    for name, parameter in items_of(owner, parameters):
        value, key = plain_from(f"{name!r} of {owner}", parameter), utf8(name)
        match value:
            case str():
                message.mapStr[key] = utf8(value)
            case bool():
                message.mapBool[key] = value
            case int() if value in _INT32:
                message.mapInt[key] = value
            case float():
                message.mapDouble[key] = value
            case list() | tuple():
                # An empty list is omitted, as in MindSpore.
                for item in value:
                    message.mapStrList[key].strValue.append("" if item is None else json.dumps(item))
            case None:
                message.mapStr[key] = "None"
            case _:
                # A dict, or an integer that a double might not represent exactly.
                message.mapStr[key] = json.dumps(value)


def _checked_list(what: str, items: object) -> list[object] | tuple[object, ...]:
    if items is not None and not isinstance(items, list | tuple):
        raise TypeError(f"The {what} must be a list, not {short_repr(items)}.")
    return items or []
