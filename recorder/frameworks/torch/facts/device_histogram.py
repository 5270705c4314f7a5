"""Histograms computed on the device of a tensor: only the result is copied to the host."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from toposcope.recorder.adapters import is_tensor
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.values.histogram import Histogram, bucket_edges

# Elements per chunk: converted to doubles they take 32 MiB of device memory.
_CHUNK = 1 << 22


def device_histogram(tensor: Any) -> Histogram | None:
    """Return the histogram of a tensor, equal to histogram_of() of its copy except for rounding of the sum.

    Args:
        tensor: of any shape, dense, of real numbers or booleans, on any device.

    Returns:
        None for another kind of tensor, for one without data, and on a device that cannot compute it.
    """
    torch = library()
    # A subclass may be distributed over processes; computing with it would then involve all of them.
    if not is_tensor(tensor) or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return None
    if tensor.is_meta or tensor.layout is not torch.strided or tensor.is_complex() or tensor.is_quantized:
        return None
    try:
        with torch.no_grad():
            return _computed(tensor.detach().reshape(-1), torch)
    except (RuntimeError, TypeError):  # The device has no doubles, for example, or no memory for them.
        return None


def _computed(flat: Any, torch: Any) -> Histogram:
    size = flat.numel()
    # One transfer for all chunks: reading numbers from a device waits for it.
    extents = np.array(
        torch.stack([_extent(chunk, torch) for chunk in _chunks(flat, torch)] or [_no_extent(torch)]).tolist()
    )
    finite, nan, pos_inf = (int(count) for count in extents[:, :3].sum(axis=0))
    counted = (size, nan, pos_inf, size - finite - nan - pos_inf)
    if not finite:
        return Histogram(*counted, 0.0, 0.0, 0.0, np.empty(0), np.empty(0, np.int64))
    low, high = float(extents[:, 3].min()), float(extents[:, 4].max())
    with np.errstate(all="ignore"):
        total = float(extents[:, 5].sum())
        edges = bucket_edges(low, high, finite)
    counts = _counts(flat, edges, finite == size, torch)
    return Histogram(*counted, low, high, total, edges, counts)


def _chunks(flat: Any, torch: Any) -> Iterator[Any]:
    for start in range(0, flat.numel(), _CHUNK):
        yield flat[start : start + _CHUNK].to(torch.float64)


def _no_extent(torch: Any) -> Any:
    return torch.tensor([0, 0, 0, np.inf, -np.inf, 0], dtype=torch.float64)


def _extent(chunk: Any, torch: Any) -> Any:
    """Return float64[6]: the numbers of finite, NaN and inf elements; lowest, highest and sum of the finite ones."""
    finite = torch.isfinite(chunk)
    low, high = torch.where(finite, chunk, torch.inf).amin(), torch.where(finite, chunk, -torch.inf).amax()
    counts = [count.to(torch.float64) for count in (finite.sum(), torch.isnan(chunk).sum(), (chunk == torch.inf).sum())]
    return torch.stack([*counts, low, high, torch.where(finite, chunk, 0.0).sum()])


def _counts(flat: Any, edges: Any, is_finite: bool, torch: Any) -> Any:
    """Return int64[buckets]: the number of finite elements in each bucket."""
    buckets = edges.size - 1
    inner = torch.from_numpy(edges[1:-1]).to(flat.device)
    counts = torch.zeros(buckets + 1, dtype=torch.int64, device=flat.device)
    for chunk in _chunks(flat, torch):
        bucket_numbers = torch.bucketize(chunk, inner, right=True)
        if not is_finite:
            bucket_numbers = torch.where(torch.isfinite(chunk), bucket_numbers, buckets)
        counts += torch.bincount(bucket_numbers, minlength=buckets + 1)
    return counts[:buckets].cpu().numpy()
