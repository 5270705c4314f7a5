"""Event files for tests, and the simple, slow reader that the fast one is compared with."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto import framing, lineage_pb2, summary_pb2, tensorboard_pb2

GOLDEN = Path(__file__).parent.parent / "golden"
NAME = "events.out.events.summary.{seconds}.{rank}.host_MS"


class Point(NamedTuple):
    """A point of any plugin, as a reader returns it."""

    tag: str
    step: int
    wall_time: float
    value: float | bytes
    """The number of a scalar; the payload of any other plugin."""
    plugin: str = "scalar"


def version_event(
    wall_time: float = 1.0,
    session_id: bytes = b"",
    starts_attempt: bool = False,
    start: summary_pb2.RecordingStart | None = None,
    resume_step: int | None = None,
) -> bytes:
    """Return the first record of an event file: of Toposcope's, or without a session id, of MindSpore's."""
    event = summary_pb2.Event(wall_time=wall_time, version="MindSpore.Event:1", start=start)
    if session_id:
        event.session_id = session_id
    if starts_attempt:
        event.starts_attempt = True
    if resume_step is not None:
        event.resume_step = resume_step
    return framing.frame(event.SerializeToString())


def scalar_event(wall_time: float, step: int, scalars: dict[str, float]) -> bytes:
    """Return the record of one MindSpore event."""
    event = summary_pb2.Event(wall_time=wall_time, step=step)
    for tag, value in scalars.items():
        event.summary.value.add(tag=tag, scalar_value=value)
    return framing.frame(event.SerializeToString())


def heartbeat_event(wall_time: float, phase: summary_pb2.Phase | str = "PHASE_TRAINING") -> bytes:
    """Return the record of a heartbeat."""
    return framing.frame(summary_pb2.Event(wall_time=wall_time, heartbeat=phase).SerializeToString())


def end_event(wall_time: float, state: summary_pb2.RecordingEnd.State | str = "STATE_FINISHED", **error: str) -> bytes:
    """Return the record of an end mark; `error` is the error_type, error_text and traceback."""
    end = summary_pb2.RecordingEnd(state=state, **error)
    return framing.frame(summary_pb2.Event(wall_time=wall_time, end=end).SerializeToString())


def landscape_event(wall_time: float, tag: str, by_products: dict[str, float]) -> bytes:
    """Return the record of a landscape, with the scalars that MindSpore writes to the same event."""
    event = summary_pb2.Event(wall_time=wall_time)
    event.summary.value.add(tag=tag).loss_landscape.metadata.unit = "step"
    for name, value in by_products.items():
        event.summary.value.add(tag=name, scalar_value=value)
    return framing.frame(event.SerializeToString())


def tensorboard_event(wall_time: float, step: int, scalars: dict[str, float]) -> bytes:
    """Return the record of one TensorBoard event."""
    event = tensorboard_pb2.Event(wall_time=wall_time, step=step)
    for tag, value in scalars.items():
        event.summary.value.add(tag=tag, simple_value=value)
    return framing.frame(event.SerializeToString())


def write_run(directory: Path, records: Iterable[bytes], seconds: int = 1, rank: int = 0) -> Path:
    """Write an event file that starts with the version event; return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / NAME.format(seconds=seconds, rank=rank)
    path.write_bytes(b"".join([version_event(float(seconds)), *records]))
    return path


def loss_run(directory: Path, steps: Iterable[int], seconds: int = 1, rank: int = 0, tag: str = "loss") -> Path:
    """Write a run with one tag whose value is 1 / (1 + step), with one step per second."""
    records = [scalar_event(seconds + i, step, {tag: 1 / (1 + step)}) for i, step in enumerate(steps, 1)]
    return write_run(directory, records, seconds, rank)


def read_slowly(content: bytes, dialect: str) -> tuple[list[Point], list[int]]:
    """Return the points of all plugins and the offsets of damaged places, read with protobuf and byte by byte."""
    points: list[Point] = []
    damage: list[int] = []
    plugins: dict[tuple[str, str], str] = {}
    offset, is_lost = 0, False
    while offset + framing.HEADER_BYTES <= len(content):
        header = framing.read_header(content[offset : offset + framing.HEADER_BYTES])
        if not framing.header_is_sound(header):
            damage += [] if is_lost else [offset]
            offset, is_lost = offset + 1, True
            continue
        is_lost = False
        start = offset + framing.HEADER_BYTES
        end = start + header.length
        if end + framing.FOOTER_BYTES > len(content):
            break
        payload = content[start:end]
        crc = int.from_bytes(content[end : end + framing.FOOTER_BYTES], "little")
        try:
            if framing.masked_crc(payload) != crc:
                raise DecodeError
            points += _READERS[dialect](payload, plugins)
        except DecodeError:
            damage.append(offset)
        offset = end + framing.FOOTER_BYTES
    return points, damage


