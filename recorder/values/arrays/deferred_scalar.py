"""DeferredScalar: a number on a device, or one that is still being computed, which the writer's thread reads later."""

from typing import Any

import numpy as np

from toposcope.recorder.adapters import adapter, framework_name, is_tensor
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr
from toposcope.recorder.values.arrays.mean import mean_of

_ON_HOST = (bool, int, float, np.ndarray, np.generic)


class DeferredScalar:
    """The mean of an array or a tensor, of which it keeps a copy on the device.

    Creating it does not wait for the device; read() does.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        """Copy the value, as far as that is possible without waiting."""
        detached = value.detach() if hasattr(value, "detach") else value
        # JAX's arrays are immutable, and transferred while the training continues.
        if hasattr(detached, "copy_to_host_async"):
            detached.copy_to_host_async()
        elif hasattr(detached, "clone"):
            detached = detached.clone()
        self._value = detached

    def read(self) -> float:
        """Wait for the value and return it; UnreadableValueError if it is not a number or its computation failed."""
        number = mean_of(self._value)
        if number is None:
            raise UnreadableValueError(f"{short_repr(self._value)} is not a number")
        return number


def scalar_now_or_later(value: Any) -> float | DeferredScalar | None:
    """Return the mean of a value: at once if that needs no device, otherwise to be read later; None if it has none."""
    if type(value) is float:
        return value
    if is_tensor(value) and value.is_cpu and not value.ndim:  # The usual loss, at every step.
        number = value.item()
        return float(number) if type(number) in (float, int, bool) else None
    return deferred_scalar(value) or mean_of(value)


def deferred_scalar(value: Any) -> DeferredScalar | None:
    """Return a value that is read later; None for one that can be read at once, or that is not an array."""
    if type(value) is float:
        return None
    if is_tensor(value):
        if value.is_cpu:
            return None
        if value.is_cuda:
            copy: DeferredScalar = adapter("torch", "cuda_scalar").CudaScalar(value)
            return copy
    # MindSpore's tensors are read by the thread that computes them.
    elif isinstance(value, _ON_HOST) or not hasattr(value, "shape") or framework_name(value) == "mindspore":
        return None
    return DeferredScalar(value)
