"""Encodes tensors as TensorProto messages from buffers, not Python numbers: a million elements take a millisecond."""

from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.framing import Buffer
from toposcope.proto.wire import WireType, bytes_head, key, varint
from toposcope.recorder.values.arrays.arrays import Array

MAX_BYTES = (1 << 31) - (1 << 20)
"""Maximum size of a TensorProto: protobuf cannot parse messages of 2 GiB."""

_DIMS = key(1, WireType.VARINT)
_DATA_TYPE = key(2, WireType.VARINT)
_FLOAT_DATA, _RAW_DATA = 3, 8


def encoded_size(array: Array) -> int:
    """Return the approximate size of tensor_parts() in bytes."""
    values = array.values
    return 4 * values.size + (0 if array.data_type == codes.DT_FLOAT32 else values.nbytes)


def tensor_parts(array: Array) -> list[Buffer]:
    """Return the TensorProto of array as consecutive buffers, without copying the elements.

    float_data contains the elements as float32, the only field that MindInsight reads; of complex numbers it contains
    the real parts. If the elements are not float32, raw_data contains them exactly.
    """
    head = b"".join(_DIMS + varint(size) for size in array.values.shape) + _DATA_TYPE + varint(array.data_type)
    parts: list[Buffer] = [head, *_field(_FLOAT_DATA, _singles(array))]
    if array.data_type != codes.DT_FLOAT32:
        parts += _field(_RAW_DATA, array.values)
    return parts


def _singles(array: Array) -> npt.NDArray[np.float32]:
    numbers = array.numbers()
    with np.errstate(over="ignore", invalid="ignore"):
        return (numbers.real if array.is_complex else numbers).astype("<f4", copy=False)


def _field(field: int, elements: npt.NDArray[Any]) -> list[Buffer]:
    return [bytes_head(field, elements.nbytes), np.ascontiguousarray(elements).reshape(-1).view(np.uint8).data]
