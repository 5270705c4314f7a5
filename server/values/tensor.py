"""Tensors of both dialects as arrays that look at the payload's own bytes wherever these are the elements."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.data_types import DTYPES, bfloat16_values
from toposcope.server.values.fields import LONGEST_VARINT, fields, integer, integers, joined

_MOST_DIMS = 32
_MOST_FILLED = 1 << 22
"""Elements that a message may claim without holding them: all equal to its last one."""

# Fields of MindSpore's TensorProto; see proto/tensor.proto.
_DIMS, _DATA_TYPE, _FLOAT_DATA, _RAW_DATA = 1, 2, 3, 8
# Fields of TensorBoard's TensorProto; see proto/tensorboard.proto.
_TB_DTYPE, _TB_SHAPE, _TB_CONTENT, _TB_STRING, _TB_HALF = 1, 2, 4, 8, 13


class Tensor(NamedTuple):
    """A tensor of an event file."""

    dtype: str
    """NumPy's name of the data type, or "bfloat16", or what the file calls elements that are no numbers."""
    dims: tuple[int, ...]
    """Sizes, outermost first."""
    values: npt.NDArray[Any] | None
    """The elements in their shape, never to be written to; bfloat16 as the equal float32. None: they are no numbers."""


class _Layout(NamedTuple):
    """How TensorBoard's TensorProto holds elements of one data type."""

    name: str
    dtype: str
    fields: tuple[int, ...]
    """Those that may hold the elements when tensor_content does not."""


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
    """Return the tensor that a TensorProto holds, exactly where the file has it exactly.

    Toposcope writes every data type exactly; MindSpore writes float32 only, whatever the data type says, so that its
    large integers and doubles are what float32 left of them.

    Args:
        payload: TensorProto of the dialect.
        dialect: "mindspore" or "tensorboard".

    Raises:
        ValueError: the message is malformed, or its elements do not fit its dims.
    """
    found = _contents(payload)
    return _mindspore(found) if dialect == "mindspore" else _tensorboard(found)


def read_strings(payload: bytes) -> tuple[tuple[int, ...], list[memoryview]]:
    """Return (dims, elements in row-major order) of TensorBoard's TensorProto of strings.

    Raises:
        ValueError: the message is malformed, or holds something else.
    """
    found = _contents(payload)
    code = _last_integer(found, _TB_DTYPE)
    if code != _STRING:
        raise ValueError(f"a tensor of TensorBoard's data type {code} holds no strings")
    strings = found.get(_TB_STRING, [])
    dims = _tensorboard_dims(found)
    if math.prod(dims) != len(strings):
        raise ValueError(f"{len(strings)} strings do not fill a tensor of dims {list(dims)}")
    return dims, strings


def _contents(payload: bytes) -> dict[int, list[memoryview]]:
    """Return what each field of a message holds, every time it stands there."""
    found: dict[int, list[memoryview]] = {}
    for number, content in fields(memoryview(payload)):
        found.setdefault(number, []).append(content)
    return found


def _last_integer(found: Mapping[int, list[memoryview]], number: int) -> int:
    """Return the number that a field holds; 0 when it is missing."""
    return integer(found[number][-1]) if number in found else 0


def _checked(dims: Iterable[int]) -> tuple[int, ...]:
    checked = tuple(dims)
    if len(checked) > _MOST_DIMS or min(checked, default=0) < 0:
        shown = f"{list(checked[:_MOST_DIMS])}{' ...' if len(checked) > _MOST_DIMS else ''}"
        raise ValueError(f"the dims {shown} are no shape: expected {_MOST_DIMS} at most, none negative")
    return checked


def _shaped(elements: npt.NDArray[Any], dims: tuple[int, ...], dtype: str) -> npt.NDArray[Any]:
    if elements.size != math.prod(dims):
        raise ValueError(f"{elements.size} elements of {dtype} do not fit the dims {list(dims)}")
    return elements.reshape(dims)


