"""MappedCheckpoint: the numbers of a .safetensors file, read in flat pieces without loading the file."""

import hashlib
import json
import math
import mmap
import os
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.checkpoints.files.atomic_file import atomic_file
from toposcope.recorder.landscapes.weights.layout import Layout

Float32s = npt.NDArray[np.float32]
_MAX_HEADER_BYTES = 1 << 27
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""Floating-point dtypes, by their names in the format: https://huggingface.co/docs/safetensors."""
_MAX_MAPS = 128
_NOTHING = np.empty(0, np.float32)


class StoredTensor(NamedTuple):
    """A floating-point tensor in a file."""

    dtype: str
    """The name of the dtype in the format."""
    shape: tuple[int, ...]
    start: int
    """Position of its first byte in the file."""


class FileState(NamedTuple):
    """The identity of a file, known without reading it."""

    device: int
    number: int
    size: int
    changed: int
    """Nanoseconds since 1970."""


class MappedFiles:
    """Memory maps of files, with a limit on how many are open at a time, since each uses a file descriptor."""

    def __init__(self) -> None:
        """Start without maps."""
        self._maps: OrderedDict[str, mmap.mmap] = OrderedDict()

    def content(self, path: str, state: FileState) -> mmap.mmap:
        """Return the map of a file; ValueError if the file is no longer in this state."""
        if path not in self._maps:
            with open(path, "rb") as file:
                if state_of(file.fileno()) != state:
                    raise ValueError(f"{path!r} was replaced by another file while it was in use.")
                self._maps[path] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._maps.move_to_end(path)
        while len(self._maps) > _MAX_MAPS:
            self._maps.popitem(last=False)  # Views of the map keep it open.
        return self._maps[path]

    def forget(self, path: str) -> None:
        """Remove the map of a file."""
        self._maps.pop(path, None)


class MappedCheckpoint:
    """The floating-point tensors of one checkpoint; other tensors are left out."""

    def __init__(self, path: str, files: MappedFiles) -> None:
        """Read the header of a file; its map is in *files*.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is not a complete .safetensors file.
        """
        self.path = path
        self._files = files
        with open(path, "rb") as file:
            self.state = state_of(file.fileno())
            self.tensors = _stored_tensors(file, path)
        files.content(path, self.state)

    def check(self, layout: Layout) -> None:
        """Raise ValueError if a tensor of *layout* is missing or has another shape."""
        for tensor in layout.tensors:
            stored = self.tensors.get(tensor.name)
            if stored is None:
                raise ValueError(
                    f"{self.path!r} has no floating-point tensor {tensor.name!r}, which the network has: it is a "
                    "checkpoint of another network."
                )
            if stored.shape != tensor.shape:
                raise ValueError(
                    f"{tensor.name!r} has the shape {stored.shape} in {self.path!r} and {tensor.shape} in the network: "
                    "it is a checkpoint of another network."
                )

    def read(self, layout: Layout, start: int, stop: int) -> Float32s:
        """Return the numbers [start, stop) of the flat vector, float32; they may be a view of the map."""
        parts = []
        place = bisect_right(layout.tensors, start, key=lambda tensor: tensor.start) - 1
        while place < len(layout.tensors) and (tensor := layout.tensors[place]).start < stop:
            first, past = max(start, tensor.start), min(stop, tensor.stop)
            parts.append(self._numbers(self.tensors[tensor.name], first - tensor.start, past - first))
            place += 1
        return parts[0] if len(parts) == 1 else np.concatenate([_NOTHING, *parts])

    def sha256(self) -> str:
        """Return the hash of the names, shapes and numbers of the tensors, which files with equal tensors share."""
        content, hashed = memoryview(self._files.content(self.path, self.state)), hashlib.sha256()
        for name, tensor in sorted(self.tensors.items()):
            size = math.prod(tensor.shape) * np.dtype(_DTYPES[tensor.dtype]).itemsize
            hashed.update(f"{name} {tensor.dtype} {tensor.shape}\n".encode())
            hashed.update(content[tensor.start : tensor.start + size])
        return hashed.hexdigest()

    def _numbers(self, stored: StoredTensor, first: int, count: int) -> Float32s:
        dtype = np.dtype(_DTYPES[stored.dtype])
        content = self._files.content(self.path, self.state)
        numbers = np.frombuffer(content, dtype, count, stored.start + first * dtype.itemsize)
        if stored.dtype == "BF16":  # The upper half of a float32.
            return (numbers.astype(np.uint32) << 16).view(np.float32)
        return numbers.astype(np.float32, copy=False)


def state_of(descriptor: int) -> FileState:
    """Return the identity of the file behind a descriptor."""
    stat = os.fstat(descriptor)
    return FileState(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)


def write_tensors(tensors: Mapping[str, Any], path: str) -> None:
    """Write the floating-point tensors among arrays as float32 into a .safetensors file, completely or not at all.

    Raises:
        OSError: it cannot be written.
    """
    arrays = {name: np.asarray(tensor) for name, tensor in tensors.items()}
    kept = {name: np.ascontiguousarray(a, "<f4") for name, a in arrays.items() if a.dtype.kind == "f" or _is_bf16(a)}
    header: dict[str, Any] = {}
    start = 0
    for name, array in kept.items():
        # From the original array: a contiguous copy of a scalar has one dimension.
        shape = list(arrays[name].shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, start + array.nbytes]}
        start += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with atomic_file(path) as part, open(part, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in kept.values():
            file.write(array.data)


def _stored_tensors(file: BinaryIO, path: str) -> dict[str, StoredTensor]:
    size = os.fstat(file.fileno()).st_size
    header_bytes = int.from_bytes(file.read(8), "little")
    stored = {}
    try:
        if not 0 < header_bytes <= min(size - 8, _MAX_HEADER_BYTES):
            raise ValueError
        for name, entry in json.loads(file.read(header_bytes)).items():
            if name == "__metadata__":
                continue
            begin, end = entry["data_offsets"]
            if not 0 <= begin <= end <= size - 8 - header_bytes:
                raise ValueError
            if (dtype := entry["dtype"]) in _DTYPES:
                stored[name] = StoredTensor(dtype, tuple(entry["shape"]), 8 + header_bytes + begin)
                if math.prod(stored[name].shape) * np.dtype(_DTYPES[dtype]).itemsize != end - begin:
                    raise ValueError
        return stored
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):
        raise ValueError(f"{path!r} is not a complete .safetensors file: it is truncated or damaged.") from None


def _is_bf16(array: npt.NDArray[Any]) -> bool:
    return array.dtype.name == "bfloat16"
