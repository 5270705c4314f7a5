"""Array replies: nested lists in JSON, or a streamed .npy file."""

import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from fastapi.responses import StreamingResponse
from typing_extensions import TypeAliasType

from toposcope.server.api.replies.json_reply import Number
from toposcope.server.text.json_values import number_text

Nested = TypeAliasType("Nested", "Number | bool | list[Nested]")
"""A number, or nested lists of numbers."""
_CHUNK_BYTES = 1 << 20


def nested(values: npt.NDArray[Any]) -> Any:
    """Return an array for json_reply: floats as doubles, complex numbers as [real, imaginary]."""
    if values.dtype.kind == "c":
        parts = np.ascontiguousarray(values)
        values = np.stack([parts.real, parts.imag], axis=-1)
    if values.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # Converting a signalling NaN sets the invalid flag.
            values = values.astype(np.float64)
        is_finite = np.isfinite(values)
        if not is_finite.all():
            cells = values.astype(object)
            cells[~is_finite] = [number_text(value) for value in values[~is_finite].tolist()]
            return cells.tolist()
    return np.ascontiguousarray(values) if values.ndim else values.item()


def npy_reply(values: npt.NDArray[Any], name: str, headers: Mapping[str, str]) -> StreamingResponse:
    """Return an array as an .npy file; elements are copied only if they are not contiguous."""
    values = np.ascontiguousarray(values).reshape(values.shape)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(values))
    length = len(head.getvalue()) + values.nbytes
    disposition = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Length": str(length)}
    return StreamingResponse(
        _npy(head.getvalue(), values), media_type="application/octet-stream", headers={**headers, **disposition}
    )


def _npy(head: bytes, values: npt.NDArray[Any]) -> Iterator[memoryview]:
    yield memoryview(head)
    elements = values.reshape(-1).view(np.uint8).data
    for start in range(0, len(elements), _CHUNK_BYTES):
        yield elements[start : start + _CHUNK_BYTES]
