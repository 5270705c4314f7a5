"""Dataset graphs as trees."""

import json
from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from support.event_files import GOLDEN
from support.golden_run import lineage_events

from toposcope.proto.lineage_pb2 import DatasetGraph
from toposcope.proto.wire import varint
from toposcope.recorder import dataset_graph as recorded
from toposcope.server.values.dataset_graph import MAX_STAGES, Stage, dataset_graph


def _nested(stage: Stage) -> dict[str, Any]:
    """Return a tree as MindInsight replies it: parameters beside children, items of lists as JSON."""
    parameters = {
        name: [json.dumps(item) for item in value] if isinstance(value, list) else value
        for name, value in stage.parameters.items()
    }
    more: dict[str, Any] = {"operations": stage.operations} if stage.operations else {}
    if stage.sampler is not None:
        more["sampler"] = stage.sampler
    children = [_nested(child) for child in stage.children]
    return {"op_type": stage.op_type, "children": children, **parameters, **more}


def test_golden_pipeline_equals_that_of_mindinsight() -> None:
    """Every stage, parameter and operation equals the reply of MindInsight."""
    message = lineage_events()["dataset_graph"].dataset_graph
    sees = json.loads((GOLDEN / "mindspore/digits_momentum/mindinsight_sees.json").read_text())

    stage = dataset_graph(message.SerializeToString())

    assert _nested(stage) == sees["digits_momentum"]["dataset_graph"]
    assert stage.children[0].parameters["input_columns"] == ["label"]


def test_recorded_pipeline_is_read() -> None:
    """Parameters of every type, operations, samplers and several children are read; large integers are digits."""
    message = recorded(
        {
            "op_type": "Zip",
            "shapes": [[1, 2], "a", None, 0.5, True],
            "seed": None,
            "wide": 2**40,
            "children": [
                {
                    "op_type": "Map",
                    "rate": 0.1,
                    "shuffle": False,
                    "operations": [{"tensor_op_name": "Resize", "size": [32, 32]}, None],
                },
                {"op_type": "Source", "sampler": {"sampler_name": "RandomSampler", "weights": [0.5]}},
            ],
        }
    )

    assert dataset_graph(message.SerializeToString()) == Stage(
        "Zip",
        {"seed": "None", "shapes": [[1, 2], "a", None, 0.5, True], "wide": str(2**40)},
        [],
        None,
        [
            Stage(
                "Map",
                {"rate": 0.1, "shuffle": False},
                [{"size": [32, 32], "tensor_op_name": "Resize"}, {}],
                None,
                [],
            ),
            Stage("Source", {}, [], {"sampler_name": "RandomSampler", "weights": [0.5]}, []),
        ],
    )


def test_unnamed_lists_of_mindspore_are_read() -> None:
    """Lists of integers are in size, the others in weights, as float32."""
    message = DatasetGraph()
    operation = message.operations.add(size=[32, 48], weights=[0.1, 2])
    operation.operationParam.mapStr["tensor_op_name"] = "Resize"
    message.sampler.weights.append(0.3)

    stage = dataset_graph(message.SerializeToString())

    assert stage.operations == [{"size": [32, 48], "weights": [0.1, 2.0], "tensor_op_name": "Resize"}]
    assert stage.sampler == {"weights": [0.3]}
    assert stage.op_type == ""


def test_items_that_are_not_json_are_text() -> None:
    """A list of plain words is unchanged."""
    message = DatasetGraph()
    message.parameter.mapStrList["columns"].strValue[:] = ["image", '"label"', "", "[" * 5000]

    assert dataset_graph(message.SerializeToString()).parameters == {"columns": ["image", "label", None, "[" * 5000]}


def test_invalid_utf8_is_replaced() -> None:
    """Also in lists."""
    content = b"\x12\x0a\x12\x08\x0a\x01a\x12\x03\x0a\x01\xff"  # parameter { mapStrList { key: "a" value: ["\377"] } }

    assert dataset_graph(content).parameters == {"a": ["\N{REPLACEMENT CHARACTER}"]}


def test_invalid_pipelines_are_errors() -> None:
    """Trees that are too deep or have too many stages are errors."""
    content = b""
    for _ in range(100):
        content = b"\x0a" + varint(len(content)) + content  # children { ... }
    assert dataset_graph(content).children
    with pytest.raises(DecodeError):
        dataset_graph(b"\x0a" + varint(len(content)) + content)

    wide = DatasetGraph()
    for _ in range(MAX_STAGES):
        wide.children.add()
    with pytest.raises(ValueError, match=str(MAX_STAGES)):
        dataset_graph(wide.SerializeToString())


def test_changed_bytes_raise_nothing_unexpected() -> None:
    """Flipping any bit of a message raises nothing but the documented errors."""
    content = lineage_events()["dataset_graph"].dataset_graph.SerializeToString()
    for at in range(len(content)):
        for bit in (0, 1, 7):
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            with suppress(DecodeError, ValueError):
                dataset_graph(bytes(changed))
