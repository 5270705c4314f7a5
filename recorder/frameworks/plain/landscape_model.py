"""The landscape model of a network without a framework: it uses load_parameters() and eval_step()."""

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
from toposcope.recorder.landscapes.models.network_ownership import acquire, release
from toposcope.recorder.landscapes.models.unit_losses import UnitLosses, unit_losses
from toposcope.recorder.landscapes.weights.layout import kind_by_name, layout_of
from toposcope.recorder.summary import paused
from toposcope.recorder.training.data.batch import parts_of
from toposcope.recorder.training.loops.network import TrainableNetwork
from toposcope.recorder.values.arrays.foreign_values import short_repr

Float32s = npt.NDArray[np.float32]


class PlainLandscapeModel(HostModel):
    """The LandscapeModel of a TrainableNetwork.

    eval_step() returns the loss of a batch, or one loss for each of its samples. Arrays keep their dtypes; arrays that
    are not floating-point keep their values. Each evaluation starts with the same states of the random generators of
    Python and NumPy, and BLAS uses one thread, as it does in worker processes.
    """

    has_statistics = False

    def __init__(self, network: TrainableNetwork, fixed: FixedSamples) -> None:
        """Acquire a network until restore().

        Args:
            network: its parameters include floating-point arrays.
            fixed: the samples that losses are computed from.

        Raises:
            ValueError: it has no floating-point parameters, or another model uses it.
        """
        self.network_name = framework_of(network).class_name(network) or "network"
        self._network, self._fixed = network, fixed
        self._originals = {name: np.array(value) for name, value in network.parameters().items()}
        floating = {name: array for name, array in self._originals.items() if array.dtype.kind == "f"}
        if not floating:
            raise ValueError(f"The {self.network_name} has no floating-point parameters to move.")
        self.layout = layout_of(
            (name, array.shape, kind_by_name(name, array.shape)) for name, array in floating.items()
        )
        self._weights = HostWeights(self.layout, floating)
        self._blas = BlasThreads()
        acquire(network, self)
        self.samples = fixed.samples
        self.notes: list[str] = []

    @cached_property
    def data_hash(self) -> str:
        """SHA-256 of the samples."""
        return self._fixed.hash(np.asarray)

    def losses(self, first: int = 0, last: int | None = None) -> UnitLosses:
        """Return the losses of the samples [first, last).

        Raises:
            TypeError: eval_step() does not return a loss.
        """
        self._weights.check_use()
        losses, sizes = [], []
        with paused(), fixed_randomness(), self._blas.one():
            for batch, size in self._fixed.between(first, last):
                losses_of_batch = _loss(self._network, batch)
                is_of_samples = losses_of_batch.shape == (size,)
                losses.append(losses_of_batch if is_of_samples else losses_of_batch.mean(keepdims=True).reshape(1))
                sizes.append(np.ones(size, np.int64) if is_of_samples else np.array([size]))
        return unit_losses(np.concatenate(losses), np.concatenate(sizes))

    def recalibrate(self, samples: int = 512) -> None:
        """Do nothing: there are no known statistics."""

    def restore(self) -> None:
        """Restore the parameters that the network had at first."""
        if not self._weights.is_restored:
            self._weights.is_restored = True
            release(self._network, self)
            self._network.load_parameters({name: array.copy() for name, array in self._originals.items()})

    def _write(self) -> None:
        arrays = {name: array.copy() for name, array in self._originals.items()} | self._weights.arrays()
        self._network.load_parameters(arrays)


def landscape_model(model: Any, network: Any, dataset: Any, num_samples: int, device: int | None) -> LandscapeModel:
    """Return the model of the result of callback_fn; see model_of(). The network itself chooses its device."""
    result = PlainLandscapeModel(network, first_samples(dataset, num_samples, _copied))
    if result.samples < num_samples:
        result.notes.append(f"The dataset has only {result.samples:,} of {num_samples:,} samples.")
    return result


def _copied(array: Any) -> Any:
    return array.copy() if hasattr(array, "copy") else array


def _loss(network: TrainableNetwork, batch: Any) -> npt.NDArray[Any]:
    result = network.eval_step(*parts_of(batch))
    if not isinstance(result, tuple) or len(result) != 3 or result[0] is None:
        raise TypeError(
            f"A loss landscape needs an eval_step() that returns (loss, outputs, labels), not {short_repr(result)}."
        )
    return np.asarray(result[0], dtype=np.float64)
