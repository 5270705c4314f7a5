"""Blocked losses: those of a module whose images are opaque tensors of oneDNN, with their channels in blocks.

Layers of convolution, normalisation and pooling then hand their results on in the form in which oneDNN computes, and
its pools are vectorised: those of plain tensors take half the time of a small convolutional network on a CPU.
"""

from typing import Any

from toposcope.recorder.frameworks.torch.landscape.sample_losses import SampleLosses
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.landscapes.models.fixed_samples import mapped
from toposcope.recorder.summary import paused


def blocked(losses: SampleLosses, batch: Any) -> SampleLosses:
    """Return losses whose module is given images of oneDNN; the loss function sees plain outputs, as ever.

    Raises:
        ValueError: the module cannot take them: oneDNN's tensors have few operators.
    """
    try:
        with library().no_grad(), paused():
            made = SampleLosses(losses.steps.in_form(_Blocked), losses.rows)
            made.of(batch)
    except Exception as error:
        reason = str(error).partition("\n")[0]  # PyTorch goes on for pages.
        raise ValueError(f"The network cannot take images of oneDNN: {type(error).__name__}: {reason}") from error
    return made


class _Blocked:
    """A module between plain tensors."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Return the outputs of the module."""
        return mapped(_plain, self._module(*mapped(_opaque, inputs), **mapped(_opaque, named)))

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the module, as a loss of its own."""
        return getattr(self._module, name)


def _opaque(array: Any) -> Any:
    is_image = library().is_tensor(array) and array.ndim in (4, 5) and array.is_floating_point()
    return array.to_mkldnn() if is_image else array


def _plain(array: Any) -> Any:
    return array.to_dense() if getattr(array, "is_mkldnn", False) else array
