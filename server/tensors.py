"""Tensors of MindSpore's dialect as arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.data_types import DTYPES, bfloat16_values
from toposcope.proto.tensor_pb2 import TensorProto


def tensor_array(tensor: TensorProto) -> npt.NDArray[Any]:
    """Return the elements of tensor in its shape and data type, exact where the file has them exactly.

    Toposcope writes every dtype exactly; MindSpore writes float32 only, whatever the data type says, so that its large
    integers and doubles are what float32 left of them. A bfloat16 is returned as the equal float32.

    Raises:
        ValueError: the number of elements does not fit the dims, or the data type is none of numbers.
    """
    dtype = DTYPES.get(tensor.data_type)
    if dtype is None:
        raise ValueError(f"A tensor of data type {tensor.data_type} holds no numbers.")
    try:
        if min(tensor.dims, default=0) < 0:
            raise ValueError("a size is negative")
        return _elements(tensor, dtype).reshape(list(tensor.dims))
    except ValueError as error:
        raise ValueError(f"The elements of a tensor of {dtype} do not fit its dims {tensor.dims}: {error}") from None


def _elements(tensor: TensorProto, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if tensor.HasField("raw_data"):
        raw = np.frombuffer(tensor.raw_data, dtype)
        return bfloat16_values(raw) if tensor.data_type == codes.DT_BFLOAT16 else raw
    singles = np.array(tensor.float_data, "<f4")
    if tensor.data_type == codes.DT_BFLOAT16:
        return singles
    with np.errstate(invalid="ignore", over="ignore"):  # A NaN is no integer; float32's largest is no float16.
        return singles.astype(dtype)
