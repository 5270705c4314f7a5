"""Values of MindSpore's dialect in TensorBoard's."""

import struct

from toposcope.proto.tensorboard_pb2 import Summary, TensorProto, TensorShapeProto
from toposcope.proto.tensorboard_types import TYPES
from toposcope.proto.wire import WireType, bytes_head, key, text_bytes, varint
from toposcope.server.reading.tag_table import Tag
from toposcope.server.values.histogram import Histogram, read_histogram
from toposcope.server.values.tensor import read_tensor
from toposcope.server.values.text import read_text

_STRING = 7
_DOUBLE = struct.Struct("<d")
_NOT_FINITE = 100
"""The first of our own fields of HistogramProto: the numbers of NaN, inf and -inf."""


def tensorboard_value(tag: Tag, payload: bytes, kind: str) -> bytes | None:
    """Return a Summary with a value of MindSpore's dialect; None if TensorBoard's has no such value.

    Args:
        tag: its tag.
        payload: see read_payload().
        kind: the field that contained the payload, one of scan.KINDS.

    Raises:
        DecodeError, ValueError: the payload is malformed.
    """
    value = Summary.Value(tag=text_bytes(tag.name).decode())
    match tag.plugin:
        case "image":
            value.image = payload
        case "histogram":
            value.histo = _histogram(read_histogram(payload, kind, "mindspore"))
        case "text":
            value.metadata.plugin_data.plugin_name = "text"
            texts = [text_bytes(text) for text in read_text(payload, kind).texts]
            value.tensor.CopyFrom(TensorProto(dtype=_STRING, tensor_shape=_shape((1,)), string_val=texts))
        case "tensor":
            tensor = read_tensor(payload, "mindspore")
            if tensor.values is None:
                return None
            value.metadata.plugin_data.plugin_name = "tensor"
            value.tensor.dtype = TYPES[tensor.values.dtype.name]
            value.tensor.tensor_shape.CopyFrom(_shape(tensor.dims))
            value.tensor.tensor_content = tensor.values.tobytes()
        case _:
            return None
    return Summary(value=[value]).SerializeToString()


def _shape(sizes: tuple[int, ...]) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def _histogram(histogram: Histogram) -> bytes:
    """Return a HistogramProto: min, max, num and sum of the finite values = 1 to 4, bucket_limit = 6, bucket = 7."""
    left, width, counts = histogram.buckets
    not_finite = [histogram.nan_count or 0, histogram.pos_inf_count or 0, histogram.neg_inf_count or 0]
    count = histogram.total_count - sum(not_finite)
    numbers = (histogram.min or 0.0, histogram.max or 0.0, count, histogram.sum or 0.0)
    parts = [key(field, WireType.DOUBLE) + _DOUBLE.pack(number) for field, number in enumerate(numbers, 1)]
    for field, column in ((6, left + width), (7, counts)):
        content = column.astype("<f8").tobytes()
        parts += [bytes_head(field, len(content)), content]
    parts += [key(_NOT_FINITE + at, WireType.VARINT) + varint(each) for at, each in enumerate(not_finite)]
    return b"".join(parts)
