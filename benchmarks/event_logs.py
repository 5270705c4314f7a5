"""Writes large event files for benchmarks quickly: records with the same layout are the rows of an array."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from toposcope.proto import framing

Dialect = Literal["own", "tensorboard"]
"""Files of our recorder, with an exact double for each float32, or of TensorBoard's writers."""
Int64s = npt.NDArray[np.int64]
Float64s = npt.NDArray[np.float64]
Records = npt.NDArray[np.uint8]

START = 1.7e9
"""wall_time of step 0, in seconds since 1970; a step takes one millisecond."""
_CHUNK = 20_000
_NAMES = {"own": "events.out.events.summary.1700000000.0.host_MS", "tensorboard": "events.out.tfevents.1700000000.host"}
_VERSIONS = {
    "own": (b"MindSpore.Event:1", b"\xa2\x06\x10" + bytes(range(16)) + b"\xa8\x06\x00"),
    "tensorboard": (b"brain.Event:2", b""),
}
# Keys, with the wire types, of fields in Summary.Value, and of the encoded bytes of an image.
_SCALAR = {"own": b"\x1d", "tensorboard": b"\x15"}
_EXACT = b"\xa1\x06"
_IMAGE = b"\x22"


def write_scalars(run: Path, dialect: Dialect, tags: Sequence[str], steps: int) -> Path:
    """Write a file with one event per step, which contains a value of each tag; return its path."""
    path = create_file(run, dialect)
    with path.open("ab") as file:
        for chunk in scalar_events(dialect, tags, 0, steps):
            file.write(chunk)
    return path


def write_images(run: Path, images: int, image_bytes: int, scalars: int) -> Path:
    """Write a TensorBoard file of images, each after a number of events with one scalar; return its path."""
    path = create_file(run, "tensorboard")
    random = np.random.default_rng(0)
    with path.open("ab") as file:
        for number in range(images):
            for chunk in scalar_events("tensorboard", ["loss"], number * scalars, (number + 1) * scalars):
                file.write(chunk)
            file.writelines(_image_event((number + 1) * scalars - 1, random.bytes(image_bytes)))
    return path


def write_runs(logdir: Path, runs: int, tags: Sequence[str], steps: int) -> None:
    """Write runs with one small TensorBoard file each, all with the same content, last modified a day ago."""
    content = write_scalars(logdir / "run-00000", "tensorboard", tags, steps).read_bytes()
    yesterday = time.time() - 86400
    for number in range(runs):
        path = logdir / f"run-{number:05}" / _NAMES["tensorboard"]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (yesterday, yesterday))


def create_file(run: Path, dialect: Dialect) -> Path:
    """Write a file with only a version event; return its path."""
    run.mkdir(parents=True)
    path = run / _NAMES[dialect]
    version, session = _VERSIONS[dialect]
    path.write_bytes(framing.frame(_wall_times(np.array([START])).tobytes() + _delimited(b"\x1a", version) + session))
    return path


def scalar_events(dialect: Dialect, tags: Sequence[str], first: int, end: int) -> Iterator[bytes]:
    """Yield the records of the steps in range(first, end) in chunks, with one event per step."""
    for start in range(first, end, _CHUNK):
        steps = np.arange(start, min(start + _CHUNK, end))
        columns = [values(number, steps) for number in range(len(tags))]
        yield from given_events(dialect, tags, steps, _times_of(steps), columns)


def given_events(
    dialect: Dialect, tags: Sequence[str], steps: Int64s, wall_times: Float64s, columns: Sequence[Float64s]
) -> Iterator[bytes]:
    """Yield the records of ascending steps in chunks, with one event per step.

    Args:
        dialect: of the file.
        tags: of the values.
        steps: one or more, ascending.
        wall_times: of each step, in seconds since 1970.
        columns: the values of each tag.
    """
    widths = np.maximum(1, -(-np.frexp(steps.astype(float))[1] // 7))
    for width in np.unique(widths).tolist():
        where = widths == width
        parts = [_values(dialect, tag, column[where]) for tag, column in zip(tags, columns, strict=True)]
        yield _frame_rows(_payloads(steps[where], wall_times[where], parts, width)).tobytes()


def values(tag: int, steps: Int64s) -> Float64s:
    """Return the values of the tag with this number: a falling curve with noise."""
    noise = np.sin(12.9898 * steps + tag) * 43758.5453
    curve: Float64s = np.exp(-steps / 1e5) + tag + 0.1 * (noise - np.floor(noise))
    return curve


def _payloads(steps: Int64s, wall_times: Float64s, parts: Sequence[Records], step_bytes: int) -> Records:
    """Return one event per row, for steps whose varints have the given length; `parts` are the values of each tag."""
    summary = _delimited(b"\x2a", b"\0" * sum(part.shape[1] for part in parts))
    head = summary[: len(summary) - sum(part.shape[1] for part in parts)]
    varints = _varints(steps, step_bytes)
    return np.hstack([_wall_times(wall_times), _constant(b"\x10", steps), varints, _constant(head, steps), *parts])


def _values(dialect: Dialect, tag: str, scalars: Float64s) -> Records:
    """Return the summary values of one tag, one per row."""
    columns = [_constant(_SCALAR[dialect], scalars), _bytes_of(scalars.astype("<f4"))]
    if dialect == "own":
        columns += [_constant(_EXACT, scalars), _bytes_of(scalars.astype("<f8"))]
    name = _delimited(b"\x0a", tag.encode())
    head = b"\x0a" + _varint(len(name) + sum(column.shape[1] for column in columns)) + name
    return np.hstack([_constant(head, scalars), *columns])


def _image_event(step: int, encoded: bytes) -> Iterator[bytes]:
    """Yield the parts of the record of a 512 x 512 image."""
    picture = b"\x08\x80\x04\x10\x80\x04\x18\x03" + _delimited(_IMAGE, encoded)
    value = _delimited(b"\x0a", b"picture") + _delimited(_IMAGE, picture)
    summary = _delimited(b"\x2a", _delimited(b"\x0a", value))
    yield framing.frame(_wall_times(_times_of(np.array([step]))).tobytes() + b"\x10" + _varint(step) + summary)


def _frame_rows(payloads: Records) -> Records:
    """Return the record of each row."""
    header = framing.frame(bytes(payloads.shape[1]))[: framing.HEADER_BYTES]
    return np.hstack([_constant(header, payloads), payloads, _bytes_of(framing.masked_crcs(payloads).astype("<u4"))])


def _times_of(steps: Int64s) -> Float64s:
    return START + steps / 1000


def _wall_times(times: Float64s) -> Records:
    return np.hstack([_constant(b"\x09", times), _bytes_of(times.astype("<f8"))])


def _varints(numbers: Int64s, length: int) -> Records:
    """Return numbers as varints of the given length, one per row."""
    groups = (numbers[:, None] >> (7 * np.arange(length))) & 0x7F
    groups[:, :-1] |= 0x80
    return groups.astype(np.uint8)


def _varint(number: int) -> bytes:
    length = max(1, -(-number.bit_length() // 7))
    return _varints(np.array([number]), length).tobytes()


def _delimited(key: bytes, content: bytes) -> bytes:
    return key + _varint(len(content)) + content


def _constant(content: bytes, rows: npt.NDArray[np.generic]) -> Records:
    """Return content repeated for each row."""
    return np.broadcast_to(np.frombuffer(content, np.uint8), (len(rows), len(content)))


def _bytes_of(column: npt.NDArray[np.generic]) -> Records:
    return column.view(np.uint8).reshape(len(column), -1)
