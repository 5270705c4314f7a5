"""The landscape model of a JAX function: a vector of parameters on the device, and a compiled loss."""

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.frameworks.jax.named_leaves import named_leaves
from toposcope.recorder.landscapes.models.fixed_samples import FixedSamples, first_samples, fixed_randomness
from toposcope.recorder.landscapes.models.host_weights import (
    RESTORED,
    check_coordinates,
    check_directions,
    check_weights,
)
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel
from toposcope.recorder.landscapes.models.unit_losses import UnitLosses, unit_losses
from toposcope.recorder.landscapes.weights.layout import Layout, kind_by_name, layout_of
from toposcope.recorder.training.data.batch import parts_of
from toposcope.recorder.values.arrays.foreign_values import short_repr

Float32s = npt.NDArray[np.float32]


class JaxLandscapeModel:
    """The LandscapeModel of a loss function.

    No object of the user is changed. Leaves of a pytree keep their dtypes; leaves that are not floating-point keep
    their values.

    Statistics of normalisation layers are buffers if the name of a leaf contains "batch_stats", as in Flax, or ends as
    in PyTorch and MindSpore ("running_var"); the user adds them to the parameters if the function reads them. Along
    axes of checkpoints they move with those of the checkpoints. Only the user's training code knows how they are
    computed from data, so recalibrate() does nothing; a function that normalises with the statistics of each batch has
    nearly that effect.

    XLA has one thread pool for a process, with as many threads as there are processors: losses have the same bits in
    all processes that may use equally many processors of the same kind.
    """

    has_hvp, has_statistics = True, False
    mode = "eager"

    def __init__(self, loss_function: Any, parameters: Any, fixed: FixedSamples, device: Any) -> None:
        """Compile a function.

        Args:
            loss_function: called with parameters and the parts of a batch; returns the mean loss of the batch, or one
                loss for each sample, as in evaluation.
            parameters: a pytree of arrays.
            fixed: the samples that losses are computed from.
            device: a JAX device; None: the default device.

        Raises:
            ValueError: there are no floating-point parameters.
        """
        self._jax: Any = import_module("jax")
        self._numpy: Any = import_module("jax.numpy")
        self.network_name = str(getattr(loss_function, "__name__", type(loss_function).__name__))
        self._device = device
        values = named_leaves(parameters)
        is_moved = {
            name: bool(self._numpy.issubdtype(self._numpy.result_type(leaf), np.floating))
            for name, leaf in values.items()
        }
        if not any(is_moved.values()):
            raise ValueError(
                f"The parameters of {self.network_name} contain no floating-point arrays: {short_repr(parameters)}."
            )
        self.layout: Layout = layout_of(
            (name, np.shape(leaf), _kind(name, np.shape(leaf))) for name, leaf in values.items() if is_moved[name]
        )
        self._parameters_of = _Unflattened(self._jax, parameters, self.layout)
        flat = np.concatenate([np.asarray(values[each.name], np.float32).reshape(-1) for each in self.layout.tensors])
        self._flat: Any = self._put(flat)
        self._directions: Any = None
        self._fixed = fixed.mapped(self._put)
        self._is_restored = False
        self._compile(loss_function)
        self.samples = fixed.samples
        self.notes: list[str] = []
        if self.layout.parameter_count < self.layout.size:
            self.notes.append(
                "On random axes the statistics of normalisations stay those of the checkpoint, because only the user "
                "knows how to recompute them: losses there are higher than with recomputed statistics."
            )
        first, size = next(self._fixed.between(0, None))
        is_of_samples = self._jax.eval_shape(self._losses, self._flat, first).shape == (size,)
        if is_of_samples:
            self._fixed = self._fixed.recut(
                min(512, max(np.diff(self._fixed.starts).tolist())), self._numpy.concatenate
            )

    @cached_property
    def data_hash(self) -> str:
        """SHA-256 of the samples."""
        return self._fixed.hash(np.asarray)

    def get(self) -> Float32s:
        """Return a copy of the current parameters, shape (N,)."""
        return np.array(self._flat)

    def hold(self, origin: Float32s, directions: Float32s) -> None:
        """Copy an origin, shape (N,), and directions, shape (K, N), to the device."""
        check_directions(self.layout, origin, directions)
        self._origin = self._put(np.array(origin, np.float32))
        self._directions = self._put(np.array(directions, np.float32))

    def move(self, coordinates: Sequence[float]) -> None:
        """Set the parameters to origin + sum of coordinates[k] * directions[k]."""
        self._check_use()
        is_held = self._directions is not None
        check_coordinates(is_held, len(self._directions) if is_held else 0, coordinates)
        self._flat = self._moved(self._origin, self._directions, np.array(coordinates, np.float32))

    def load(self, flat: Float32s) -> None:
        """Set the parameters, shape (N,)."""
        self._check_use()
        check_weights(self.layout, flat)
        self._flat = self._put(np.array(flat, np.float32))

    def losses(self, first: int = 0, last: int | None = None) -> UnitLosses:
        """Return the losses of the samples [first, last)."""
        self._check_use()
        losses, counts = [], []
        with fixed_randomness():
            for batch, size in self._fixed.between(first, last):
                result = self._losses(self._flat, batch)
                is_of_samples = result.shape == (size,)
                losses.append(result if is_of_samples else result.mean().reshape(1))
                counts.append(np.ones(size, np.int64) if is_of_samples else np.array([size]))
        return unit_losses(np.concatenate([np.asarray(each, np.float64) for each in losses]), np.concatenate(counts))

    def recalibrate(self, samples: int = 512) -> None:
        """Do nothing: only the user knows how statistics are computed."""

    def hvp(self, vector: Float32s) -> Float32s:
        """Return the Hessian of the mean loss of all samples times a vector, shapes (P,)."""
        self._check_use()
        trained = self.layout.parameter_count
        if np.shape(vector) != (trained,):
            raise ValueError(f"The vector has the shape ({trained},), not {np.shape(vector)}.")
        whole = np.zeros(self.layout.size, np.float32)
        whole[:trained] = vector
        along, product = self._put(whole), np.zeros(self.layout.size, np.float64)
        for batch, size in self._fixed.between(0, None):
            product += size * np.asarray(self._product(self._flat, along, batch), np.float64)
        return (product[:trained] / self.samples).astype(np.float32)

    def tune(self, evaluations: int) -> str:
        """Return "eager": the function is always compiled."""
        return self.mode

    def use(self, mode: str) -> None:
        """Raise ValueError unless the mode is "eager"."""
        if mode != self.mode:
            raise ValueError(f"mode is 'eager', the only mode; not {short_repr(mode)}.")

    def restore(self) -> None:
        """End the use of the model."""
        self._is_restored = True

    def _compile(self, loss_function: Any) -> None:
        jax = self._jax

        def losses(flat: Any, batch: Any) -> Any:
            return loss_function(self._parameters_of(flat), *parts_of(batch))

        def product(flat: Any, along: Any, batch: Any) -> Any:
            gradient = jax.grad(lambda at: losses(at, batch).mean())
            return jax.jvp(gradient, (flat,), (along,))[1]

        variances = self.layout.variances

        def moved(origin: Any, directions: Any, coordinates: Any) -> Any:
            flat = origin
            for k in range(len(directions)):
                flat = flat + coordinates[k] * directions[k]
            # Factors, so that variances stay positive.
            logarithms = sum(coordinates[k] * directions[k][variances] for k in range(len(directions)))
            return flat.at[variances].set(origin[variances] * self._numpy.exp(logarithms))

        self._losses, self._product, self._moved = jax.jit(losses), jax.jit(product), jax.jit(moved)

    def _put(self, array: Any) -> Any:
        return self._jax.device_put(array, self._device)

    def _check_use(self) -> None:
        if self._is_restored:
            raise ValueError(RESTORED)