def _mindspore(payload: bytes, _: object) -> list[Point]:
    event = summary_pb2.Event.FromString(payload)
    if event.HasField("graph_def"):
        return [Point("", event.step, event.wall_time, event.graph_def.SerializeToString(), "graph")]
    if event.WhichOneof("what") is None and not (event.HasField("heartbeat") or event.HasField("end")):
        for plugin in ("alert", "code", "environment", "console"):
            if event.HasField(plugin):
                return [Point("", event.step, event.wall_time, getattr(event, plugin).SerializeToString(), plugin)]
    points = []
    for value in event.summary.value:
        field = value.WhichOneof("value") or ("text" if value.HasField("text") else None)
        if field == "scalar_value":
            number = value.scalar_double if value.HasField("scalar_double") else value.scalar_value
            points.append(Point(value.tag, event.step, event.wall_time, number))
        elif field == "text":
            points.append(Point(value.tag, event.step, event.wall_time, value.text.encode(), "text"))
        elif field:
            content = getattr(value, field).SerializeToString()
            points.append(Point(value.tag, event.step, event.wall_time, content, field.removeprefix("loss_")))
    return points


def _tensorboard(payload: bytes, plugins: dict[tuple[str, str], str]) -> list[Point]:
    event = tensorboard_pb2.Event.FromString(payload)
    if event.HasField("graph_def"):
        return [Point("", event.step, event.wall_time, event.graph_def, "graph")]
    points = []
    for value in event.summary.value:
        field = value.WhichOneof("value") or ("metadata" if value.HasField("metadata") else "")
        by_field = {"simple_value": "scalar", "histo": "histogram", "image": "image", "audio": "audio"}.get(field)
        by_metadata = _PLUGINS.get(name := value.metadata.plugin_data.plugin_name, name)
        plugin = by_field or plugins.setdefault((value.tag, field), by_metadata)
        if field == "metadata" and plugin in ("scalar", "image", "histogram", "tensor", "text"):
            plugin = "metadata"
        content: float | bytes = b""
        if plugin == "scalar":
            content = value.simple_value if field == "simple_value" else tensor_scalar(value.tensor)
        elif field == "metadata" or plugin == "hparams":
            content = value.metadata.SerializeToString() if value.HasField("metadata") else b""
        elif field:
            content = getattr(value, field) if field != "tensor" else value.tensor.SerializeToString()
        if field:
            points.append(Point(value.tag, event.step, event.wall_time, content, plugin))
    return points


def _lineage(payload: bytes, _: object) -> list[Point]:
    event = lineage_pb2.LineageEvent.FromString(payload)
    fields = {"train_lineage": "train", "evaluation_lineage": "evaluation", "user_defined_info": "custom"}
    field = event.WhichOneof("what")
    if field in (None, "version"):
        return []
    content = getattr(event, field).SerializeToString()
    if field == "dataset_graph":
        return [Point("", event.step, event.wall_time, content, "dataset_graph")]
    return [Point(fields[field], event.step, event.wall_time, content, "lineage")]


_PLUGINS = {"scalars": "scalar", "images": "image", "histograms": "histogram", "": "tensor"}
_READERS = {"mindspore": _mindspore, "tensorboard": _tensorboard, "lineage": _lineage}


def tensor_scalar(tensor: tensorboard_pb2.TensorProto) -> float:
    """Return the only element of a tensor of numbers."""
    import numpy as np

    dtype = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8", 4: "u1", 6: "i1", 10: "?", 19: "<f2"}[tensor.dtype]
    if tensor.tensor_content:
        return float(np.frombuffer(tensor.tensor_content, dtype)[0])
    if tensor.dtype == 19:
        return float(np.array(tensor.half_val, "<u2").view("<f2")[0])
    fields = {1: "float_val", 2: "double_val", 9: "int64_val", 10: "bool_val"}
    stored = getattr(tensor, fields.get(tensor.dtype, "int_val"))
    return float(stored[0]) if stored else 0.0
