"""Tensors of numbers and texts as TensorBoard's TensorProto (tensorboard/compat/proto/tensor.proto)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.framing import Buffer
from toposcope.proto.tensorboard_pb2 import TensorProto, TensorShapeProto
from toposcope.proto.tensorboard_types import TYPES
from toposcope.proto.wire import bytes_head, text_bytes
from toposcope.recorder.tensorboard.kinds.metadata import metadata_field
from toposcope.recorder.values.arrays.arrays import Array

_TENSOR = 8
_CONTENT = 4
_STRING = 7

_MAX_BYTES = (1 << 31) - (1 << 20)


def check_size(value: Any) -> None:
    """Check an array before it is copied; ValueError if protobuf cannot read a message with it."""
    size = getattr(value, "nbytes", 0)
    if isinstance(size, int) and size > _MAX_BYTES:
        raise ValueError(f"A tensor must take at most {_MAX_BYTES} bytes; this one takes {size}.")


class TensorValue(NamedTuple):
    """A tensor of the plugin "tensor"."""

    array: Array

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        dtype = "bfloat16" if self.array.data_type == codes.DT_BFLOAT16 else self.array.values.dtype.name
        return [metadata_field("tensor"), *_tensor_field(self.array.values, TYPES[dtype])]


class TextValue(NamedTuple):
    """A text in Markdown."""

    text: str

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        return [metadata_field("text"), string_field([text_bytes(self.text)], (1,))]


def float_field(array: npt.NDArray[Any]) -> list[Buffer]:
    """Return the encoded field of Summary.Value for a tensor of float32, as consecutive buffers."""
    with np.errstate(over="ignore"):
        return _tensor_field(array.astype("<f4"), TYPES["float32"])


def string_field(texts: Sequence[bytes], shape: tuple[int, ...]) -> bytes:
    """Return the encoded field of Summary.Value for a tensor of texts."""
    encoded = TensorProto(dtype=_STRING, tensor_shape=_shape(shape), string_val=texts).SerializeToString()
    return bytes_head(_TENSOR, len(encoded)) + encoded


def _tensor_field(values: npt.NDArray[Any], dtype: int) -> list[Buffer]:
    content = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
    head = TensorProto(dtype=dtype, tensor_shape=_shape(values.shape)).SerializeToString()
    head += bytes_head(_CONTENT, len(content))
    return [bytes_head(_TENSOR, len(head) + len(content)) + head, content]


def _shape(shape: Sequence[int]) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in shape])
