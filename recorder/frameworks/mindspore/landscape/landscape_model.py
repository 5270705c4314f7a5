"""The landscape model of a MindSpore Cell: its parameters are assigned in place, its loss is that of evaluation."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.adapters import is_cell
from toposcope.recorder.frameworks.mindspore.facts.cell import backbone_of
from toposcope.recorder.frameworks.mindspore.facts.dataset import is_dataset
from toposcope.recorder.frameworks.mindspore.facts.operators import take_operator_values
from toposcope.recorder.frameworks.mindspore.facts.state import network_state_of
from toposcope.recorder.frameworks.mindspore.landscape.moving_statistics import normalisations_in, recompute_statistics
from toposcope.recorder.landscapes.models.fixed_samples import FixedSamples, first_samples, fixed_randomness
from toposcope.recorder.landscapes.models.host_model import HostModel
from toposcope.recorder.landscapes.models.host_weights import HostWeights
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel
from toposcope.recorder.landscapes.models.network_ownership import acquire, release
from toposcope.recorder.landscapes.models.unit_losses import UnitLosses, unit_losses
from toposcope.recorder.landscapes.weights.layout import kind_by_name, layout_of
from toposcope.recorder.summary import paused
from toposcope.recorder.training.data.batch import parts_of
from toposcope.recorder.values.arrays.foreign_values import short_repr

Float32s = npt.NDArray[np.float32]
_SEED = 0


class CellLandscapeModel(HostModel):
    """The LandscapeModel of a Cell.

    Losses are those of batches, of the dataset's batch size. Values of summary operators in the network are dropped,
    since they would be recorded in the summary of the training.
    """

    def __init__(self, network: Any, loss_fn: Any, fixed: FixedSamples) -> None:
        """Acquire a Cell until restore().

        Args:
            network: the user's Cell.
            loss_fn: called with its outputs and the last column; None: the Cell returns its loss.
            fixed: the samples that losses are computed from, as NumPy arrays.

        Raises:
            ValueError: it has no floating-point parameters, or another model uses it.
        """
        self._mindspore: Any = sys.modules["mindspore"]
        self.network_name = type(network).__name__
        self._network, self._loss_fn = network, loss_fn
        self._parameters = {
            name: parameter for name, parameter in network_state_of(network).items() if _is_floating(parameter)
        }
        if not self._parameters:
            raise ValueError(f"The {self.network_name} has no weights to move.")
        values = {name: self._array_of(parameter) for name, parameter in self._parameters.items()}
        self.layout = layout_of((name, array.shape, kind_by_name(name, array.shape)) for name, array in values.items())
        self._weights = HostWeights(self.layout, values)
        self._originals = {name: parameter.value().copy() for name, parameter in self._parameters.items()}
        self._joined = fixed.recut(512, np.concatenate)
        self.data_hash = fixed.hash(np.asarray)
        self._fixed = fixed.mapped(self._mindspore.Tensor)
        self.samples = fixed.samples
        self.notes: list[str] = []
        cells = [cell for each in (network, loss_fn) if is_cell(each) for _, cell in each.cells_and_names()]
        acquire(network, self)
        self._modes = [(cell, cell.training, cell.phase) for cell in cells]
        for each in (network, loss_fn):
            if is_cell(each):
                each.set_train(False)

    @cached_property
    def has_statistics(self) -> bool:
        """Whether there are normalisation layers with moving statistics."""
        return bool(normalisations_in(self._network))

    def losses(self, first: int = 0, last: int | None = None) -> UnitLosses:
        """Return the losses of the batches of the samples [first, last), in evaluation mode."""
        self._weights.check_use()
        losses, sizes = [], []
        with self._unrecorded():
            for batch, size in self._fixed.between(first, last):
                losses.append(self._loss(parts_of(batch)).mean(dtype=np.float64))
                sizes.append(size)
        return unit_losses(losses, sizes)

    def recalibrate(self, samples: int = 512) -> None:
        """Recompute the moving statistics from the first samples, as one batch, and the current weights."""
        self._weights.check_use()
        if not self.has_statistics:
            return
        batch, _ = next(self._joined.between(0, samples))
        inputs = [self._mindspore.Tensor(array) for array in self._inputs(parts_of(batch))]
        with self._unrecorded():
            recompute_statistics(self._network, lambda: self._network(*inputs))
        for tensor in self.layout.tensors:
            if tensor.kind == "buffer":
                statistics = self._array_of(self._parameters[tensor.name])
                self._weights.flat[tensor.start : tensor.stop] = statistics.reshape(-1)

    def restore(self) -> None:
        """Restore the weights of the Cell and the mode of every cell in it."""
        if self._weights.is_restored:
            return
        self._weights.is_restored = True
        for name, original in self._originals.items():
            self._mindspore.ops.assign(self._parameters[name], original)
        for cell, is_training, phase in self._modes:
            cell.add_flags(training=is_training)
            cell.phase = phase
        release(self._network, self)

    def _loss(self, batch: tuple[Any, ...]) -> npt.NDArray[Any]:
        outputs = self._network(*self._inputs(batch))
        if self._loss_fn is not None:
            outputs = self._loss_fn(outputs, batch[-1])
        loss: npt.NDArray[Any] = (outputs[0] if isinstance(outputs, tuple) else outputs).asnumpy()
        return loss

    def _inputs(self, batch: tuple[Any, ...]) -> tuple[Any, ...]:
        return batch if self._loss_fn is None else batch[:-1]

    def _write(self) -> None:
        for name, array in self._weights.arrays().items():
            parameter = self._parameters[name]
            # In place: compiled graphs keep using the same memory.
            self._mindspore.ops.assign(parameter, self._mindspore.Tensor(array).astype(parameter.dtype))

    def _array_of(self, parameter: Any) -> Float32s:
        array: Float32s = parameter.value().astype(self._mindspore.float32).asnumpy()
        return array

    @contextmanager
    def _unrecorded(self) -> Iterator[None]:
        with paused():
            yield
        take_operator_values()


def landscape_model(model: Any, network: Any, dataset: Any, num_samples: int, device: int | None) -> LandscapeModel:
    """Return the landscape model of the result of callback_fn; see model_of().

    If the model has an optimizer, only its network and its loss function are used; its training step never runs.

    Raises:
        TypeError: model is not a mindspore.Model, or the dataset is not iterable.
        ValueError: network is not that of the model.
    """
    mindspore: Any = sys.modules["mindspore"]
    if not hasattr(model, "_loss_fn") or not hasattr(model, "_network"):
        raise TypeError(f"The model of callback_fn is a mindspore.Model, not {short_repr(model)}.")
    inner = backbone_of(network)
    if backbone_of(model._network) is not inner:
        raise ValueError(f"callback_fn returns a model and its network; the model has another {type(inner).__name__}.")
    if device is not None and mindspore.get_context("device_target") != "CPU":
        mindspore.set_context(device_id=device)
    # A network that contains its loss is evaluated as a whole.
    evaluated = inner if model._loss_fn is not None else network
    result = CellLandscapeModel(evaluated, model._loss_fn, _fixed_samples(mindspore, dataset, num_samples))
    if result.samples < num_samples:
        result.notes.append(f"The dataset has only {result.samples:,} of {num_samples:,} samples.")
    return result


def _fixed_samples(mindspore: Any, dataset: Any, number: int) -> FixedSamples:
    if not is_dataset(dataset):
        return first_samples(
            dataset, number, lambda array: np.array(array.asnumpy() if hasattr(array, "asnumpy") else array)
        )
    config = mindspore.dataset.config
    seed = config.get_seed()
    with fixed_randomness():  # MindSpore's set_seed() also seeds the generators of Python and NumPy.
        config.set_seed(_SEED)
        try:
            return first_samples(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True), number, np.array)
        finally:
            config.set_seed(seed)


def _is_floating(parameter: Any) -> bool:
    return "loat" in str(parameter.dtype)
