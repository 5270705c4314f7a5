"""The landscape of a network without a framework: weights through load_parameters(), losses from eval_step()."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.framework import framework_of
from toposcope.recorder.landscapes.models.blas_threads import BlasThreads
from toposcope.recorder.landscapes.models.fixed_samples import FixedSamples, first_samples, fixed_randomness
from toposcope.recorder.landscapes.models.host_model import HostModel
from toposcope.recorder.landscapes.models.host_weights import HostWeights
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel
from toposcope.recorder.landscapes.models.loss_sums import LossSums, sums_of
from toposcope.recorder.landscapes.models.network_ownership import give_back, take
from toposcope.recorder.landscapes.weights.layout import kind_by_name, layout_of
from toposcope.recorder.summary import paused
from toposcope.recorder.training.batch import parts_of
from toposcope.recorder.training.network import TrainableNetwork
from toposcope.recorder.values.foreign import shown

Float32s = npt.NDArray[np.float32]


class PlainLandscapeModel(HostModel):
    """A TrainableNetwork whose weights are moved about; see LandscapeModel.

    eval_step() gives the loss of a batch, or a loss for each of its samples. Arrays keep their dtypes, and those that
    are no floating-point numbers their values. Random numbers of Python and NumPy are the same in each evaluation, and
    BLAS computes with one thread, as it does in worker processes.
    """

    has_statistics = False

    def __init__(self, network: TrainableNetwork, held: FixedSamples) -> None:
        """Take a network over, until restore().

        Args:
            network: with floating-point parameters.
            held: its samples.

        Raises:
            ValueError: it has no weights.
        """
        self.network_name = framework_of(network).class_name(network) or "network"
        self._network, self._held = network, held
        self._originals = {name: np.array(value) for name, value in network.parameters().items()}
        floating = {name: array for name, array in self._originals.items() if array.dtype.kind == "f"}
        if not floating:
            raise ValueError(f"The {self.network_name} has no floating-point parameters to be moved.")
        self.layout = layout_of(
            (name, array.shape, kind_by_name(name, array.shape)) for name, array in floating.items()
        )
        self._weights = HostWeights(self.layout, floating)
        self._blas = BlasThreads()
        take(network, self)
        self.samples = held.samples
        self.notes: list[str] = []

    @cached_property
    def data_hash(self) -> str:
        """SHA-256 of the held samples."""
        return self._held.hash(np.asarray)

    def loss(self, first: int = 0, last: int | None = None) -> LossSums:
        """Return the loss of the held samples [first, last).

        Raises:
            TypeError: eval_step() returns no loss.
        """
        self._weights.check_use()
        losses, sizes = [], []
        with paused(), fixed_randomness(), self._blas.one():
            for batch, size in self._held.between(first, last):
                own = _loss(self._network, batch)
                is_of_samples = own.shape == (size,)
                losses.append(own if is_of_samples else own.mean(keepdims=True).reshape(1))
                sizes.append(np.ones(size, np.int64) if is_of_samples else np.array([size]))
        return sums_of(np.concatenate(losses), np.concatenate(sizes))

    def recalibrate(self, samples: int = 512) -> None:
        """Do nothing: nobody knows statistics here."""

    def restore(self) -> None:
        """Load the parameters that the network had."""
        if not self._weights.is_done:
            self._weights.is_done = True
            give_back(self._network, self)
            self._network.load_parameters({name: array.copy() for name, array in self._originals.items()})

    def _write(self) -> None:
        arrays = {name: array.copy() for name, array in self._originals.items()} | self._weights.arrays()
        self._network.load_parameters(arrays)


def landscape_model(model: Any, network: Any, dataset: Any, num_samples: int, device: int | None) -> LandscapeModel:
    """Return the model of what callback_fn has returned; see model_of(). The device is the network's own affair."""
    made = PlainLandscapeModel(network, first_samples(dataset, num_samples, _copied))
    if made.samples < num_samples:
        made.notes.append(f"The dataset has {made.samples:,} samples; {num_samples:,} were wanted.")
    return made


def _copied(array: Any) -> Any:
    return array.copy() if hasattr(array, "copy") else array


def _loss(network: TrainableNetwork, batch: Any) -> npt.NDArray[Any]:
    result = network.eval_step(*parts_of(batch))
    if not isinstance(result, tuple) or len(result) != 3 or result[0] is None:
        raise TypeError(f"For a loss landscape eval_step() returns (loss, outputs, labels), not {shown(result)}.")
    return np.asarray(result[0], dtype=np.float64)
