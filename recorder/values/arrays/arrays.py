"""Copies of arrays and tensors of any framework; a tensor on a device is transferred once."""

import sys
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.data_types import DTYPES, bfloat16_values
from toposcope.recorder.values.arrays.foreign_values import call_foreign, is_convertible, short_repr, unmasked
from toposcope.recorder.values.arrays.memory import MemoryPool

_EXPECTED = "an array, a tensor of any framework, a number or nested lists of numbers"
_pool = MemoryPool()
_CODES = {dtype: code for code, dtype in DTYPES.items() if code != codes.DT_BFLOAT16}


class Array(NamedTuple):
    """A private copy of an array."""

    values: npt.NDArray[Any]
    """Any shape, C order, little-endian. bfloat16 is stored as the uint16 of its bits."""
    data_type: int
    """The DataType of the elements."""

    @property
    def is_complex(self) -> bool:
        """True if the elements are complex numbers."""
        return self.values.dtype.kind == "c"

    def numbers(self) -> npt.NDArray[Any]:
        """Return the elements in a dtype that NumPy supports: bfloat16 is converted to float32, without loss."""
        return bfloat16_values(self.values) if self.data_type == codes.DT_BFLOAT16 else self.values


def array_from(value: object) -> Array:
    """Return a copy of value; a tensor on a device is transferred once.

    Types without a DataType are widened without loss (float8 to float32, int4 to int8); long doubles become doubles.
    Masked elements of floats become NaN.

    Raises:
        TypeError: value is not array-like, has elements other than numbers and booleans, or has masked elements that
            are not floats.
        UnreadableValueError: the value's own methods raised an error.
    """
    if not isinstance(value, _PLAIN) and not is_convertible(value, _CONVERSIONS):
        raise TypeError(f"The value must be {_EXPECTED}; {short_repr(value)} is of type {type(value).__name__}.")
    if isinstance(value, list | tuple):
        return _with_data_type(_from_lists(value), value)
    filled = unmasked(value)
    copy = call_foreign(lambda: _copy(filled))
    return copy if isinstance(copy, Array) else _with_data_type(copy, value)


_NUMBERS = (bool, int, float, complex)
_PLAIN = (*_NUMBERS, list, tuple)
_CONVERSIONS = ("detach", "__array__", "__array_interface__", "__dlpack__")


def _from_lists(nested: object) -> npt.NDArray[Any]:
    try:
        return np.array(_with_arrays(nested), order="C")
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"The value must be {_EXPECTED}; {short_repr(nested)} is not: {error}") from None


def _with_arrays(item: object) -> object:
    """Return nested lists with their tensors converted to arrays."""
    if isinstance(item, list | tuple):
        return [_with_arrays(inner) for inner in item]
    if isinstance(item, _NUMBERS) or not is_convertible(item, _CONVERSIONS):
        return item
    return array_from(item).numbers()


def _copy(value: Any) -> Array | npt.NDArray[Any]:
    if hasattr(value, "detach"):
        return _from_torch(value)
    is_exchanged = hasattr(value, "__dlpack__") and not hasattr(value, "__array__")
    return _pool.copy_of(np.from_dlpack(value) if is_exchanged else np.asarray(value))


def _from_torch(tensor: Any) -> Array | npt.NDArray[Any]:
    """Return a copy of a tensor of PyTorch, or of a framework with the same methods."""
    detached = tensor.detach()
    if getattr(detached, "is_cpu", False):
        with suppress(TypeError, RuntimeError):  # Types and layouts that NumPy does not have: see below.
            return _pool.copy_of(detached.numpy())
    on_host = _strided(detached.cpu() if hasattr(detached, "cpu") else detached)
    dtype = str(on_host.dtype)
    if dtype == "torch.bfloat16":
        # NumPy has no bfloat16: copy the bits as integers.
        bits = _pool.copy_of(on_host.view(sys.modules["torch"].int16).numpy())
        return Array(bits.view(np.uint16), codes.DT_BFLOAT16)
    if "float8" in dtype:
        on_host = on_host.float()
    array = on_host.numpy()
    if on_host.device == getattr(tensor, "device", None):
        return _pool.copy_of(array)
    return np.ascontiguousarray(array).reshape(array.shape)  # Transferred from a device: already a copy.


def _strided(tensor: Any) -> Any:
    """Return a dense tensor: sparse, quantized and lazily conjugated ones have no plain elements in memory."""
    if getattr(tensor, "is_quantized", False):
        tensor = tensor.dequantize()
    if "strided" not in str(getattr(tensor, "layout", "strided")):
        tensor = tensor.to_dense()
    return tensor.resolve_conj().resolve_neg() if hasattr(tensor, "resolve_conj") else tensor


def _with_data_type(copy: npt.NDArray[Any], value: object) -> Array:
    """Return copy with its DataType, converted to a dtype that has one."""
    if (code := _CODES.get(copy.dtype)) is not None:
        return Array(copy, code)
    if copy.dtype.name == "bfloat16":
        return Array(copy.view(np.uint16), codes.DT_BFLOAT16)
    with np.errstate(all="ignore"):  # A long double may exceed the range of doubles.
        copy = copy.astype(_stored_dtype(copy.dtype), copy=False)
    if copy.dtype not in _CODES:
        raise TypeError(f"The value must be {_EXPECTED}; {short_repr(value)} has dtype {copy.dtype.name}.")
    return Array(copy, _CODES[copy.dtype])


def _stored_dtype(dtype: npt.DTypeLike) -> npt.DTypeLike:
    """Return a little-endian dtype that has a DataType and represents all values of dtype, or else dtype."""
    dtype = np.dtype(dtype)
    if (little := dtype.newbyteorder("<")) in _CODES:
        return little
    # The remaining numeric types: those of ml_dtypes, which NumPy identifies by name only, and long doubles.
    family = dtype.name.rstrip("0123456789").split("_")[0].rstrip("0123456789")
    wider = {"int": np.int8, "uint": np.uint8, "complex": np.complex128, "clongdouble": np.complex128}
    if family in ("float", "longdouble"):
        return np.float32 if dtype.itemsize < 4 else np.float64
    return wider.get(family, dtype)
