"""Encoding of tensors: exact, and as float32 for MindInsight."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from support.tensor_messages import tensor_array

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.tensor_pb2 import TensorProto
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.tensor import encoded_size, tensor_parts

DTYPES = st.one_of(
    arrays.boolean_dtypes(),
    arrays.integer_dtypes(endianness="="),
    arrays.unsigned_integer_dtypes(endianness="="),
    arrays.floating_dtypes(endianness="=", sizes=(16, 32, 64)),
    arrays.complex_number_dtypes(endianness="=", sizes=(64, 128)),
)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


def to_proto(value: object) -> TensorProto:
    """Encode value and parse the result."""
    return TensorProto.FromString(b"".join(tensor_parts(array_from(value))))


@given(arrays.arrays(DTYPES, SHAPES))
def test_tensors_round_trip_bit_for_bit(original: np.ndarray) -> None:
    """Shape, dtype and bits are preserved, including those of NaN."""
    read = tensor_array(to_proto(original))

    assert (read.shape, read.dtype) == (original.shape, original.dtype)
    assert read.tobytes() == original.tobytes()


@given(arrays.arrays(DTYPES, SHAPES))
def test_other_readers_see_float32(original: np.ndarray) -> None:
    """float_data contains a float32 for each element; for complex numbers it is the real part."""
    tensor = to_proto(original)

    with np.errstate(over="ignore", invalid="ignore"):
        expected = original.real.astype(np.float32).ravel()
    np.testing.assert_array_equal(np.array(tensor.float_data, np.float32), expected)
    assert list(tensor.dims) == list(original.shape)


def test_bfloat16_is_read_as_float32() -> None:
    """For all 65,536 numbers; raw_data contains their bits."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    original = bits.view(ml_dtypes.bfloat16).reshape(256, 256)

    tensor = to_proto(original)

    assert tensor.data_type == codes.DT_BFLOAT16
    assert tensor.raw_data == bits.tobytes()
    np.testing.assert_array_equal(tensor_array(tensor), original.astype(np.float32))


def test_float32_is_stored_once() -> None:
    """float_data is exact, so raw_data is absent."""
    assert not to_proto(np.zeros(3, np.float32)).HasField("raw_data")


@pytest.mark.parametrize("dtype", ["f4", "f8", "u1"])
def test_encoded_size(dtype: str) -> None:
    """The estimated size, which is compared with the limit, is close to the actual one."""
    array = array_from(np.zeros((100, 100), dtype))

    assert 0 <= sum(map(len, tensor_parts(array))) - encoded_size(array) < 64


def test_elements_are_not_copied() -> None:
    """The parts share memory with the array."""
    array = array_from(np.zeros(1000, np.float32))

    assert any(np.shares_memory(np.frombuffer(part, np.uint8), array.values) for part in tensor_parts(array))
