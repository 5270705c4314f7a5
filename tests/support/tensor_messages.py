"""Converts tensors in messages to arrays, with the server's reader."""

from typing import Any

import numpy.typing as npt

from toposcope.proto.tensor_pb2 import TensorProto
from toposcope.server.values.tensor import read_tensor


def tensor_array(message: TensorProto) -> npt.NDArray[Any]:
    """Return the elements of a MindSpore tensor as an array of its shape; bfloat16 is converted to float32."""
    values = read_tensor(message.SerializeToString(), "mindspore").values
    assert values is not None
    return values
