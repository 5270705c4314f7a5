"""Tensors of event files as arrays."""

import numpy as np
import pytest

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.tensor_pb2 import TensorProto
from toposcope.server.tensors import tensor_array


def test_mindspores_tensors_have_their_dtype() -> None:
    """MindSpore writes float32 only: what it left of an integer is an integer again."""
    tensor = TensorProto(dims=[2], data_type=codes.DT_INT64, float_data=[16777216, -1])

    array = tensor_array(tensor)

    assert (array.dtype, array.tolist()) == (np.int64, [16777216, -1])


def test_bfloat16_of_mindspore() -> None:
    """Without bits the float32 is all there is."""
    tensor = TensorProto(dims=[1], data_type=codes.DT_BFLOAT16, float_data=[0.5])

    assert tensor_array(tensor).tolist() == [0.5]


@pytest.mark.parametrize(
    "tensor",
    [
        TensorProto(dims=[3], data_type=codes.DT_FLOAT32, float_data=[1, 2]),
        TensorProto(dims=[3], data_type=codes.DT_INT64, raw_data=b"1234567"),
        TensorProto(dims=[-1], data_type=codes.DT_FLOAT32, float_data=[]),
    ],
)
def test_wrong_number_of_elements_is_an_error(tensor: TensorProto) -> None:
    """A damaged tensor is told by its dims."""
    with pytest.raises(ValueError, match="do not fit its dims"):
        tensor_array(tensor)


def test_other_data_types_are_refused() -> None:
    """A string is no number."""
    with pytest.raises(ValueError, match="data type 13 holds no numbers"):
        tensor_array(TensorProto(dims=[1], data_type=codes.DT_STRING))
