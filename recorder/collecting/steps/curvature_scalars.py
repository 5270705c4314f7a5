"""Curvature scalars: what a THOR optimizer knows of the curvature of each layer."""

from typing import Any

from toposcope.recorder.values.arrays.deferred_scalar import DeferredScalar, scalar_now_or_later
from toposcope.recorder.values.arrays.foreign_values import short_repr


def curvature_scalars(optimizer: Any) -> dict[str, float | DeferredScalar]:
    """Return the curvature statistics of an optimizer, or of those in a tuple, by tag.

    Tensors on a device are read later.

    Raises:
        TypeError: none of the optimizers was created by thor().
    """
    optimizers = optimizer if isinstance(optimizer, tuple | list) else (optimizer,)
    sources = [each.curvature_statistics for each in optimizers if hasattr(each, "curvature_statistics")]
    if not sources:
        raise TypeError(
            f"collect_curvature needs an optimizer that was created by thor(), not {short_repr(optimizer)}."
        )
    statistics = [(tag, scalar_now_or_later(value)) for source in sources for tag, value in source().items()]
    return {tag: value for tag, value in statistics if value is not None}
