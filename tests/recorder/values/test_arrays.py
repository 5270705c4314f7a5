"""Array-likes as arrays of our own. Real tensors of PyTorch, JAX and MindSpore are tried by `make interop`."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from toposcope.proto import tensor_pb2 as codes
from toposcope.recorder.values.arrays import array_from
from toposcope.recorder.values.foreign import UnreadableValueError

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
def test_every_dtype_is_kept(dtype: str, order: str) -> None:
    """Whatever the byte order, the numbers are the same and their type is named."""
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
def test_layout_in_memory_does_not_matter(original: Any) -> None:
    """Views, single numbers and empty arrays come out in C order, in their shape."""
    array = array_from(original)

    assert array.values.flags.c_contiguous
    assert array.values.shape == original.shape
    np.testing.assert_array_equal(array.values, original)


def test_copy_is_not_shared() -> None:
    """What the training does to its array afterwards does not change what is recorded."""
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
def test_numbers_and_lists_are_arrays(value: object, code: int, listed: object) -> None:
    """Plain Python has the types that NumPy gives it; long doubles become doubles."""
    array = array_from(value)

    assert (array.data_type, array.values.tolist()) == (code, listed)


def test_bfloat16_keeps_its_bits() -> None:
    """NumPy knows bfloat16 by name only: the bits are recorded, and computed with as float32."""
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
def test_types_without_a_name_are_widened(dtype: Any, wider: Any) -> None:
    """The format has no code for them; a wider type holds all their numbers."""
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
def test_other_things_are_refused(value: object) -> None:
    """The message says what was given and what is wanted."""
    with pytest.raises(TypeError, match="array, a tensor of any framework, a number or nested lists"):
        array_from(value)


def test_failure_of_the_value_is_told_apart() -> None:
    """What goes wrong inside the value's own methods is no mistake of the caller."""

    class Broken:
        def __array__(self, *_: object, **__: object) -> None:
            raise RuntimeError("device is lost")

    with pytest.raises(UnreadableValueError, match="RuntimeError: device is lost"):
        array_from(Broken())


def test_dlpack_is_understood() -> None:
    """A tensor that offers nothing but DLPack is an array too."""

    class Exchangeable:
        def __dlpack__(self, **arguments: Any) -> object:
            return np.arange(3.0).__dlpack__(**arguments)

        def __dlpack_device__(self) -> tuple[int, int]:
            return np.arange(3.0).__dlpack_device__()

    assert array_from(Exchangeable()).values.tolist() == [0, 1, 2]


def test_masked_elements_are_nan() -> None:
    """What is masked is not the number that stands there; where there is no NaN it is refused."""
    assert str(array_from(np.ma.masked_array([1.0, 2.0], [False, True])).values.tolist()) == "[1.0, nan]"
    assert array_from(np.ma.masked_array([1, 2])).values.tolist() == [1, 2]
    with pytest.raises(TypeError, match="Masked elements"):
        array_from(np.ma.masked_array([1, 2], [False, True]))


def test_lists_may_hold_arrays() -> None:
    """Arrays and tensors in lists are as good as numbers, bfloat16 too."""
    arrays = [np.zeros(2, ml_dtypes.bfloat16), np.ones(2, np.float32)]

    assert array_from([arrays, (arrays[0], [2, 3])]).values.tolist() == [[[0, 0], [1, 1]], [[0, 0], [2, 3]]]


def test_list_that_holds_itself_is_refused() -> None:
    """There is no end to it, but there is to the patience."""
    endless: list[object] = []
    endless.append(endless)

    with pytest.raises(TypeError, match="nested lists"):
        array_from(endless)