class _Unflattened:
    """Converts a vector to a pytree: leaves in the layout are slices of the vector, other leaves keep their values."""

    def __init__(self, jax: Any, parameters: Any, layout: Layout) -> None:
        self._structure = jax.tree_util.tree_structure(parameters)
        self._leaves = list(named_leaves(parameters).items())
        self._places = {tensor.name: tensor for tensor in layout.tensors}
        self._jax = jax

    def __call__(self, flat: Any) -> Any:
        """Return the pytree."""
        return self._jax.tree_util.tree_unflatten(self._structure, [self._leaf(flat, *named) for named in self._leaves])

    def _leaf(self, flat: Any, name: str, leaf: Any) -> Any:
        if (place := self._places.get(name)) is None:
            return leaf
        return flat[place.start : place.stop].reshape(place.shape).astype(self._jax.numpy.result_type(leaf))


def landscape_model(model: Any, network: Any, dataset: Any, num_samples: int, device: int | None) -> LandscapeModel:
    """Return the model of the result of callback_fn, a loss function and its parameters; see model_of().

    Raises:
        ValueError: there is no such device.
    """
    jax: Any = import_module("jax")
    fixed = first_samples(dataset, num_samples, np.array)
    result = JaxLandscapeModel(model, network, fixed, _device(jax, device))
    if fixed.samples < num_samples:
        result.notes.append(f"The dataset has only {fixed.samples:,} of {num_samples:,} samples.")
    return result


def _device(jax: Any, index: int | None) -> Any:
    devices = jax.local_devices()
    if index is None or devices[0].platform == "cpu":
        return None if index is None else devices[0]
    if index >= len(devices):
        raise ValueError(f"There is no device {index}: there are {len(devices)} devices of {devices[0].platform}.")
    return devices[index]


def _kind(name: str, shape: tuple[int, ...]) -> str:
    lower, last = name.lower(), name.rsplit("/", 1)[-1]
    if "batch_stats" in lower:
        return "buffer"
    if "norm" in lower and len(shape) < 2:
        return "norm"
    return "embedding" if last == "embedding" else kind_by_name(name, shape)
