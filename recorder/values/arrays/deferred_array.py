"""DeferredArray: an array of JAX that may still be computed, which the writer's thread reads later."""

from typing import Any

from toposcope.recorder.values.arrays.arrays import Array, array_from


class DeferredArray:
    """A copy of an array on its device, so that the loop may give the buffer of the original to its next step.

    Creating it does not wait for the device; read() does.
    """

    __slots__ = ("_value", "size")

    def __init__(self, value: Any) -> None:
        """Copy an array with the methods of jax.Array."""
        self._value = value.copy()
        self._value.copy_to_host_async()
        self.size = int(value.nbytes)
        """Bytes on the host, once it is read."""

    def read(self) -> Array:
        """Wait for the array and return it."""
        return array_from(self._value)
