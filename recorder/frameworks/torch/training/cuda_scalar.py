"""CudaScalar: a number in the memory of a CUDA device, copied to the host without waiting for it."""

import sys
from typing import Any

from toposcope.recorder.values.arrays.deferred_scalar import DeferredScalar


class CudaScalar(DeferredScalar):
    """The mean of a CUDA tensor, in pinned memory once the device has computed it.

    The copy is queued on the current stream, so a CUDA graph may reuse the tensor's memory afterwards.
    """

    __slots__ = ("_event",)

    def __init__(self, value: Any) -> None:
        torch: Any = sys.modules["torch"]
        number = value.detach()
        if number.ndim:
            number = number.float().mean()
        self._value = torch.empty((), dtype=number.dtype, pin_memory=True)
        self._value.copy_(number, non_blocking=True)
        self._event = torch.cuda.Event()
        self._event.record(torch.cuda.current_stream(number.device))

    def read(self) -> float:
        """Wait for the copy and return it."""
        self._event.synchronize()
        return super().read()
