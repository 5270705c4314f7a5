"""LandscapeModel: what a loss landscape needs of a network of any framework, and how it is made from callback_fn."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from toposcope.recorder.adapters import adapter, is_cell, is_module
from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.landscapes.models.loss_sums import LossSums
from toposcope.recorder.landscapes.weights.layout import Layout
from toposcope.recorder.training.network import TrainableNetwork
from toposcope.recorder.values.foreign import shown

Float32s = npt.NDArray[np.float32]


@runtime_checkable
class LandscapeModel(Protocol):
    """A network whose weights are moved about, with the samples that its loss is of; nothing in it trains.

    Losses are those of its evaluation mode. N numbers are its weights: the trained ones and then the buffers, as layout
    says; P = layout.parameter_count of them are trained.
    """

    @property
    def layout(self) -> Layout:
        """The places of its tensors among the N numbers."""

    @property
    def samples(self) -> int:
        """How many are held."""

    @property
    def data_hash(self) -> str:
        """SHA-256 of the samples, in hexadecimal digits."""

    @property
    def has_hvp(self) -> bool:
        """Whether there is hvp()."""

    @property
    def has_statistics(self) -> bool:
        """Whether there are normalisations with statistics of the data they have seen."""

    @property
    def network_name(self) -> str:
        """The class of the user's network."""

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that whoever reads the result should know."""

    @property
    def mode(self) -> str:
        """How losses are computed: "eager" at first. Losses of one mode have always the same bits."""

    def get(self) -> Float32s:
        """Return a copy of the weights as they are now, shape (N,)."""

    def hold(self, origin: Float32s, directions: Float32s) -> None:
        """Keep an origin, shape (N,), and directions, shape (K, N), on the device; ValueError for other shapes."""

    def move(self, coordinates: Sequence[float]) -> None:
        """Set the weights to origin + sum of coordinates[k] * directions[k], K numbers; variances to origin * exp(sum).

        Those are the numbers that layout.variances names.
        """

    def load(self, flat: Float32s) -> None:
        """Set the weights, shape (N,)."""

    def loss(self, first: int = 0, last: int | None = None) -> LossSums:
        """Return the loss of the held samples [first, last), or of those of them that there are."""

    def recalibrate(self, samples: int = 512) -> None:
        """Compute the statistics of normalisations anew, from the first samples and the weights as they are now."""

    def hvp(self, vector: Float32s) -> Float32s:
        """Return the Hessian of the mean loss times a vector, shapes (P,); NotImplementedError without has_hvp."""

    def tune(self, evaluations: int) -> str:
        """Find the mode that is fastest for so many evaluations of all samples, probing included; use and return it."""

    def use(self, mode: str) -> None:
        """Compute losses in a mode that tune() has returned; ValueError for another one."""

    def restore(self) -> None:
        """Leave the network bit for bit as it was when it was taken; nothing else can be asked of the model then."""


def model_of(result: Any, num_samples: int, device: int | None = None) -> LandscapeModel:
    """Return the model of what a user's callback_fn has returned.

    Args:
        result: (model, network, dataset, metrics) as MindSpore's SummaryLandscape wants them: of MindSpore, or with our
            Model and a PyTorch module or a TrainableNetwork. Of JAX (loss_function, parameters, dataset, metrics):
            `loss_function(parameters, *batch)` returns the mean loss of a batch, or a loss for each of its samples. Or
            a LandscapeModel, which is returned as it is.
        num_samples: how many samples are held, the first ones of the dataset; all where it has fewer.
        device: index of an accelerator where there is one, else the CPU is meant. None: where the network is.

    Raises:
        TypeError: it is something else, or a part of it is.
        ValueError: metrics lack "Loss", the dataset has no samples, or there is no such device.
    """
    checked_integer("num_samples", num_samples, lowest=1)
    if device is not None:
        checked_integer("device", device, lowest=0)
    if isinstance(result, LandscapeModel):
        return result
    if not isinstance(result, tuple | list) or len(result) != 4:
        raise TypeError(f"callback_fn returns (model, network, dataset, metrics), not {shown(result)}.")
    model, network, dataset, metrics = result
    framework = _framework(model, network)
    if framework != "jax":
        _check_metrics(metrics)
    made: LandscapeModel = adapter(framework, "landscape").landscape_model(model, network, dataset, num_samples, device)
    return made


def _framework(model: Any, network: Any) -> str:
    """Return the framework whose adapter makes the model."""
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
        f"of a JAX function that stands in place of the model; not {shown(network)}."
    )


def _check_metrics(metrics: Any) -> None:
    names = list(metrics) if isinstance(metrics, Mapping | list | tuple | set) else [metrics]
    if not any(isinstance(name, str) and name.lower() == "loss" for name in names):
        raise ValueError(f"The metrics of callback_fn hold 'Loss', as {{'Loss': Loss()}} does; not {shown(metrics)}.")
