"""Tensors of both dialects as arrays, which are views of the payload where possible."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.data_types import DTYPES, bfloat16_values
from toposcope.server.values.fields import LONGEST_VARINT, fields, integer, integers, joined

_MAX_DIMS = 32
_MAX_FILLED = 1 << 22
"""Limit on implicit elements of a message, which equal its last element."""

# Fields of MindSpore's TensorProto; see proto/tensor.proto.
_DIMS, _DATA_TYPE, _FLOAT_DATA, _RAW_DATA = 1, 2, 3, 8
# Fields of TensorBoard's TensorProto; see proto/tensorboard.proto.
_TB_DTYPE, _TB_SHAPE, _TB_CONTENT, _TB_STRING, _TB_HALF = 1, 2, 4, 8, 13


class Tensor(NamedTuple):
    """A tensor of an event file."""

    dtype: str
    """NumPy name of the data type, "bfloat16", or the name in the file if the elements are not numbers."""
    dims: tuple[int, ...]
    """Dimensions, outermost first."""
    values: npt.NDArray[Any] | None
    """Read-only elements with shape dims, bfloat16 as float32; None if the elements are not numbers."""


class _Layout(NamedTuple):
    """Storage of the elements of one data type in TensorBoard's TensorProto."""

    name: str
    dtype: str
    fields: tuple[int, ...]
    """Fields that may contain the elements if tensor_content does not."""


# float_val, double_val, int_val, scomplex_val, int64_val, bool_val, dcomplex_val, half_val, uint32_val, uint64_val.
_FIXED_WIDTH = {5: "<f4", 6: "<f8", 9: "<c8", 12: "<c16"}
_INTEGERS = (7, 10, 11, 16, 17)
_LAYOUTS = {
    1: _Layout("float32", "<f4", (5,)),
    2: _Layout("float64", "<f8", (6,)),
    3: _Layout("int32", "<i4", _INTEGERS),
    4: _Layout("uint8", "u1", _INTEGERS),
    5: _Layout("int16", "<i2", _INTEGERS),
    6: _Layout("int8", "i1", _INTEGERS),
    8: _Layout("complex64", "<c8", (9,)),
    9: _Layout("int64", "<i8", _INTEGERS),
    10: _Layout("bool", "?", _INTEGERS),
    14: _Layout("bfloat16", "<u2", (_TB_HALF,)),
    17: _Layout("uint16", "<u2", _INTEGERS),
    18: _Layout("complex128", "<c16", (12,)),
    19: _Layout("float16", "<f2", (_TB_HALF,)),
    22: _Layout("uint32", "<u4", _INTEGERS),
    23: _Layout("uint64", "<u8", _INTEGERS),
}
_STRING = 7


def read_tensor(payload: bytes, dialect: str) -> Tensor:
    """Decode a TensorProto.

    Toposcope records every data type exactly. MindSpore records all data types as float32, so that large integers and
    doubles are rounded.

    Args:
        payload: TensorProto of the dialect.
        dialect: "mindspore" or "tensorboard".

    Raises:
        ValueError: the message is malformed, or the number of elements does not match its dims.
    """
    contents = _contents(payload)
    return _mindspore(contents) if dialect == "mindspore" else _tensorboard(contents)


def read_strings(payload: bytes) -> tuple[tuple[int, ...], list[memoryview]]:
    """Decode a string tensor of TensorBoard; return (dims, elements in row-major order).

    Raises:
        ValueError: the message is malformed, or is not a string tensor.
    """
    contents = _contents(payload)
    code = _last_integer(contents, _TB_DTYPE)
    if code != _STRING:
        raise ValueError(f"expected a tensor of strings, but its data type has the code {code}")
    strings = contents.get(_TB_STRING, [])
    dims = _tensorboard_dims(contents)
    if math.prod(dims) != len(strings):
        raise ValueError(f"{len(strings)} strings do not match the dims {list(dims)}")
    return dims, strings


def _contents(payload: bytes) -> dict[int, list[memoryview]]:
    """Return the contents of each field of a message, in order."""
    contents: dict[int, list[memoryview]] = {}
    for number, content in fields(memoryview(payload)):
        contents.setdefault(number, []).append(content)
    return contents


def _last_integer(contents: Mapping[int, list[memoryview]], number: int) -> int:
    """Return the last value of an integer field; 0 if it is missing."""
    return integer(contents[number][-1]) if number in contents else 0


def _checked(dims: Iterable[int]) -> tuple[int, ...]:
    checked = tuple(dims)
    if len(checked) > _MAX_DIMS or min(checked, default=0) < 0:
        shown = f"{list(checked[:_MAX_DIMS])}{' ...' if len(checked) > _MAX_DIMS else ''}"
        raise ValueError(f"invalid dims {shown}: expected at most {_MAX_DIMS}, none of them negative")
    return checked


