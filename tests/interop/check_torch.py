"""Tensors of the real PyTorch, recorded and read back."""

import io
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from interop.conftest import IsSkipped, Recorded
from PIL import Image
from support.tensor_messages import tensor_array
from support.written_events import ReadEvents

from toposcope.proto.tensor_pb2 import DT_BFLOAT16
from toposcope.recorder import SummaryRecord

INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
EIGHTS = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
EDGES = [0.0, -0.0, 1.5, -2.25, 1e-40, float("inf"), float("-inf"), float("nan")]
GRID = torch.arange(6.0).reshape(2, 3)


def tensor_of(dtype: str) -> torch.Tensor:
    """Return a tensor of shape (2, 4) with the extreme values of its dtype."""
    kind = getattr(torch, dtype)
    if dtype in INTEGERS:
        limits = torch.iinfo(kind)
        numbers = [limits.min, limits.max, limits.max - 1, 0, 1, 2, 3, 100]
        return torch.tensor(np.array(numbers, dtype)).reshape(2, 4)
    return torch.tensor(EDGES).to(kind).reshape(2, 4)


def assert_is(recorded: Recorded, tensor: torch.Tensor, expected: np.ndarray) -> None:
    """Check that tensor is read back with the shape, the dtype and the bits of expected."""
    value = recorded("tensor", tensor)
    read = tensor_array(value.tensor)
    assert (read.shape, read.dtype) == (expected.shape, expected.dtype)
    assert read.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS, *COMPLEX])
def test_a_tensor_is_read_back_bit_for_bit(recorded: Recorded, dtype: str) -> None:
    """A tensor of a dtype that NumPy has is read back unchanged."""
    tensor = tensor_of(dtype)
    assert_is(recorded, tensor, tensor.numpy())


def test_bfloat16_is_read_back_bit_for_bit(recorded: Recorded) -> None:
    """The bits of a bfloat16 tensor are in the file, and its numbers are read."""
    tensor = tensor_of("bfloat16")
    value = recorded("tensor", tensor)
    assert value.tensor.data_type == DT_BFLOAT16
    assert value.tensor.raw_data == tensor.view(torch.int16).numpy().tobytes()
    assert_is(recorded, tensor, tensor.float().numpy())


@pytest.mark.parametrize("dtype", EIGHTS)
def test_float8_is_recorded_as_the_equal_float32(recorded: Recorded, dtype: str) -> None:
    """The format has no float8: every number of it is a float32."""
    every = torch.arange(256).to(torch.uint8).view(getattr(torch, dtype))
    value = recorded("tensor", every)
    np.testing.assert_array_equal(tensor_array(value.tensor), every.float().numpy())


@pytest.mark.parametrize(
    "tensor",
    [
        pytest.param(torch.tensor(3.0), id="0-d"),
        pytest.param(torch.empty(2, 0, 3), id="empty"),
        pytest.param(GRID.T, id="transposed"),
        pytest.param(GRID[:, ::2], id="strided"),
        pytest.param(GRID[:1].expand(4, 3), id="expanded"),
        pytest.param(torch.arange(24.0).reshape(1, 2, 3, 4).to(memory_format=torch.channels_last), id="channels last"),
        pytest.param(GRID.clone().requires_grad_(), id="with gradient"),
        pytest.param(GRID.clone().requires_grad_() * 2, id="in a graph of gradients"),
        pytest.param(torch.nn.Parameter(GRID.clone()), id="parameter"),
        pytest.param((GRID + 1j).conj(), id="conjugated view"),
        pytest.param((GRID + 1j).conj().imag, id="negated view"),
        pytest.param(GRID.to_sparse(), id="sparse"),
    ],
)
def test_a_tensor_of_any_layout_is_read_back(recorded: Recorded, tensor: torch.Tensor) -> None:
    """The values of a tensor are recorded for any memory layout."""
    plain = tensor.detach().to_dense().resolve_conj().resolve_neg().contiguous()
    assert_is(recorded, tensor, plain.numpy())


