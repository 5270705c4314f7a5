"""Reads the vectors of an embedding: tab-separated text, or raw little-endian float32."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check
from toposcope.server.embeddings.files.folder import UnreadableError
from toposcope.server.places.place import OpenFile

Float32s = npt.NDArray[np.float32]

MAX_DIMENSIONS = 16_384
MAX_ELEMENTS = 1 << 27
_READ_BYTES = 4 << 20
_LONGEST_LINE = 64 * MAX_DIMENSIONS
_RAW = "<f4"


def read_vectors(file: OpenFile, name: str, shape: Sequence[int]) -> Float32s:
    """Return the vectors of a file.

    Args:
        file: is read completely.
        name: of the file, for messages.
        shape: of raw vectors, (n, dimensions), as the list states it; a file of this size that is no text is raw.

    Returns:
        float32[n, dimensions], n and dimensions > 0; elements may be NaN or infinite.

    Raises:
        UnreadableError: the file is malformed or too large.
        OSError: it cannot be read at present.
        CancelledError: nobody waits for the result any more.
    """
    is_text = name.endswith((".tsv", ".txt"))
    if not is_text and len(shape) == 2 and file.status.size == 4 * math.prod(shape):
        return _read_raw(file, name, shape)
    if name.endswith(".bytes"):
        expected = f"shape {list(shape)} of the list" if shape else "a shape in the list, which has none"
        raise UnreadableError(f"{name!r} has {file.status.size} bytes, which do not match {expected}")
    return _read_text(file, name)


def _read_raw(file: OpenFile, name: str, shape: Sequence[int]) -> Float32s:
    _check_size(name, shape[0], shape[1])
    vectors = np.empty(tuple(shape), _RAW)
    content = vectors.data.cast("B")
    for begin in range(0, len(content), _READ_BYTES):
        check()
        part = content[begin : begin + _READ_BYTES]
        if file.read_into(part, begin) < len(part):
            raise UnreadableError(f"{name!r} became shorter while it was read")
    return vectors.astype(np.float32, copy=False)


def _read_text(file: OpenFile, name: str) -> Float32s:
    lines = _lines(file, name)
    try:
        first = next(lines)
        dimensions = first.count("\t") + 1
        _check_size(name, 1, dimensions)
        rows = _bounded(first, lines, name, MAX_ELEMENTS // dimensions)
        with np.errstate(over="ignore"):
            return np.loadtxt(rows, np.float32, delimiter="\t", comments=None, ndmin=2)
    except StopIteration:
        raise UnreadableError(f"{name!r} has no vectors") from None
    except UnreadableError:
        raise
    except ValueError as error:
        raise UnreadableError(f"{name!r} is malformed: {str(error).partition(';')[0][:200]}") from None


def _bounded(first: str, lines: Iterator[str], name: str, most: int) -> Iterator[str]:
    yield first
    for number, line in enumerate(lines, 2):
        if number > most:
            raise UnreadableError(f"{name!r} has more than {most} vectors of this length")
        yield line


def _lines(file: OpenFile, name: str) -> Iterator[str]:
    """Yield the lines that are not empty."""
    at, rest = 0, b""
    while part := file.read(at, _READ_BYTES):
        check()
        at += len(part)
        *lines, rest = (rest + part).split(b"\n")
        if len(rest) > _LONGEST_LINE:
            raise UnreadableError(f"{name!r} has a line of more than {_LONGEST_LINE} bytes: expected a vector a line")
        yield from (line.decode("latin-1") for line in lines if line.strip())
    if rest.strip():
        yield rest.decode("latin-1")


def _check_size(name: str, number: int, dimensions: int) -> None:
    """Check the shape of vectors before they take memory."""
    if not number or not dimensions:
        raise UnreadableError(f"{name!r} has no vectors")
    if dimensions > MAX_DIMENSIONS:
        raise UnreadableError(f"{name!r} has {dimensions} columns: expected at most {MAX_DIMENSIONS}")
    if number * dimensions > MAX_ELEMENTS:
        raise UnreadableError(f"{name!r} has {number * dimensions} numbers: expected at most {MAX_ELEMENTS}")
