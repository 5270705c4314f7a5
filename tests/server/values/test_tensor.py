"""Tensors of event files as arrays."""

import tracemalloc
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from support.summary_values import STRING, strings, tensorboard_tensor

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.tensor_pb2 import TensorProto
from toposcope.server.values.tensor import read_strings, read_tensor

# Code of the data type, NumPy's name, the field that TensorFlow puts the elements into.
TENSORBOARD = [
    (1, "float32", "float_val"),
    (2, "float64", "double_val"),
    (3, "int32", "int_val"),
    (4, "uint8", "int_val"),
    (4, "uint8", "uint32_val"),  # PyTorch does.
    (5, "int16", "int_val"),
    (6, "int8", "int_val"),
    (9, "int64", "int64_val"),
    (10, "bool", "bool_val"),
    (17, "uint16", "int_val"),
    (22, "uint32", "uint32_val"),
    (23, "uint64", "uint64_val"),
]
COMPLEX = [(8, "complex64", 9), (18, "complex128", 12)]


def read(message: Any, dialect: str = "tensorboard") -> np.ndarray[Any, Any]:
    """Return the elements of a message."""
    values = read_tensor(message.SerializeToString(), dialect).values
    assert values is not None
    return values


def test_tensors_of_mindspore_have_their_dtype() -> None:
    """MindSpore stores float32 only, which is converted to the data type."""
    array = read(TensorProto(dims=[2], data_type=codes.DT_INT64, float_data=[16777216, -1]), "mindspore")

    assert (array.dtype, array.tolist()) == (np.int64, [16777216, -1])


def test_bfloat16_of_mindspore() -> None:
    """Without raw data, the elements are read from float32."""
    tensor = TensorProto(dims=[1], data_type=codes.DT_BFLOAT16, float_data=[0.5])

    assert read_tensor(tensor.SerializeToString(), "mindspore")[:2] == ("bfloat16", (1,))
    assert read(tensor, "mindspore").tolist() == [0.5]


@pytest.mark.parametrize("field", ["float_data", "raw_data"])
def test_elements_are_not_copied(field: str) -> None:
    """The array is a view of the payload."""
    stored = np.arange(1 << 20, dtype=np.float32)
    elements = {"float_data": stored} if field == "float_data" else {"raw_data": stored.tobytes()}
    payload = TensorProto(dims=[1 << 20], data_type=codes.DT_FLOAT32, **elements).SerializeToString()

    tracemalloc.start()
    values = read_tensor(payload, "mindspore").values
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert values is not None
    np.testing.assert_array_equal(values, stored)
    assert np.shares_memory(values, np.frombuffer(payload, np.uint8))
    assert peak < 100_000


@pytest.mark.parametrize(
    "tensor",
    [
        TensorProto(dims=[3], data_type=codes.DT_FLOAT32, float_data=[1, 2]),
        TensorProto(dims=[3], data_type=codes.DT_INT64, raw_data=b"12345678"),
        TensorProto(dims=[1 << 62, 1 << 62], data_type=codes.DT_FLOAT32, float_data=[1]),
    ],
)
def test_wrong_number_of_elements_is_an_error(tensor: TensorProto) -> None:
    """The error contains the dims."""
    with pytest.raises(ValueError, match="do not match the dims"):
        read(tensor, "mindspore")


@pytest.mark.parametrize("dims", [[-1], [1] * 33])
def test_impossible_dims_are_an_error(dims: list[int]) -> None:
    """Dimensions are not negative, and there are at most 32."""
    with pytest.raises(ValueError, match="invalid dims"):
        read(TensorProto(dims=dims, data_type=codes.DT_FLOAT32, float_data=[1]), "mindspore")
    with pytest.raises(ValueError, match="invalid dims"):
        read(tensorboard_tensor(1, dims, float_val=[1]))


def test_a_million_dims_are_an_error() -> None:
    """They are not all parsed."""
    packed = b"\x0a\xc0\x84\x3d" + b"\x01" * 1_000_000

    with pytest.raises(ValueError, match=r"invalid dims|varint"):
        read_tensor(packed, "mindspore")


def test_half_an_element_is_an_error() -> None:
    """The number of bytes must be a multiple of the element size."""
    with pytest.raises(ValueError, match="7 bytes are not a whole number of elements of int64"):
        read(TensorProto(dims=[1], data_type=codes.DT_INT64, raw_data=b"1234567"), "mindspore")