def test_other_layouts_are_read_back(recorded: Recorded) -> None:
    """Tensors of CSR layout, quantized and of inference mode are recorded like others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch calls the one a beta and the other deprecated.
        assert_is(recorded, GRID.to_sparse_csr(), GRID.numpy())
        assert_is(recorded, torch.quantize_per_tensor(GRID, 0.5, 0, torch.quint8), GRID.numpy())
    with torch.inference_mode():
        assert_is(recorded, GRID * 2, GRID.numpy() * 2)


@pytest.mark.parametrize("plugin", ["scalar", "tensor", "histogram", "image"])
def test_a_tensor_without_data_is_skipped(plugin: str, is_skipped: IsSkipped, caplog: pytest.LogCaptureFixture) -> None:
    """A meta tensor causes one line in the log; training continues."""
    assert is_skipped(plugin, torch.empty((1, 1) if plugin != "scalar" else (), device="meta"))
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_tensor_that_pytorch_does_not_give_is_skipped(
    is_skipped: IsSkipped, caplog: pytest.LogCaptureFixture
) -> None:
    """Tensors inside a transform and half complex numbers cost a line in the log."""
    torch.vmap(lambda row: (is_skipped("tensor", row), row)[1])(GRID)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch calls it experimental.
        assert is_skipped("tensor", GRID.to(torch.complex32))
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2


def test_lists_of_tensors_are_tensors(recorded: Recorded) -> None:
    """With gradient or without, bfloat16 too."""
    value = recorded("tensor", [torch.ones(2, requires_grad=True), torch.zeros(2, dtype=torch.bfloat16)])

    assert tensor_array(value.tensor).tolist() == [[1, 1], [0, 0]]


def test_a_value_is_what_it_was_when_added(tmp_path: Path, read_events: ReadEvents) -> None:
    """Training steps that change a parameter in place do not change what was recorded of it."""
    parameter = torch.nn.Parameter(torch.ones(1000))
    with SummaryRecord(tmp_path) as recorder:
        for step in range(5):
            recorder.add_value("tensor", "w", parameter)
            recorder.record(step)
            with torch.no_grad():
                parameter.add_(1)
    values = [value for event in read_events(recorder.log_dir) for value in event.summary.value]
    assert [set(tensor_array(value.tensor)) for value in values] == [{1.0}, {2.0}, {3.0}, {4.0}, {5.0}]


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "bfloat16", *FLOATS, *EIGHTS])
def test_a_scalar_is_read_back_exactly(recorded: Recorded, dtype: str) -> None:
    """A tensor with one number is a scalar, for any dtype and shape, with or without gradient."""
    number = torch.tensor(0.5).to(getattr(torch, dtype))
    for tensor in (number, number.reshape(1, 1), number.requires_grad_() if number.is_floating_point() else number):
        value = recorded("scalar", tensor)
        assert value.scalar_value == tensor.item()


def test_a_scalar_keeps_the_precision_of_a_double(recorded: Recorded) -> None:
    """A float64 tensor is recorded with all its bits."""
    assert recorded("scalar", torch.tensor(0.1, dtype=torch.float64)).scalar_double == 0.1
    assert recorded("scalar", torch.tensor(2**53)).scalar_value == 2**53


def test_a_complex_scalar_is_refused(recorded: Recorded) -> None:
    """A complex number is no scalar: that is the caller's error."""
    with pytest.raises(TypeError):
        recorded("scalar", torch.tensor(1j))


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "bfloat16", *FLOATS, "float8_e5m2"])
def test_a_histogram_counts_every_element(recorded: Recorded, dtype: str) -> None:
    """A histogram of any real dtype counts what NumPy counts."""
    tensor = torch.tensor([0, 0, 1, 1, 1, 1, 0, 1]).to(getattr(torch, dtype))
    histogram = recorded("histogram", tensor.reshape(2, 4).T).histogram
    assert (histogram.count, histogram.min, histogram.max, histogram.sum) == (8, 0, 1, 5)
    counts = [bucket.count for bucket in histogram.buckets]
    assert (counts[0], counts[-1], sum(counts)) == (3, 5, 8)


def test_a_histogram_counts_what_is_not_finite(recorded: Recorded) -> None:
    """NaN and infinities are counted separately from the buckets."""
    histogram = recorded("histogram", tensor_of("bfloat16")).histogram
    assert (histogram.count, histogram.nan_count, histogram.pos_inf_count, histogram.neg_inf_count) == (8, 1, 1, 1)


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_an_image_is_read_back_pixel_for_pixel(recorded: Recorded, channels: int) -> None:
    """An image of bytes is stored without loss."""
    pixels = torch.randint(0, 256, (channels, 5, 7), dtype=torch.uint8)
    image = recorded("image", pixels[None]).image
    assert (image.height, image.width, image.colorspace) == (5, 7, channels)
    seen = np.asarray(Image.open(io.BytesIO(image.encoded_image))).reshape(5, 7, channels)
    np.testing.assert_array_equal(seen, pixels.permute(1, 2, 0).numpy())
