"""LandscapeModel: what a loss landscape needs of a network of any framework, and how it is made from callback_fn."""

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.frameworks.mindspore.cell import is_cell
from toposcope.recorder.frameworks.torch.modules import is_module
from toposcope.recorder.landscapes.weights.layout import Layout
from toposcope.recorder.training.network import TrainableNetwork
from toposcope.recorder.values.foreign import shown

Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]


class LossSums(NamedTuple):
    """The loss of some samples, as sums that add up over samples measured one after the other.

    A unit is what has a loss of its own: a sample, or a batch where only the means of batches are known.
    """

    samples: int
    units: int
    total: float
    """Of the losses of the units, each times its samples."""
    squares: float
    """Of the squares of the losses of the units, each times its samples."""

    @property
    def mean(self) -> float:
        """The loss: that of all samples on average."""
        return self.total / self.samples

    @property
    def standard_error(self) -> float:
        """How far the mean of other samples may be: from the spread between units, NaN where there is only one."""
        if self.units < 2 or not math.isfinite(self.squares):
            return math.nan
        return math.sqrt(max(self.squares / self.samples - self.mean**2, 0.0) / (self.units - 1))


def sums_of(losses: npt.NDArray[Any], samples: npt.NDArray[np.int64] | None = None) -> LossSums:
    """Return the sums of the losses of units, in double precision.

    Args:
        losses: shape (U,), of any floating dtype.
        samples: shape (U,), how many samples each unit has; None: one.
    """
    exact = losses.astype(np.float64)
    number = len(exact) if samples is None else int(samples.sum())
    with np.errstate(all="ignore"):  # Losses far out may be anything.
        weighted = exact if samples is None else exact * samples
        return LossSums(number, len(exact), float(weighted.sum()), float((weighted * exact).sum()))


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
    if framework != "jax.":
        _check_metrics(metrics)
    module = import_module(f"toposcope.recorder.frameworks.{framework}landscape_model")
    made: LandscapeModel = module.landscape_model(model, network, dataset, num_samples, device)
    return made


def _framework(model: Any, network: Any) -> str:
    """Return how the name of the module begins that knows the framework."""
    if is_module(network):
        return "torch."
    if is_cell(network):
        return "mindspore."
    if isinstance(network, TrainableNetwork):
        return "plain_"
    if callable(model) and not hasattr(model, "train_network"):
        return "jax."
    raise TypeError(
        "The network of callback_fn is a torch.nn.Module, a mindspore.nn.Cell, a TrainableNetwork, or the parameters "
        f"of a JAX function that stands in place of the model; not {shown(network)}."
    )


def _check_metrics(metrics: Any) -> None:
    names = list(metrics) if isinstance(metrics, Mapping | list | tuple | set) else [metrics]
    if not any(isinstance(name, str) and name.lower() == "loss" for name in names):
        raise ValueError(f"The metrics of callback_fn hold 'Loss', as {{'Loss': Loss()}} does; not {shown(metrics)}.")
