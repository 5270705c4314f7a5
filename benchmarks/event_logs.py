"""Event files for the benchmarks of the reader, written fast: records of one layout are the rows of an array."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from toposcope.proto import framing

Dialect = Literal["own", "tensorboard"]
"""The files of our recorder, with the exact double beside each float32; those of TensorBoard's writers."""
Int64s = npt.NDArray[np.int64]
Records = npt.NDArray[np.uint8]

BEGAN = 1.7e9
"""wall_time of step 0, in seconds since 1970; every step takes a millisecond."""
_CHUNK = 20_000
_NAMES = {"own": "events.out.events.summary.1700000000.0.host_MS", "tensorboard": "events.out.tfevents.1700000000.host"}
_VERSIONS = {
    "own": (b"MindSpore.Event:1", b"\xa2\x06\x10" + bytes(range(16)) + b"\xa8\x06\x00"),
    "tensorboard": (b"brain.Event:2", b""),
}
# Keys of Summary.Value and of its image's encoded bytes, with the wire types.
_SCALAR = {"own": b"\x1d", "tensorboard": b"\x15"}
_EXACT = b"\xa1\x06"
_IMAGE = b"\x22"


def write_scalars(run: Path, dialect: Dialect, tags: Sequence[str], steps: int) -> Path:
    """Write a file of one event a step, which holds a value of each tag; return its path."""
    path = begin_file(run, dialect)
    with path.open("ab") as file:
        for chunk in scalar_events(dialect, tags, 0, steps):
            file.write(chunk)
    return path


def write_images(run: Path, images: int, image_bytes: int, scalars: int) -> Path:
    """Write a TensorBoard file of images with so many scalars, one an event, before each; return its path."""
    path = begin_file(run, "tensorboard")
    random = np.random.default_rng(0)
    with path.open("ab") as file:
        for number in range(images):
            for chunk in scalar_events("tensorboard", ["loss"], number * scalars, (number + 1) * scalars):
                file.write(chunk)
            file.writelines(_image_event((number + 1) * scalars - 1, random.bytes(image_bytes)))
    return path


def write_runs(logdir: Path, runs: int, tags: Sequence[str], steps: int) -> None:
    """Write runs of one small TensorBoard file each, all the same, that nobody has written to for a day."""
    content = write_scalars(logdir / "run-00000", "tensorboard", tags, steps).read_bytes()
    yesterday = time.time() - 86400
    for number in range(runs):
        path = logdir / f"run-{number:05}" / _NAMES["tensorboard"]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (yesterday, yesterday))


def begin_file(run: Path, dialect: Dialect) -> Path:
    """Write a file that holds nothing but its version; return its path."""
    run.mkdir(parents=True)
    path = run / _NAMES[dialect]
    version, session = _VERSIONS[dialect]
    path.write_bytes(framing.frame(_wall_times(np.array([0])).tobytes() + _delimited(b"\x1a", version) + session))
    return path


def scalar_events(dialect: Dialect, tags: Sequence[str], first: int, end: int) -> Iterator[bytes]:
    """Yield the records of the steps from `first` to before `end`, a chunk at a time: one event a step."""
    for start in range(first, end, _CHUNK):
        steps = np.arange(start, min(start + _CHUNK, end))
        widths = np.maximum(1, -(-np.frexp(steps.astype(float))[1] // 7))
        for width in np.unique(widths).tolist():
            yield _frame_rows(_payloads(dialect, tags, steps[widths == width], width)).tobytes()


def values(tag: int, steps: Int64s) -> npt.NDArray[np.float64]:
    """Return what the tag of this number holds: a noisy falling curve of doubles."""
    noise = np.sin(12.9898 * steps + tag) * 43758.5453
    curve: npt.NDArray[np.float64] = np.exp(-steps / 1e5) + tag + 0.1 * (noise - np.floor(noise))
    return curve


def _payloads(dialect: Dialect, tags: Sequence[str], steps: Int64s, step_bytes: int) -> Records:
    """Return the events of steps whose varints have this length, one a row."""
    parts = [_values(dialect, tag, values(number, steps)) for number, tag in enumerate(tags)]
    summary = _delimited(b"\x2a", b"\0" * sum(part.shape[1] for part in parts))
    head = summary[: len(summary) - sum(part.shape[1] for part in parts)]
    return np.hstack(
        [_wall_times(steps), _constant(b"\x10", steps), _varints(steps, step_bytes), _constant(head, steps), *parts]
    )


def _values(dialect: Dialect, tag: str, scalars: npt.NDArray[np.float64]) -> Records:
    """Return the summary values of one tag, one a row."""
    columns = [_constant(_SCALAR[dialect], scalars), _bytes_of(scalars.astype("<f4"))]
    if dialect == "own":
        columns += [_constant(_EXACT, scalars), _bytes_of(scalars.astype("<f8"))]
    name = _delimited(b"\x0a", tag.encode())
    head = b"\x0a" + _varint(len(name) + sum(column.shape[1] for column in columns)) + name
    return np.hstack([_constant(head, scalars), *columns])


def _image_event(step: int, encoded: bytes) -> Iterator[bytes]:
    """Yield the parts of the record of a 512 x 512 picture."""
    picture = b"\x08\x80\x04\x10\x80\x04\x18\x03" + _delimited(_IMAGE, encoded)
    value = _delimited(b"\x0a", b"picture") + _delimited(_IMAGE, picture)
    summary = _delimited(b"\x2a", _delimited(b"\x0a", value))
    yield framing.frame(_wall_times(np.array([step])).tobytes() + b"\x10" + _varint(step) + summary)


def _frame_rows(payloads: Records) -> Records:
    """Return the record of each row."""
    header = framing.frame(bytes(payloads.shape[1]))[: framing.HEADER_BYTES]
    return np.hstack([_constant(header, payloads), payloads, _bytes_of(framing.masked_crcs(payloads).astype("<u4"))])


def _wall_times(steps: Int64s) -> Records:
    return np.hstack([_constant(b"\x09", steps), _bytes_of((BEGAN + steps / 1000).astype("<f8"))])


def _varints(numbers: Int64s, length: int) -> Records:
    """Return numbers that all take this many bytes, one a row."""
    groups = (numbers[:, None] >> (7 * np.arange(length))) & 0x7F
    groups[:, :-1] |= 0x80
    return groups.astype(np.uint8)


def _varint(number: int) -> bytes:
    length = max(1, -(-number.bit_length() // 7))
    return _varints(np.array([number]), length).tobytes()


def _delimited(key: bytes, content: bytes) -> bytes:
    return key + _varint(len(content)) + content


def _constant(content: bytes, rows: npt.NDArray[np.generic]) -> Records:
    """Return content once for each of rows."""
    return np.broadcast_to(np.frombuffer(content, np.uint8), (len(rows), len(content)))


def _bytes_of(column: npt.NDArray[np.generic]) -> Records:
    return column.view(np.uint8).reshape(len(column), -1)
