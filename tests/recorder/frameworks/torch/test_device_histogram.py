"""Histograms computed on the device of a tensor."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from support.written_events import ReadEvents

from toposcope.recorder import SummaryRecord
from toposcope.recorder.frameworks.torch.facts import device_histogram as module
from toposcope.recorder.frameworks.torch.facts.device_histogram import device_histogram
from toposcope.recorder.frameworks.torch.facts.framework import FRAMEWORK
from toposcope.recorder.values.histogram import Histogram, histogram_of

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")


def same(histogram_on_device: Histogram | None, expected: Histogram) -> None:
    """Compare two histograms: only the last digits of a finite sum may differ."""
    assert histogram_on_device is not None
    for name in ("total_count", "nan_count", "pos_inf_count", "neg_inf_count", "min", "max"):
        assert getattr(histogram_on_device, name) == getattr(expected, name)
    np.testing.assert_array_equal(histogram_on_device.edges, expected.edges)
    np.testing.assert_array_equal(histogram_on_device.counts, expected.counts)
    assert (histogram_on_device.edges.dtype, histogram_on_device.counts.dtype) == (
        expected.edges.dtype,
        expected.counts.dtype,
    )


@st.composite
def values(draw: st.DrawFn) -> Any:
    dtype = draw(st.sampled_from(DTYPES))
    return draw(arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_side=40, min_side=0)))


@settings(deadline=None, max_examples=300)
@given(values())
def test_any_array_has_the_histogram_of_its_copy(array: Any) -> None:
    same(device_histogram(torch.from_numpy(array)), histogram_of(array))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e4])
def test_large_tensors_are_counted_in_chunks(monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype, scale: float) -> None:
    monkeypatch.setattr(module, "_CHUNK", 1000)
    tensor = (torch.randn(70, 101, generator=torch.Generator().manual_seed(0)) * scale).to(dtype)
    copy = tensor.float().numpy() if dtype == torch.bfloat16 else tensor.numpy()
    histogram_on_device = device_histogram(tensor.T)

    same(histogram_on_device, histogram_of(copy))
    assert histogram_on_device is not None
    assert histogram_on_device.sum == pytest.approx(histogram_of(copy).sum, rel=1e-12, abs=1e-9 * scale)


def test_elements_that_are_not_finite_are_counted_separately() -> None:
    tensor = torch.tensor([torch.nan, torch.inf, torch.inf, -torch.inf, 1.0, 2.0])

    histogram_on_device = device_histogram(tensor)

    same(histogram_on_device, histogram_of(tensor.numpy()))
    assert histogram_on_device is not None
    assert histogram_on_device[:7] == (6, 1, 2, 1, 1.0, 2.0, 3.0)


def test_a_parameter_keeps_its_gradient_and_its_values() -> None:
    parameter = torch.nn.Parameter(torch.randn(50))
    before = parameter.detach().clone()

    same(device_histogram(parameter), histogram_of(before.numpy()))

    assert parameter.requires_grad
    assert parameter.grad is None
    assert torch.equal(parameter, before)


class Sharded(torch.Tensor):
    """Represents a tensor that is distributed over processes."""


@pytest.mark.parametrize(
    "tensor",
    [
        torch.empty(3, device="meta"),
        torch.ones(2, dtype=torch.complex64),
        torch.eye(3).to_sparse(),
        torch.ones(3).as_subclass(Sharded),
        np.ones(3),
        None,
    ],
    ids=["meta", "complex", "sparse", "subclass", "array", "None"],
)
def test_other_tensors_are_left_to_the_recorder(tensor: object) -> None:
    assert device_histogram(tensor) is None
    assert FRAMEWORK.histogram(tensor) is None


def test_tensors_of_the_cpu_are_left_to_the_recorder() -> None:
    assert FRAMEWORK.histogram(torch.ones(3)) is None


def test_a_histogram_is_recorded_like_its_values(tmp_path: Path, read_events: ReadEvents) -> None:
    tensor = torch.arange(1000) / 8
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("histogram", "values", tensor)
        recorder.add_value("histogram", "ready", device_histogram(tensor))
        assert recorder.record(1)
    (event,) = [event for event in read_events(recorder.log_dir) if event.summary.value]
    first, second = event.summary.value
    assert first.histogram == second.histogram
    assert second.histogram.count == 1000


def test_a_histogram_is_copied(tmp_path: Path, read_events: ReadEvents) -> None:
    histogram = histogram_of(np.arange(100))
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("histogram", "ready", histogram)
        histogram.counts[:] = 0
        recorder.record(1)
    (event,) = [event for event in read_events(recorder.log_dir) if event.summary.value]
    assert sum(bucket.count for bucket in event.summary.value[0].histogram.buckets) == 100


def test_an_inconsistent_histogram_is_refused(tmp_path: Path) -> None:
    broken = histogram_of(np.arange(100))._replace(edges=np.arange(3.0))
    with SummaryRecord(tmp_path) as recorder, pytest.raises(ValueError, match="one more edge than counts"):
        recorder.add_value("histogram", "ready", broken)
