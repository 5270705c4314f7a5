"""The largest output of a network's layers, from which the memory for a batch is estimated."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from toposcope.recorder.landscapes.models.fixed_samples import leaves


class LargestOutput:
    """A forward hook that stores the size in bytes of the largest tensor that a layer has returned."""

    def __init__(self) -> None:
        self.bytes = 0

    def __call__(self, _layer: object, _inputs: object, output: object) -> None:
        """Measure the output of a layer."""
        self.bytes = max(self.bytes, *(getattr(leaf, "nbytes", 0) for leaf in leaves(output)), 0)


@contextmanager
def largest_output(torch: Any) -> Iterator[LargestOutput]:
    """Observe the layers of all networks that run within the block."""
    largest = LargestOutput()
    hook = torch.nn.modules.module.register_module_forward_hook(largest)
    try:
        yield largest
    finally:
        hook.remove()