def _shaped(elements: npt.NDArray[Any], dims: tuple[int, ...], dtype: str) -> npt.NDArray[Any]:
    if elements.size != math.prod(dims):
        raise ValueError(f"{elements.size} elements of {dtype} do not match the dims {list(dims)}")
    return elements.reshape(dims)


def _elements(raw: memoryview, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return a view of bytes as an array."""
    exact = np.dtype(dtype)
    if len(raw) % exact.itemsize:
        raise ValueError(f"{len(raw)} bytes are not a whole number of elements of {exact}")
    if exact == np.bool_:  # NumPy requires the bytes of bools to be 0 or 1.
        return np.frombuffer(raw, np.uint8).astype(np.bool_)
    return np.frombuffer(raw, exact)


def _mindspore(contents: Mapping[int, list[memoryview]]) -> Tensor:
    code = _last_integer(contents, _DATA_TYPE)
    dims = _mindspore_dims(contents)
    dtype = DTYPES.get(code)
    if dtype is None:
        return Tensor(_mindspore_name(code), dims, None)
    name = "bfloat16" if code == codes.DT_BFLOAT16 else dtype.name
    return Tensor(name, dims, _shaped(_mindspore_elements(contents, code, dtype), dims, name))


def _mindspore_dims(contents: Mapping[int, list[memoryview]]) -> tuple[int, ...]:
    packed = joined(contents.get(_DIMS, []))
    return _checked(integers([packed[: _MAX_DIMS * LONGEST_VARINT + 1]]).tolist())


def _mindspore_name(code: int) -> str:
    is_known = code in codes.DataType.values()
    return (
        codes.DataType.Name(codes.DataType.ValueType(code)).removeprefix("DT_").lower() if is_known else f"type {code}"
    )


def _mindspore_elements(contents: Mapping[int, list[memoryview]], code: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if _RAW_DATA in contents:
        raw = _elements(contents[_RAW_DATA][-1], dtype)
        return bfloat16_values(raw) if code == codes.DT_BFLOAT16 else raw
    singles = _elements(joined(contents.get(_FLOAT_DATA, [])), "<f4")
    if code == codes.DT_BFLOAT16:
        return singles
    with np.errstate(invalid="ignore", over="ignore"):  # NaN is not an integer, and large float32 exceed float16.
        return singles.astype(dtype, copy=False)


def _tensorboard(contents: Mapping[int, list[memoryview]]) -> Tensor:
    code = _last_integer(contents, _TB_DTYPE)
    dims = _tensorboard_dims(contents)
    layout = _LAYOUTS.get(code)
    if layout is None:
        return Tensor("string" if code == _STRING else f"type {code}", dims, None)
    content = contents.get(_TB_CONTENT, [memoryview(b"")])[-1]
    elements = _elements(content, layout.dtype) if len(content) else _stored(contents, layout)
    if layout.name == "bfloat16" and elements.dtype == np.uint16:
        elements = bfloat16_values(elements)
    return Tensor(layout.name, dims, _shaped(_filled(elements, dims, layout.name), dims, layout.name))


def _tensorboard_dims(contents: Mapping[int, list[memoryview]]) -> tuple[int, ...]:
    """Return the sizes in a TensorShapeProto; a missing size is 0."""
    sizes = []
    for shape in contents.get(_TB_SHAPE, []):
        for number, dim in fields(shape):
            if number == 2:
                sizes.append(next((integer(size) for field, size in fields(dim) if field == 1), 0))
            if len(sizes) > _MAX_DIMS:
                break
    return _checked(sizes)


def _stored(contents: Mapping[int, list[memoryview]], layout: _Layout) -> npt.NDArray[Any]:
    """Return the elements from the field of their data type, as a view if possible."""
    number = next((number for number in layout.fields if number in contents), None)
    if number is None:
        return np.empty(0, layout.dtype)
    if number in _FIXED_WIDTH:
        return _elements(joined(contents[number]), _FIXED_WIDTH[number])
    if number != _TB_HALF:
        return integers(contents[number], layout.dtype)
    bits = integers(contents[number], np.int32)
    # PyTorch stores the bits of the equal float32, which need more than 16 bits for all numbers except zero.
    if np.any((bits < 0) | (bits > 0xFFFF)):
        singles = bits.view(np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            return singles if layout.name == "bfloat16" else singles.astype(np.float16)
    return bits.astype(np.uint16).view(layout.dtype)


def _filled(elements: npt.NDArray[Any], dims: tuple[int, ...], dtype: str) -> npt.NDArray[Any]:
    """Return all elements: TensorBoard omits trailing elements that equal the last one, or zero if there is none."""
    missing = math.prod(dims) - elements.size
    if missing <= 0:
        return elements
    if missing > _MAX_FILLED:
        raise ValueError(f"{elements.size} elements of {dtype} do not match the dims {list(dims)}")
    return np.concatenate([elements, np.full(missing, elements[-1] if elements.size else 0, elements.dtype)])
