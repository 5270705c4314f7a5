"""Values of TensorBoard's dialect in MindSpore's."""

from collections.abc import Mapping

import numpy as np
import orjson

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.data_types import DTYPES
from toposcope.proto.lineage_pb2 import LineageEvent, UserDefinedInfo
from toposcope.proto.summary_pb2 import Summary
from toposcope.proto.wire import text_bytes
from toposcope.server.reading.tag_table import Tag
from toposcope.server.text.json_values import json_value
from toposcope.server.values.histogram import read_histogram
from toposcope.server.values.image import read_images
from toposcope.server.values.lineage import Plain
from toposcope.server.values.tensor import read_tensor
from toposcope.server.values.text import read_text

_CODES = {dtype: code for code, dtype in DTYPES.items() if code != codes.DT_BFLOAT16}
_INT32 = 2**31


def mindspore_value(tag: Tag, payload: bytes, kind: str) -> bytes | None:
    """Return a Summary with a value of TensorBoard's dialect; None if MindSpore's has no such value.

    Of several images, the first one; of a table of texts, the texts one below the other.

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
            image = read_images(payload, kind)[0]
            encoded = bytes(image.encoded)
            value.image.CopyFrom(
                Summary.Image(width=image.width, height=image.height, colorspace=3, encoded_image=encoded)
            )
        case "histogram":
            _set_histogram(value.histogram, payload, kind)
        case "text":
            value.text = "\n\n".join(read_text(payload, kind).texts)
        case "tensor":
            if not _set_tensor(value, payload):
                return None
        case _:
            return None
    return Summary(value=[value]).SerializeToString()


def _set_histogram(message: Summary.Histogram, payload: bytes, kind: str) -> None:
    """Set a histogram; counts, which are integers in MindSpore's dialect, are rounded."""
    histogram = read_histogram(payload, kind, "tensorboard")
    message.count = round(histogram.total_count)
    message.min, message.max, message.sum = (each or 0.0 for each in (histogram.min, histogram.max, histogram.sum))
    message.nan_count = histogram.nan_count or 0
    message.pos_inf_count = histogram.pos_inf_count or 0
    message.neg_inf_count = histogram.neg_inf_count or 0
    for left, width, count in zip(*(column.tolist() for column in histogram.buckets), strict=True):
        message.buckets.add(left=left, width=width, count=round(count))


def _set_tensor(value: Summary.Value, payload: bytes) -> bool:
    """Set a tensor with its exact elements; return False if they are not numbers."""
    tensor = read_tensor(payload, "tensorboard")
    if tensor.values is None:
        return False
    elements = tensor.values.reshape(-1)
    dtype = codes.DataType.Name(codes.DataType.ValueType(_CODES[elements.dtype]))
    value.tensor.CopyFrom(codes.TensorProto(dims=tensor.dims, data_type=dtype))
    with np.errstate(over="ignore"):  # A double beyond float32 is exact in the raw data.
        value.tensor.float_data.extend(elements.real.astype(np.float32))
    if elements.dtype != np.float32:
        value.tensor.raw_data = elements.tobytes()
    return True


def lineage_events(wall_time: float, parameters: Mapping[str, Plain]) -> list[LineageEvent]:
    """Return hyperparameters as custom lineage, behind an empty one of a training: MindInsight shows it only then."""
    training = LineageEvent(wall_time=wall_time)
    training.train_lineage.hyper_parameters.SetInParent()
    custom = LineageEvent(wall_time=wall_time)
    for name, parameter in parameters.items():
        _set_parameter(custom.user_defined_info.user_info.add(), text_bytes(name).decode(), parameter)
    return [training, custom]


def _set_parameter(entry: UserDefinedInfo, name: str, value: Plain) -> None:
    """Set one entry; all numbers of TensorBoard's hyperparameters are doubles."""
    match value:
        case str():
            entry.map_str[name] = value
        case bool():
            entry.map_int32[name] = int(value)
            entry.map_bool[name] = value
        case float() if value.is_integer() and abs(value) < _INT32:
            entry.map_int32[name] = int(value)
        case float():
            entry.map_double[name] = value
        case _:
            entry.map_str[name] = orjson.dumps(json_value(value)).decode()
