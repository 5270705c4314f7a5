"""Arrays of the real JAX, recorded and read back."""

import io
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from interop.conftest import IsSkipped, Recorded
from PIL import Image
from support.tensor_messages import tensor_array

from toposcope.proto.tensor_pb2 import DT_BFLOAT16

jax.config.update("jax_num_cpu_devices", 2)

INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
FOURS = ["int4", "uint4"]
EIGHTS = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
]
EDGES = np.array([0.0, -0.0, 1.5, -2.25, 1e-40, np.inf, -np.inf, np.nan], np.float32)
GRID = np.arange(6.0).reshape(2, 3)
SHARDED = jax.sharding.NamedSharding(jax.make_mesh((2,), ("rows",)), jax.sharding.PartitionSpec("rows"))


@pytest.fixture(autouse=True)
def _double_precision() -> Iterator[None]:
    """Enable 64-bit types for these tests alone: workers of other checks would compute other bits."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def array_of(dtype: str) -> jax.Array:
    """Return an array with the extreme values of its dtype."""
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return jnp.asarray(np.array([limits.min, limits.max, limits.max - 1, 0, 1], dtype))
    with np.errstate(invalid="ignore"):
        return jnp.asarray(EDGES).astype(dtype)


def assert_is(recorded: Recorded, array: jax.Array, expected: np.ndarray) -> None:
    """Check that array is read back with the shape, the dtype and the bits of expected."""
    value = recorded("tensor", array)
    read = tensor_array(value.tensor)
    assert (read.shape, read.dtype) == (expected.shape, expected.dtype)
    assert read.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS, *COMPLEX])
def test_an_array_is_read_back_bit_for_bit(recorded: Recorded, dtype: str) -> None:
    """An array of a dtype that NumPy has is read back unchanged."""
    array = array_of(dtype)
    assert_is(recorded, array, np.asarray(array))


def test_bfloat16_is_read_back_bit_for_bit(recorded: Recorded) -> None:
    """The bits of a bfloat16 array are in the file, and its numbers are read."""
    array = array_of("bfloat16")
    value = recorded("tensor", array)
    assert value.tensor.data_type == DT_BFLOAT16
    assert value.tensor.raw_data == np.asarray(array).tobytes()
    assert_is(recorded, array, np.asarray(array).astype(np.float32))


@pytest.mark.parametrize("dtype", EIGHTS)
def test_float8_is_recorded_as_the_equal_float32(recorded: Recorded, dtype: str) -> None:
    """The format has no float8: every number of it is a float32."""
    every = np.arange(256, dtype=np.uint8).view(getattr(jnp, dtype).dtype)
    value = recorded("tensor", jnp.asarray(every))
    np.testing.assert_array_equal(tensor_array(value.tensor), every.astype(np.float32))


@pytest.mark.parametrize("dtype", FOURS)
def test_integers_of_four_bits_are_recorded_as_eight(recorded: Recorded, dtype: str) -> None:
    """The format has no integers of four bits: every one of them is one of eight."""
    array = jnp.arange(8).astype(dtype)
    assert_is(recorded, array, np.asarray(array).astype(dtype.replace("4", "8")))


@pytest.mark.parametrize(
    "array",
    [
        pytest.param(jnp.asarray(3.0), id="0-d"),
        pytest.param(jnp.zeros((2, 0, 3)), id="empty"),
        pytest.param(jnp.asarray(GRID).T, id="transposed"),
        pytest.param(jnp.asarray(GRID)[:, ::2], id="strided"),
        pytest.param(jax.device_put(GRID, SHARDED), id="on two devices"),
        pytest.param(jax.jit(lambda x: x * 2)(GRID), id="compiled"),
        pytest.param(jax.grad(lambda x: (x**2).sum())(GRID), id="gradient"),
    ],
)
def test_an_array_of_any_shape_is_read_back(recorded: Recorded, array: jax.Array) -> None:
    """Whatever made an array, its numbers are recorded."""
    assert_is(recorded, array, np.asarray(array))


def test_an_array_without_data_is_skipped(is_skipped: IsSkipped, caplog: pytest.LogCaptureFixture) -> None:
    """A deleted (donated) array, a random key and a traced value cause one line in the log; training continues."""
    deleted = jnp.ones(3)
    deleted.delete()
    assert is_skipped("tensor", deleted)
    assert is_skipped("tensor", jax.random.key(0))
    jax.jit(lambda x: (is_skipped("histogram", x), x)[1])(GRID)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "bfloat16", *FLOATS, *EIGHTS])
def test_a_scalar_is_read_back_exactly(recorded: Recorded, dtype: str) -> None:
    """An array with one number is a scalar, for any dtype and shape."""
    number = jnp.asarray(0.5).astype(dtype)
    for array in (number, number.reshape(1, 1)):
        assert recorded("scalar", array).scalar_value == float(number)


def test_a_scalar_keeps_the_precision_of_a_double(recorded: Recorded) -> None:
    """A float64 array is recorded with all its bits."""
    assert recorded("scalar", jnp.asarray(0.1)).scalar_double == 0.1


def test_a_complex_scalar_is_refused(recorded: Recorded) -> None:
    """A complex number is no scalar: that is the caller's error."""
    with pytest.raises(TypeError):
        recorded("scalar", jnp.asarray(1j))


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "bfloat16", *FLOATS, "float8_e5m2"])
def test_a_histogram_counts_every_element(recorded: Recorded, dtype: str) -> None:
    """A histogram of any real dtype counts what NumPy counts."""
    array = jnp.asarray([0, 0, 1, 1, 1, 1, 0, 1]).astype(dtype)
    histogram = recorded("histogram", array.reshape(2, 4).T).histogram
    assert (histogram.count, histogram.min, histogram.max, histogram.sum) == (8, 0, 1, 5)
    counts = [bucket.count for bucket in histogram.buckets]
    assert (counts[0], counts[-1], sum(counts)) == (3, 5, 8)


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_an_image_is_read_back_pixel_for_pixel(recorded: Recorded, channels: int) -> None:
    """An image of bytes is stored without loss."""
    pixels = jax.random.randint(jax.random.key(1), (1, channels, 5, 7), 0, 256).astype("uint8")
    image = recorded("image", pixels).image
    assert (image.height, image.width, image.colorspace) == (5, 7, channels)
    seen = np.asarray(Image.open(io.BytesIO(image.encoded_image))).reshape(5, 7, channels)
    np.testing.assert_array_equal(seen, np.asarray(pixels)[0].transpose(1, 2, 0))