def test_tensors_without_numbers_have_a_dtype_and_dims() -> None:
    """Strings and unknown types have no elements."""
    text = TensorProto(dims=[1], data_type=codes.DT_STRING).SerializeToString()
    unknown = tensorboard_tensor(20, [2]).SerializeToString()

    assert read_tensor(text, "mindspore") == ("string", (1,), None)
    assert read_tensor(strings(b"a", b"b").SerializeToString(), "tensorboard") == ("string", (2,), None)
    assert read_tensor(unknown, "tensorboard") == ("type 20", (2,), None)


@given(st.data(), st.sampled_from(TENSORBOARD), st.booleans())
def test_tensors_of_tensorboard_are_exact(data: st.DataObject, kind: tuple[int, str, str], as_bytes: bool) -> None:
    """Elements are read from tensor_content or from the field of the data type."""
    code, dtype, field = kind
    original = data.draw(arrays(dtype, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
    elements = {"tensor_content": original.tobytes()} if as_bytes else {field: original.reshape(-1).tolist()}

    tensor = read_tensor(tensorboard_tensor(code, original.shape, **elements).SerializeToString(), "tensorboard")

    assert tensor.values is not None
    assert (tensor.dtype, tensor.dims, tensor.values.dtype) == (dtype, original.shape, original.dtype)
    np.testing.assert_array_equal(tensor.values, original)


@pytest.mark.parametrize(("code", "dtype", "field"), COMPLEX)
def test_complex_numbers(code: int, dtype: str, field: int) -> None:
    """Real and imaginary parts alternate, in bytes and in a separate field."""
    original = np.array([1 + 2j, -0.5j], dtype)
    packed = bytes([field << 3 | 2, original.nbytes]) + original.tobytes()
    stored = tensorboard_tensor(code, [2]).SerializeToString() + packed

    np.testing.assert_array_equal(read_tensor(stored, "tensorboard").values, original)
    np.testing.assert_array_equal(read(tensorboard_tensor(code, [2], tensor_content=original.tobytes())), original)


@pytest.mark.parametrize(("code", "dtype"), [(19, np.float16), (14, ml_dtypes.bfloat16)])
def test_every_half_precision_number_in_all_encodings(code: int, dtype: Any) -> None:
    """half_val has the 16 bits of TensorFlow or the float32 bits of PyTorch; tensor_content has bytes."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    original = bits.view(dtype).astype(np.float32)
    of_pytorch = original.view(np.int32).tolist()

    for elements in ({"half_val": bits.tolist()}, {"half_val": of_pytorch}, {"tensor_content": bits.tobytes()}):
        read_back = read(tensorboard_tensor(code, [1 << 16], **elements))
        np.testing.assert_array_equal(read_back.astype(np.float32), original)


def test_omitted_elements_equal_the_last() -> None:
    """TensorFlow omits trailing repetitions; without any element, all are zero."""
    assert read(tensorboard_tensor(1, [2, 2], float_val=[1, 2])).tolist() == [[1, 2], [2, 2]]
    assert read(tensorboard_tensor(9, [3], int64_val=[-7])).tolist() == [-7, -7, -7]
    assert read(tensorboard_tensor(2, [2])).tolist() == [0, 0]
    assert read(tensorboard_tensor(1, [])).tolist() == 0


def test_omitted_elements_are_bounded() -> None:
    """A tensor of a trillion equal elements is an error."""
    with pytest.raises(ValueError, match="do not match the dims"):
        read(tensorboard_tensor(1, [10**6, 10**6], float_val=[1]))


def test_strings_have_dims() -> None:
    """The elements are bytes in row-major order."""
    dims, texts = read_strings(strings(b"a", b"\xff", b"", b"d", dims=[2, 2]).SerializeToString())

    assert (dims, [bytes(text) for text in texts]) == ((2, 2), [b"a", b"\xff", b"", b"d"])


def test_invalid_string_tensors_are_errors() -> None:
    """The data type must be string, and the number of strings must match the dims."""
    with pytest.raises(ValueError, match="data type has the code 1"):
        read_strings(tensorboard_tensor(1, [1], float_val=[1]).SerializeToString())
    with pytest.raises(ValueError, match=r"1 strings do not match the dims \[2\]"):
        read_strings(tensorboard_tensor(STRING, [2], string_val=[b"a"]).SerializeToString())


@given(st.binary(max_size=60), st.sampled_from(["mindspore", "tensorboard"]), st.integers(0, 60))
def test_arbitrary_bytes_are_a_tensor_or_a_value_error(noise: bytes, dialect: str, at: int) -> None:
    """No other exception is raised."""
    sound = tensorboard_tensor(1, [2, 2], float_val=[1, 2]).SerializeToString()
    for payload in (noise, sound[:at] + noise + sound[at:]):
        try:
            tensor = read_tensor(payload, dialect)
        except ValueError:
            continue
        assert tensor.values is None or tensor.values.shape == tensor.dims