def _elements(raw: memoryview, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return bytes as an array that looks at them."""
    exact = np.dtype(dtype)
    if len(raw) % exact.itemsize:
        raise ValueError(f"{len(raw)} bytes are no whole number of elements of {exact}")
    if exact == np.bool_:  # Of the bytes of a bool only 0 and 1 mean something to NumPy.
        return np.frombuffer(raw, np.uint8).astype(np.bool_)
    return np.frombuffer(raw, exact)


def _mindspore(found: Mapping[int, list[memoryview]]) -> Tensor:
    code = _last_integer(found, _DATA_TYPE)
    dims = _mindspore_dims(found)
    dtype = DTYPES.get(code)
    if dtype is None:
        return Tensor(_mindspore_name(code), dims, None)
    name = "bfloat16" if code == codes.DT_BFLOAT16 else dtype.name
    return Tensor(name, dims, _shaped(_mindspore_elements(found, code, dtype), dims, name))


def _mindspore_dims(found: Mapping[int, list[memoryview]]) -> tuple[int, ...]:
    packed = joined(found.get(_DIMS, []))
    return _checked(integers([packed[: _MOST_DIMS * LONGEST_VARINT + 1]]).tolist())


def _mindspore_name(code: int) -> str:
    known = code in codes.DataType.values()
    return codes.DataType.Name(codes.DataType.ValueType(code)).removeprefix("DT_").lower() if known else f"type {code}"


def _mindspore_elements(found: Mapping[int, list[memoryview]], code: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if _RAW_DATA in found:
        raw = _elements(found[_RAW_DATA][-1], dtype)
        return bfloat16_values(raw) if code == codes.DT_BFLOAT16 else raw
    singles = _elements(joined(found.get(_FLOAT_DATA, [])), "<f4")
    if code == codes.DT_BFLOAT16:
        return singles
    with np.errstate(invalid="ignore", over="ignore"):  # A NaN is no integer; float32's largest is no float16.
        return singles.astype(dtype, copy=False)


def _tensorboard(found: Mapping[int, list[memoryview]]) -> Tensor:
    code = _last_integer(found, _TB_DTYPE)
    dims = _tensorboard_dims(found)
    layout = _LAYOUTS.get(code)
    if layout is None:
        return Tensor("string" if code == _STRING else f"type {code}", dims, None)
    content = found.get(_TB_CONTENT, [memoryview(b"")])[-1]
    elements = _elements(content, layout.dtype) if len(content) else _stored(found, layout)
    if layout.name == "bfloat16" and elements.dtype == np.uint16:
        elements = bfloat16_values(elements)
    return Tensor(layout.name, dims, _shaped(_filled(elements, dims, layout.name), dims, layout.name))


def _tensorboard_dims(found: Mapping[int, list[memoryview]]) -> tuple[int, ...]:
    """Return the sizes in a TensorShapeProto; a size that is left out is 0."""
    sizes = []
    for shape in found.get(_TB_SHAPE, []):
        for number, dim in fields(shape):
            if number == 2:
                sizes.append(next((integer(size) for field, size in fields(dim) if field == 1), 0))
            if len(sizes) > _MOST_DIMS:
                break
    return _checked(sizes)


def _stored(found: Mapping[int, list[memoryview]], layout: _Layout) -> npt.NDArray[Any]:
    """Return the elements that stand in a field of their own, not copied where their bytes are the elements."""
    number = next((number for number in layout.fields if number in found), None)
    if number is None:
        return np.empty(0, layout.dtype)
    if number in _FIXED_WIDTH:
        return _elements(joined(found[number]), _FIXED_WIDTH[number])
    if number != _TB_HALF:
        return integers(found[number], layout.dtype)
    bits = integers(found[number], np.int32)
    # PyTorch's writer puts the bits of the equal float32 there; but for zero, no half precision number's fit 16 bits.
    if np.any((bits < 0) | (bits > 0xFFFF)):
        singles = bits.view(np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            return singles if layout.name == "bfloat16" else singles.astype(np.float16)
    return bits.astype(np.uint16).view(layout.dtype)


def _filled(elements: npt.NDArray[Any], dims: tuple[int, ...], dtype: str) -> npt.NDArray[Any]:
    """Return as many elements as dims say: TensorBoard's format leaves out those that equal the last one, or zero."""
    missing = math.prod(dims) - elements.size
    if missing <= 0:
        return elements
    if missing > _MOST_FILLED:
        raise ValueError(f"{elements.size} elements of {dtype} do not fit the dims {list(dims)}")
    return np.concatenate([elements, np.full(missing, elements[-1] if elements.size else 0, elements.dtype)])
