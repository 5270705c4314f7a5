"""Losses of a module whose images are opaque oneDNN tensors, in a blocked channel format.

Convolution, normalisation and pooling layers then pass on their results in the format in which oneDNN computes, and
its pooling is vectorised: on a CPU, pooling of plain tensors takes half the time of a small convolutional network.
"""

from typing import Any

from toposcope.recorder.frameworks.torch.landscape.losses.sample_losses import SampleLosses
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.landscapes.models.fixed_samples import mapped
from toposcope.recorder.summary import paused


def blocked(losses: SampleLosses, batch: Any) -> SampleLosses:
    """Return losses whose module receives images as oneDNN tensors; the loss function still receives plain outputs.

    Raises:
        ValueError: the module does not support oneDNN tensors, which have few operators.
    """
    try:
        with library().no_grad(), paused():
            blocked_losses = SampleLosses(losses.steps.in_form(_Blocked), losses.rows)
            blocked_losses.of(batch)
    except Exception as error:
        reason = str(error).partition("\n")[0]  # PyTorch's messages have many lines.
        raise ValueError(f"The network does not support oneDNN tensors: {type(error).__name__}: {reason}") from error
    return blocked_losses


class _Blocked:
    """A module that converts its images to oneDNN tensors, and its outputs back."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Return the outputs of the module."""
        return mapped(_plain, self._module(*mapped(_opaque, inputs), **mapped(_opaque, named)))

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the module, such as its method loss()."""
        return getattr(self._module, name)


def _opaque(array: Any) -> Any:
    is_image = library().is_tensor(array) and array.ndim in (4, 5) and array.is_floating_point()
    return array.to_mkldnn() if is_image else array


def _plain(array: Any) -> Any:
    return array.to_dense() if getattr(array, "is_mkldnn", False) else array
