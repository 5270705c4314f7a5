"""Dataset graphs built from nested dicts."""

from typing import Any

import numpy as np
import pytest
from google.protobuf.json_format import MessageToDict
from support import golden_run

from toposcope.recorder.messages.dataset_graph import dataset_graph

# The result of mindspore.dataset.serialize() of MindSpore 2.10 for the pipeline of the golden run.
SERIALIZED = {
    "batch_size": 64,
    "children": [
        {
            "callback": [],
            "children": [
                {
                    "callback": [],
                    "children": [
                        {
                            "children": [],
                            "connector_queue_size": 16,
                            "num_parallel_workers": 1,
                            "op_type": "GeneratorDataset",
                        }
                    ],
                    "connector_queue_size": 16,
                    "input_columns": ["image"],
                    "num_parallel_workers": 2,
                    "op_type": "Map",
                    "operations": [{"tensor_op_name": "TypeCast", "tensor_op_params": {"data_type": "float32"}}],
                    "output_columns": ["image"],
                }
            ],
            "connector_queue_size": 16,
            "input_columns": ["label"],
            "num_parallel_workers": 2,
            "op_type": "Map",
            "operations": [{"tensor_op_name": "TypeCast", "tensor_op_params": {"data_type": "int32"}}],
            "output_columns": ["label"],
        }
    ],
    "connector_queue_size": 16,
    "drop_remainder": True,
    "input_columns": [],
    "num_parallel_workers": 2,
    "op_type": "Batch",
    "output_columns": [],
}


def test_serialized_dataset_results_in_the_message_of_mindspore() -> None:
    """The dict of mindspore.dataset.serialize() results in MindSpore's message, and is not modified."""
    description = repr(SERIALIZED)

    assert dataset_graph(SERIALIZED) == golden_run.lineage_events()["dataset_graph"].dataset_graph
    assert repr(SERIALIZED) == description


def test_parameters_are_stored_by_type() -> None:
    """Parameters are in the fields that MindInsight reads; types that the format does not support become JSON."""
    stage = {
        "op_type": "Map",
        "name": "\ud800",
        "shuffle": np.True_,
        "size": np.int64(5),
        "seed": 2**32,
        "ratio": 0.5,
        "columns": ["a", None, 1],
        "mean": np.array([0.5, 1.0]),
        "options": {"a": [1]},
        "limit": None,
    }

    assert MessageToDict(dataset_graph(stage).parameter) == {
        "mapStr": {"op_type": "Map", "name": "\\ud800", "seed": "4294967296", "options": '{"a": [1]}', "limit": "None"},
        "mapBool": {"shuffle": True},
        "mapInt": {"size": 5},
        "mapDouble": {"ratio": 0.5},
        "mapStrList": {"columns": {"strValue": ['"a"', "", "1"]}, "mean": {"strValue": ["0.5", "1.0"]}},
    }


def test_operations_and_sampler() -> None:
    """Transforms and the sampler of a stage are stored with the names of all their parameters."""
    graph = dataset_graph(
        {
            "op_type": "ImageFolder",
            "operations": [{"tensor_op_name": "Resize", "size": [4, 5]}, None],
            "sampler": {"sampler_name": "SubsetSampler", "indices": [1, 2]},
        }
    )

    resize, unknown = graph.operations
    assert resize.operationParam.mapStr["tensor_op_name"] == "Resize"
    assert resize.operationParam.mapStrList["size"].strValue == ["4", "5"]
    assert unknown.ByteSize() == 0
    assert graph.sampler.operationParam.mapStrList["indices"].strValue == ["1", "2"]


@pytest.mark.parametrize("stage", [{}, {"batch_size": 4}, {"op_type": ""}, {"op_type": "A", "children": [{}]}])
def test_stages_must_have_an_op_type(stage: dict[str, object]) -> None:
    """A stage without op_type is a ValueError."""
    with pytest.raises(ValueError, match="must have an op_type"):
        dataset_graph(stage)


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        ([], "a stage of the dataset must be a dict"),
        ({1: 2}, "keys of type str; 1 is not"),
        ({"op_type": "Map", "children": {"op_type": "A"}}, "children of Map must be a list"),
        ({"op_type": "Map", "children": ["A"]}, "a stage of the dataset must be a dict, not 'A'"),
        ({"op_type": "Map", "operations": "Resize"}, "operations of Map must be a list"),
        ({"op_type": "Map", "operations": ["Resize"]}, "an operation of Map must be a dict, not 'Resize'"),
        ({"op_type": "Map", "sampler": "Random"}, "the sampler of Map must be a dict, not 'Random'"),
        ({"op_type": "Map", "function": print}, "'function' of Map must be None, a str"),
    ],
)
def test_wrong_types_are_type_errors(stage: Any, message: str) -> None:
    """The message names the part with the wrong type."""
    with pytest.raises(TypeError, match=message):
        dataset_graph(stage)
