"""The largest output: how much memory the layers of a network want for a batch."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from toposcope.recorder.landscapes.models.fixed_samples import leaves


class LargestOutput:
    """Remembers the size of the largest tensor that a layer has returned."""

    def __init__(self) -> None:
        self.bytes = 0

    def __call__(self, _layer: object, _inputs: object, output: object) -> None:
        """Look at the output of a layer: a forward hook."""
        self.bytes = max(self.bytes, *(getattr(leaf, "nbytes", 0) for leaf in leaves(output)), 0)


@contextmanager
def largest_output(torch: Any) -> Iterator[LargestOutput]:
    """Watch the layers of all networks that run in a block."""
    largest = LargestOutput()
    hook = torch.nn.modules.module.register_module_forward_hook(largest)
    try:
        yield largest
    finally:
        hook.remove()
