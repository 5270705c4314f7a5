"""What the loading process and a worker send each other, over a pair of connected sockets.

To the worker: frames of 8 bytes, a kind and a length, and their content, which is pickled. A slab is a frame without
content, with a descriptor. To the loading process, which trusts no worker: a line of JSON each.
"""

import io
import pickle
import socket
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.loading.publishing.snapshot import Snapshot, Update
from toposcope.server.reading.file_view import FileView
from toposcope.server.reports.process_report import Reports
from toposcope.server.runs.recordings.file_activity import FileActivity
from toposcope.server.workers.settings import Settings
from toposcope.server.workers.shared_memory import ArrayReference

_HEAD = struct.Struct("<II")
SETTINGS, SLAB, PATCH, UPDATES, REPORTS = range(5)
"""Kinds of frames."""


class FilePatch(NamedTuple):
    """How an event file differs from what the worker has."""

    view: FileView
    """Its series are only those that changed, in the order of the file."""
    is_whole: bool
    """Whether the worker must forget the other series."""


class RunPatch(NamedTuple):
    """A run that differs."""

    files: list[str] | None
    """Paths in order; None: the values of the run have not changed."""
    revision: int
    state_revision: int
    live: bool
    activities: Mapping[str, FileActivity]
    seen: float


class Patch(NamedTuple):
    """How a snapshot differs from what the worker has."""

    number: int
    """The last change that the worker has then, which it acknowledges; -1: it has no whole snapshot yet."""
    snapshot: Snapshot | None
    """Without its runs; None: other patches follow that belong to it too."""
    files: list[FilePatch]
    runs: dict[str, RunPatch]
    removed: list[str]
    """Names of runs."""


class Frame(NamedTuple):
    """A frame that was received."""

    kind: int
    content: bytes
    descriptor: int | None


Message = Settings | Patch | list[Update] | Reports


def encode(message: Message, reference: Callable[[npt.NDArray[Any]], ArrayReference | None]) -> bytes:
    """Pickle a message; `reference` returns where an array is in shared memory, None if it must be copied."""
    out = io.BytesIO()
    pickler = pickle.Pickler(out, 5)

    def reduce_array(array: npt.NDArray[Any]) -> Any:
        place = reference(array)
        if place is not None:
            return _array_at, tuple(place)
        return np.frombuffer, (array.tobytes(), array.dtype.str)  # All columns have one dimension.

    pickler.dispatch_table = {np.ndarray: reduce_array}
    pickler.dump(message)
    return out.getvalue()


def _array_at(*_: Any) -> npt.NDArray[Any]:
    raise AssertionError("decode() has another function in its place")


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, array_at: Callable[[ArrayReference], npt.NDArray[Any]]) -> None:
        super().__init__(io.BytesIO(content))

        def array(*place: Any) -> npt.NDArray[Any]:
            return array_at(ArrayReference(*place))

        self._array = array  # Not a method: it would make the unpickler, which has all that it returned, a cycle.

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (__name__, _array_at.__name__):
            return self._array
        return super().find_class(module, name)


def decode(content: bytes, array_at: Callable[[ArrayReference], npt.NDArray[Any]]) -> Any:
    """Return the message in the content of a frame; `array_at` returns an array in shared memory."""
    return _Unpickler(content, array_at).load()


def send_frame(channel: socket.socket, kind: int, content: bytes = b"", descriptor: int | None = None) -> None:
    """Send a frame.

    Raises:
        OSError: the other process has ended.
    """
    head = _HEAD.pack(kind, len(content))
    if descriptor is not None:
        socket.send_fds(channel, [head], [descriptor])
    else:
        channel.sendall(head)
        channel.sendall(content)


def receive_frame(channel: socket.socket) -> Frame | None:
    """Wait for a frame and return it; None if the other process has ended."""
    try:
        head, descriptors, *_ = socket.recv_fds(channel, _HEAD.size, 1)
        head += _receive(channel, _HEAD.size - len(head))
        if len(head) < _HEAD.size:
            return None
        kind, length = _HEAD.unpack(head)
        content = _receive(channel, length)
    except OSError:
        return None
    return Frame(kind, content, descriptors[0] if descriptors else None) if len(content) == length else None


def _receive(channel: socket.socket, length: int) -> bytes:
    """Return so many bytes; fewer if the other process has ended."""
    content = bytearray(length)
    view, at = memoryview(content), 0
    while at < length:
        size = channel.recv_into(view[at:])
        if not size:
            break
        at += size
    return bytes(content[:at])
