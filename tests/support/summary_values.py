"""Values of both dialects for tests, other than scalars."""

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from toposcope.proto import framing, summary_pb2, tensorboard_pb2

MindSporeValue = summary_pb2.Summary.Value
TensorBoardValue = tensorboard_pb2.Summary.Value
STRING = 7
"""TensorBoard's code of the data type string."""


def record(wall_time: float, step: int, *values: MindSporeValue) -> bytes:
    """Return the record of one MindSpore event."""
    event = summary_pb2.Event(wall_time=wall_time, step=step)
    event.summary.value.extend(values)
    return framing.frame(event.SerializeToString())


def tensorboard_run(directory: Path, events: Iterable[tuple[int, TensorBoardValue]]) -> Path:
    """Write a TensorBoard event file with one event per second, each with a (step, value); return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "events.out.tfevents.1.host"
    messages = [tensorboard_pb2.Event(wall_time=1, file_version="brain.Event:2")]
    for second, (step, value) in enumerate(events, 2):
        messages.append(tensorboard_pb2.Event(wall_time=second, step=step))
        messages[-1].summary.value.append(value)
    path.write_bytes(b"".join(framing.frame(message.SerializeToString()) for message in messages))
    return path


def of_plugin(plugin: str, tag: str, tensor: tensorboard_pb2.TensorProto) -> TensorBoardValue:
    """Return a value whose metadata contain TensorBoard's name of the plugin."""
    data = tensorboard_pb2.SummaryMetadata.PluginData(plugin_name=plugin)
    return TensorBoardValue(tag=tag, tensor=tensor, metadata=tensorboard_pb2.SummaryMetadata(plugin_data=data))


def tensorboard_tensor(dtype: int, dims: Sequence[int], **elements: Any) -> tensorboard_pb2.TensorProto:
    """Return a TensorBoard tensor; elements is the field with its elements."""
    shape = tensorboard_pb2.TensorShapeProto()
    for size in dims:
        shape.dim.add(size=size)
    return tensorboard_pb2.TensorProto(dtype=dtype, tensor_shape=shape, **elements)


def strings(*texts: bytes, dims: Sequence[int] | None = None) -> tensorboard_pb2.TensorProto:
    """Return a tensor of strings: a vector, or of shape dims."""
    return tensorboard_tensor(STRING, [len(texts)] if dims is None else dims, string_val=texts)


def histogram_proto(limits: Sequence[float], counts: Sequence[float], **extent: float) -> bytes:
    """Return a TensorBoard HistogramProto; extent contains min, max, num and sum, which are omitted if zero."""
    numbers = {name: extent.get(name, 0.0) for name in ("min", "max", "num", "sum")}
    doubles = [struct.pack("<Bd", field << 3 | 1, value) for field, value in enumerate(numbers.values(), 1) if value]
    return b"".join([*doubles, _packed(6, limits), _packed(7, counts)])


def _packed(field: int, numbers: Sequence[float]) -> bytes:
    content = struct.pack(f"<{len(numbers)}d", *numbers)
    value = tensorboard_pb2.Summary.Value(image=content).SerializeToString()  # Field 4: one byte of key.
    return bytes([field << 3 | 2]) + value[1:]
