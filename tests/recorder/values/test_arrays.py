"""Conversion of array-likes to arrays. `make interop` tests real tensors of PyTorch, JAX and MindSpore."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from toposcope.proto import tensor_pb2 as codes
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError

NATIVE = {
    "?": codes.DT_BOOL,
    "i1": codes.DT_INT8,
    "i2": codes.DT_INT16,
    "i4": codes.DT_INT32,
    "i8": codes.DT_INT64,
    "u1": codes.DT_UINT8,
    "u2": codes.DT_UINT16,
    "u4": codes.DT_UINT32,
    "u8": codes.DT_UINT64,
    "f2": codes.DT_FLOAT16,
    "f4": codes.DT_FLOAT32,
    "f8": codes.DT_FLOAT64,
    "c8": codes.DT_COMPLEX64,
    "c16": codes.DT_COMPLEX128,
}


@pytest.mark.parametrize("dtype", NATIVE)
@pytest.mark.parametrize("order", ["<", ">"])
def test_every_dtype_is_preserved(dtype: str, order: str) -> None:
    """The numbers and their type are preserved for both byte orders."""
    original = np.array([[0, 1], [1, 0]], order + dtype)

    array = array_from(original)

    assert array.data_type == NATIVE[dtype]
    assert array.values.dtype == np.dtype(dtype).newbyteorder("<")
    np.testing.assert_array_equal(array.values, original)


@pytest.mark.parametrize(
    "original",
    [
        np.arange(12.0).reshape(3, 4).T,
        np.arange(12.0)[::-2],
        np.broadcast_to(np.float32(2), (2, 3)),
        np.array(5.0),
        np.zeros((0, 3)),
        np.float16(1.5),
    ],
)
def test_memory_layout_is_irrelevant(original: Any) -> None:
    """Views, single numbers and empty arrays are converted to C order and keep their shape."""
    array = array_from(original)

    assert array.values.flags.c_contiguous
    assert array.values.shape == original.shape
    np.testing.assert_array_equal(array.values, original)


def test_copy_is_not_shared() -> None:
    """A later change of the original array does not change the copy."""
    original = np.zeros(3)
    array = array_from(original)

    original += 1

    assert array.values.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("value", "code", "listed"),
    [
        (True, codes.DT_BOOL, True),
        (3, codes.DT_INT64, 3),
        (0.1, codes.DT_FLOAT64, 0.1),
        (2j, codes.DT_COMPLEX128, 2j),
        ([[1, 2], [3, 4]], codes.DT_INT64, [[1, 2], [3, 4]]),
        ((0.5, 1), codes.DT_FLOAT64, [0.5, 1]),
        ([], codes.DT_FLOAT64, []),
        (np.longdouble(0.5), codes.DT_FLOAT64, 0.5),
        (np.clongdouble(0.5j), codes.DT_COMPLEX128, 0.5j),
    ],
)
def test_numbers_and_lists_are_converted(value: object, code: int, listed: object) -> None:
    """Python numbers have the types of NumPy; long doubles become doubles."""
    array = array_from(value)

    assert (array.data_type, array.values.tolist()) == (code, listed)


def test_bits_of_bfloat16_are_preserved() -> None:
    """The bits of bfloat16 are stored as integers; numbers() returns float32."""
    original = np.array([0.0, -0.0, 1.0, 3.14, 1e38, np.inf, -np.inf, np.nan], ml_dtypes.bfloat16)

    array = array_from(original)

    assert array.data_type == codes.DT_BFLOAT16
    assert array.values.tolist() == original.view(np.uint16).tolist()
    assert array.numbers().dtype == np.float32
    np.testing.assert_array_equal(array.numbers(), original.astype(np.float32))


@pytest.mark.parametrize(
    ("dtype", "wider"),
    [
        (ml_dtypes.float8_e4m3fn, np.float32),
        (ml_dtypes.float8_e5m2, np.float32),
        (ml_dtypes.int4, np.int8),
        (ml_dtypes.uint4, np.uint8),
    ],
)
def test_types_without_a_data_type_are_widened(dtype: Any, wider: Any) -> None:
    """Types without a DataType are converted to a wider type, without loss."""
    original = np.array([0, 1, 2, 3], dtype)

    array = array_from(original)

    assert array.values.dtype == wider
    assert array.values.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "value",
    [
        "text",
        b"bytes",
        None,
        {"a": 1},
        object(),
        np.float32,
        ["a"],
        [1, [2, 3]],
        10**30,
        np.array(["text"]),
        np.array([None]),
        np.array(["2026-11-21"], "M8[D]"),
        np.zeros(2, [("a", "f4")]),
    ],
)
def test_other_values_are_rejected(value: object) -> None:
    """The message names the accepted types."""
    with pytest.raises(TypeError, match="array, a tensor of any framework, a number or nested lists"):
        array_from(value)


def test_errors_of_the_value_are_unreadable_value_errors() -> None:
    """An error in the value's own methods is not an error of the caller."""

    class Broken:
        def __array__(self, *_: object, **__: object) -> None:
            raise RuntimeError("device is lost")

    with pytest.raises(UnreadableValueError, match="RuntimeError: device is lost"):
        array_from(Broken())


def test_dlpack_is_supported() -> None:
    """A tensor that supports only DLPack is converted."""

    class Exchangeable:
        def __dlpack__(self, **arguments: Any) -> object:
            return np.arange(3.0).__dlpack__(**arguments)

        def __dlpack_device__(self) -> tuple[int, int]:
            return np.arange(3.0).__dlpack_device__()

    assert array_from(Exchangeable()).values.tolist() == [0, 1, 2]


def test_masked_elements_are_nan() -> None:
    """Masked elements become NaN; they are rejected if the dtype has no NaN."""
    assert str(array_from(np.ma.masked_array([1.0, 2.0], [False, True])).values.tolist()) == "[1.0, nan]"
    assert array_from(np.ma.masked_array([1, 2])).values.tolist() == [1, 2]
    with pytest.raises(TypeError, match="Masked elements"):
        array_from(np.ma.masked_array([1, 2], [False, True]))


def test_lists_may_contain_arrays() -> None:
    """Lists may contain arrays and tensors, also of bfloat16."""
    arrays = [np.zeros(2, ml_dtypes.bfloat16), np.ones(2, np.float32)]

    assert array_from([arrays, (arrays[0], [2, 3])]).values.tolist() == [[[0, 0], [1, 1]], [[0, 0], [2, 3]]]


def test_list_that_contains_itself_is_rejected() -> None:
    """Infinite recursion results in a TypeError."""
    endless: list[object] = []
    endless.append(endless)

    with pytest.raises(TypeError, match="nested lists"):
        array_from(endless)
