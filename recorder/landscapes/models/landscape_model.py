"""LandscapeModel: a network of any framework as a loss landscape uses it, and how it is created from callback_fn."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from toposcope.recorder.adapters import adapter, is_cell, is_module
from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.landscapes.models.unit_losses import UnitLosses
from toposcope.recorder.landscapes.weights.layout import Layout
from toposcope.recorder.training.loops.network import TrainableNetwork
from toposcope.recorder.values.arrays.foreign_values import short_repr

Float32s = npt.NDArray[np.float32]


@runtime_checkable
class LandscapeModel(Protocol):
    """A network whose weights can be set, with the samples that its loss is computed from; nothing is trained.

    Losses are those of evaluation mode. The weights are N numbers: the trained ones followed by the buffers, as
    described by layout; P = layout.parameter_count of them are trained.
    """

    @property
    def layout(self) -> Layout:
        """The positions of its tensors among the N numbers."""

    @property
    def samples(self) -> int:
        """The number of samples."""

    @property
    def data_hash(self) -> str:
        """SHA-256 of the samples, as hexadecimal digits."""

    @property
    def has_hvp(self) -> bool:
        """Whether hvp() is available."""

    @property
    def has_statistics(self) -> bool:
        """Whether there are normalisation layers with running statistics."""

    @property
    def network_name(self) -> str:
        """The class name of the user's network."""

    @property
    def notes(self) -> Sequence[str]:
        """Remarks for readers of the result, one sentence each."""

    @property
    def mode(self) -> str:
        """How losses are computed, initially "eager". Losses of the same mode always have the same bits."""

    def get(self) -> Float32s:
        """Return a copy of the current weights, shape (N,)."""

    def hold(self, origin: Float32s, directions: Float32s) -> None:
        """Copy an origin, shape (N,), and directions, shape (K, N), to the device; ValueError for other shapes."""

    def move(self, coordinates: Sequence[float]) -> None:
        """Set the weights to origin + sum of coordinates[k] * directions[k]; variances to origin * exp(sum).

        coordinates are K numbers; layout.variances names the variances.
        """

    def load(self, flat: Float32s) -> None:
        """Set the weights, shape (N,)."""

    def losses(self, first: int = 0, last: int | None = None) -> UnitLosses:
        """Return the losses of the samples [first, last), as far as there are samples.

        One loss a sample, or one a batch if only the means of batches are known. The same range always has the same
        units, so that losses at two places can be subtracted unit by unit.
        """

    def recalibrate(self, samples: int = 512) -> None:
        """Recompute the running statistics from the first samples and the current weights."""

    def hvp(self, vector: Float32s) -> Float32s:
        """Return the Hessian of the mean loss times a vector, shapes (P,); NotImplementedError without has_hvp."""

    def tune(self, evaluations: int) -> str:
        """Find, use and return the fastest mode for this many evaluations of all samples, the search included."""

    def use(self, mode: str) -> None:
        """Compute losses in a mode that tune() has returned; ValueError for another mode."""

    def restore(self) -> None:
        """Restore the network bit for bit to its original state; the model cannot be used afterwards."""


def model_of(result: Any, num_samples: int, device: int | None = None) -> LandscapeModel:
    """Return the landscape model of the result of a user's callback_fn.

    Args:
        result: (model, network, dataset, metrics) as for MindSpore's SummaryLandscape: of MindSpore, or with our Model
            and a PyTorch module or a TrainableNetwork. For JAX (loss_function, parameters, dataset, metrics), where
            `loss_function(parameters, *batch)` returns the mean loss of a batch, or one loss for each of its samples. A
            LandscapeModel is returned unchanged.
        num_samples: how many samples are used, the first ones of the dataset; all if it has fewer.
        device: index of an accelerator, or the CPU if there is none. None: the current device of the network.

    Raises:
        TypeError: the result, or an item of it, is of another type.
        ValueError: metrics do not contain "Loss", the dataset has no samples, or there is no such device.
    """
    checked_integer("num_samples", num_samples, lowest=1)
    if device is not None:
        checked_integer("device", device, lowest=0)
    if isinstance(result, LandscapeModel):
        return result
    if not isinstance(result, tuple | list) or len(result) != 4:
        raise TypeError(f"callback_fn returns (model, network, dataset, metrics), not {short_repr(result)}.")
    model, network, dataset, metrics = result
    framework = _framework(model, network)
    if framework != "jax":
        _check_metrics(metrics)
    landscape: LandscapeModel = adapter(framework, "landscape").landscape_model(
        model, network, dataset, num_samples, device
    )
    return landscape


def _framework(model: Any, network: Any) -> str:
    """Return the framework whose adapter provides the model."""
    if is_module(network):
        return "torch"
    if is_cell(network):
        return "mindspore"
    if isinstance(network, TrainableNetwork):
        return "plain"
    if callable(model) and not hasattr(model, "train_network") and "jax" in sys.modules:
        return "jax"
    raise TypeError(
        "The network of callback_fn is a torch.nn.Module, a mindspore.nn.Cell, a TrainableNetwork, or the parameters "
        f"of a JAX function, which is passed as the model; not {short_repr(network)}."
    )


def _check_metrics(metrics: Any) -> None:
    names = list(metrics) if isinstance(metrics, Mapping | list | tuple | set) else [metrics]
    if not any(isinstance(name, str) and name.lower() == "loss" for name in names):
        raise ValueError(
            f"The metrics of callback_fn contain 'Loss', as in {{'Loss': Loss()}}; not {short_repr(metrics)}."
        )
