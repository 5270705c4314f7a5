"""Event files made for tests, and the slow, obvious reader that the fast one is compared with."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto import framing, summary_pb2, tensorboard_pb2

GOLDEN = Path(__file__).parent / "golden"
NAME = "events.out.events.summary.{seconds}.{rank}.host_MS"


class Point(NamedTuple):
    """A scalar as a reader sees it."""

    tag: str
    step: int
    wall_time: float
    value: float


def version_event(wall_time: float = 1.0, session_id: bytes = b"", starts_attempt: bool = False) -> bytes:
    """Return the record that begins an event file of ours, or of MindSpore when there is no session id."""
    event = summary_pb2.Event(wall_time=wall_time, version="MindSpore.Event:1")
    if session_id:
        event.session_id = session_id
    if starts_attempt:
        event.starts_attempt = True
    return framing.frame(event.SerializeToString())


def scalar_event(wall_time: float, step: int, scalars: dict[str, float]) -> bytes:
    """Return the record of one MindSpore event."""
    event = summary_pb2.Event(wall_time=wall_time, step=step)
    for tag, value in scalars.items():
        event.summary.value.add(tag=tag, scalar_value=value)
    return framing.frame(event.SerializeToString())


def landscape_event(wall_time: float, tag: str, by_products: dict[str, float]) -> bytes:
    """Return the record of a landscape with the scalars that MindSpore writes beside it."""
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
    """Write an event file with the version event first; return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / NAME.format(seconds=seconds, rank=rank)
    path.write_bytes(b"".join([version_event(float(seconds)), *records]))
    return path


def loss_run(directory: Path, steps: Iterable[int], seconds: int = 1, rank: int = 0, tag: str = "loss") -> Path:
    """Write a run with one tag whose value is 1 / (1 + step), one step a second."""
    records = [scalar_event(seconds + i, step, {tag: 1 / (1 + step)}) for i, step in enumerate(steps, 1)]
    return write_run(directory, records, seconds, rank)


def read_slowly(content: bytes, dialect: str) -> tuple[list[Point], list[int]]:
    """Return (scalars, offsets of damaged places) of an event file, with protobuf and byte by byte."""
    points: list[Point] = []
    damage: list[int] = []
    plugins: dict[str, str] = {}
    at, is_lost = 0, False
    while at + framing.HEADER_BYTES <= len(content):
        header = framing.read_header(content[at : at + framing.HEADER_BYTES])
        if not framing.header_is_sound(header):
            damage += [] if is_lost else [at]
            at, is_lost = at + 1, True
            continue
        is_lost = False
        start, end = at + framing.HEADER_BYTES, at + framing.HEADER_BYTES + header.length
        if end + framing.FOOTER_BYTES > len(content):
            break
        payload = content[start:end]
        crc = int.from_bytes(content[end : end + framing.FOOTER_BYTES], "little")
        try:
            if framing.masked_crc(payload) != crc:
                raise DecodeError
            points += _mindspore(payload) if dialect == "mindspore" else _tensorboard(payload, plugins)
        except DecodeError:
            damage.append(at)
        at = end + framing.FOOTER_BYTES
    return points, damage


def _mindspore(payload: bytes) -> list[Point]:
    event = summary_pb2.Event.FromString(payload)
    return [
        Point(
            value.tag,
            event.step,
            event.wall_time,
            value.scalar_double if value.HasField("scalar_double") else value.scalar_value,
        )
        for value in event.summary.value
        if value.HasField("scalar_value")
    ]


def _tensorboard(payload: bytes, plugins: dict[str, str]) -> list[Point]:
    event = tensorboard_pb2.Event.FromString(payload)
    points = []
    for value in event.summary.value:
        scalar = None
        if value.HasField("simple_value"):
            scalar = value.simple_value
        elif value.HasField("tensor"):
            plugin = plugins.setdefault(value.tag, value.metadata.plugin_data.plugin_name)
            scalar = tensor_scalar(value.tensor) if plugin == "scalars" else None
        if scalar is not None:
            points.append(Point(value.tag, event.step, event.wall_time, scalar))
    return points


def tensor_scalar(tensor: tensorboard_pb2.TensorProto) -> float:
    """Return the only element of a float tensor."""
    import numpy as np

    dtype = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8", 4: "u1", 6: "i1", 10: "?", 19: "<f2"}[tensor.dtype]
    if tensor.tensor_content:
        return float(np.frombuffer(tensor.tensor_content, dtype)[0])
    if tensor.dtype == 19:
        return float(np.array(tensor.half_val, "<u2").view("<f2")[0])
    fields = {1: "float_val", 2: "double_val", 9: "int64_val", 10: "bool_val"}
    stored = getattr(tensor, fields.get(tensor.dtype, "int_val"))
    return float(stored[0]) if stored else 0.0
