"""Running means and variances of normalisation layers, recomputed from data."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def has_statistics(module: Any) -> bool:
    """Return whether a module has normalisation layers with running statistics."""
    return any(True for _ in _normalisations(module))


@contextmanager
def recomputed_statistics(module: Any) -> Iterator[None]:
    """Reset the running statistics; the forward passes within the block compute them as means over its batches.

    Only the normalisation layers are in training mode within the block; they are in evaluation mode after it.
    """
    normalisations: Sequence[Any] = list(_normalisations(module))
    momenta = [each.momentum for each in normalisations]
    try:
        for each in normalisations:
            each.reset_running_stats()
            each.momentum, each.training = None, True  # None selects the mean over all batches.
        yield
    finally:
        for each, momentum in zip(normalisations, momenta, strict=True):
            each.momentum, each.training = momentum, False


def _normalisations(module: Any) -> Iterator[Any]:
    for each in module.modules():
        if getattr(each, "running_mean", None) is not None and hasattr(each, "reset_running_stats"):
            yield each
