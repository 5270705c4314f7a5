"""Batch statistics: the running means and variances of normalisations, computed anew from data."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def has_statistics(module: Any) -> bool:
    """Say whether there are normalisations that keep statistics of what they have seen."""
    return any(True for _ in _normalisations(module))


@contextmanager
def new_statistics(module: Any) -> Iterator[None]:
    """Forget the statistics, and let the forward passes of a block compute them: the mean over its batches.

    Only the normalisations are in training mode meanwhile; afterwards they are in evaluation mode.
    """
    normalisations: Sequence[Any] = list(_normalisations(module))
    momenta = [each.momentum for each in normalisations]
    try:
        for each in normalisations:
            each.reset_running_stats()
            each.momentum, each.training = None, True  # None: PyTorch's word for a mean of all batches.
        yield
    finally:
        for each, momentum in zip(normalisations, momenta, strict=True):
            each.momentum, each.training = momentum, False


def _normalisations(module: Any) -> Iterator[Any]:
    for each in module.modules():
        if getattr(each, "running_mean", None) is not None and hasattr(each, "reset_running_stats"):
            yield each
