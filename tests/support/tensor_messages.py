"""Tensors of messages as arrays, by the server's reader."""

from typing import Any

import numpy.typing as npt

from toposcope.proto.tensor_pb2 import TensorProto
from toposcope.server.values.tensor import read_tensor


def tensor_array(message: TensorProto) -> npt.NDArray[Any]:
    """Return the elements of a message of MindSpore's dialect in their shape; bfloat16 as the equal float32."""
    values = read_tensor(message.SerializeToString(), "mindspore").values
    assert values is not None
    return values
