"""The landscape model of a PyTorch module: weights that are set in place, and samples that stay on the device."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.adapters import is_module
from toposcope.recorder.frameworks.torch.landscape.batch_statistics import has_statistics, recomputed_statistics
from toposcope.recorder.frameworks.torch.landscape.evaluation_settings import EvaluationSettings
from toposcope.recorder.frameworks.torch.landscape.flat_weights import FlatWeights
from toposcope.recorder.frameworks.torch.landscape.hessian_product import hessian_product
from toposcope.recorder.frameworks.torch.landscape.largest_output import largest_output
from toposcope.recorder.frameworks.torch.landscape.losses.blocked_losses import blocked
from toposcope.recorder.frameworks.torch.landscape.losses.compiled_losses import compiled
from toposcope.recorder.frameworks.torch.landscape.losses.sample_losses import SampleLosses, sample_losses
from toposcope.recorder.frameworks.torch.landscape.tuning import MODES, Work, fastest_mode
from toposcope.recorder.frameworks.torch.modules import library, unwrapped
from toposcope.recorder.frameworks.torch.plain_settings import attribute
from toposcope.recorder.frameworks.torch.shadow_module import shadow_of
from toposcope.recorder.landscapes.models.fixed_samples import FixedSamples, first_samples, leaves
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel
from toposcope.recorder.landscapes.models.network_ownership import acquire, release
from toposcope.recorder.landscapes.models.unit_losses import UnitLosses, unit_losses
from toposcope.recorder.landscapes.weights.layout import Layout
from toposcope.recorder.summary import paused
from toposcope.recorder.training.model import Model
from toposcope.recorder.values.arrays.foreign_values import short_repr

Float32s = npt.NDArray[np.float32]
_MAX_BYTES = {"cpu": 1 << 22, "cuda": 1 << 28}
_MIN_SAMPLES = {"cpu": 32, "cuda": 4096}
_MAX_SAMPLES = {"cpu": 512, "cuda": 4096}
_TIMED = 512


class TorchLandscapeModel:
    """The LandscapeModel of a PyTorch module.

    If losses of single samples are available, batches are cut to the size that is fastest to measure: on a CPU at most
    512 samples and 4 MiB for the largest output of a layer, but no fewer than the loader's batch size or 32. One thread
    computes, deterministically and with the same random numbers in each evaluation: every process computes the same
    bits.
    """

    has_hvp = True

    def __init__(self, network: Any, loss_fn: Any, amp_level: str, fixed: FixedSamples, device: Any) -> None:
        """Acquire a module until restore().

        Args:
            network: a torch.nn.Module without wrappers.
            loss_fn: called with its outputs and the last part of the batch; None: the module returns its loss.
            amp_level: "O0" for float32, any other level for torch.autocast.
            fixed: the samples that losses are computed from, on the CPU.
            device: on which to compute.

        Raises:
            ValueError: it has no weights, or weights that cannot be moved, or another model uses it.
        """
        self.network_name = type(network).__name__
        self._torch, self._network = library(), network
        with ExitStack() as undo_stack:
            acquire(network, self)
            undo_stack.callback(release, network, self)
            self._weights = FlatWeights(network, device)
            undo_stack.callback(self._weights.restore)
            self._settings = EvaluationSettings(network, device)
            undo_stack.callback(self._settings.restore)
            self._settings.set()
            self._fixed = fixed.mapped(lambda array: array.to(device))
            self._choose_losses(loss_fn, amp_level)
            self._restore_stack = undo_stack.pop_all()
        self._faster: SampleLosses | None = None
        self.mode = "eager"
        self.samples = fixed.samples
        self.notes: list[str] = []
        if self._losses.rows is None:
            self.notes.append(
                "The loss function returns only means of batches: standard errors are those between batches."
            )

    @property
    def layout(self) -> Layout:
        """The layout of the tensors, by their names in state_dict(); tied weights appear once."""
        return self._weights.layout

    @cached_property
    def data_hash(self) -> str:
        """SHA-256 of the samples."""
        return self._fixed.hash(_array_of)

    @cached_property
    def has_statistics(self) -> bool:
        """Whether there are normalisation layers with running statistics."""
        return has_statistics(self._network)

    def get(self) -> Float32s:
        """Return a copy of the current weights, shape (N,)."""
        return self._weights.get()

    def hold(self, origin: Float32s, directions: Float32s) -> None:
        """Copy an origin, shape (N,), and directions, shape (K, N), to the device."""
        self._weights.hold(origin, directions)

    def move(self, coordinates: Sequence[float]) -> None:
        """Set the weights to origin + sum of coordinates[k] * directions[k]."""
        self._weights.move(coordinates)

    def load(self, flat: Float32s) -> None:
        """Set the weights, shape (N,)."""
        self._weights.load(flat)

    def losses(self, first: int = 0, last: int | None = None) -> UnitLosses:
        """Return the losses of the samples [first, last), in evaluation mode and without gradients."""
        losses: list[Any] = []
        sizes: list[int] = []
        full = self._fixed.starts[1]
        self._weights.check_use()
        with self._settings.measuring(), self._torch.no_grad(), paused():
            for batch, size in self._fixed.between(first, last):
                # Another size would be compiled again.
                losses_of = self._losses if self._faster is None or size != full else self._faster
                losses.append(losses_of.of(batch))
                sizes.append(size)
            values = self._torch.cat(losses).double().cpu().numpy()
        return unit_losses(values, None if self._losses.rows else sizes)

    def recalibrate(self, samples: int = 512) -> None:
        """Recompute the running statistics of normalisation layers from the first samples and the current weights."""
        if not self.has_statistics:
            return
        self._weights.check_use()
        with self._settings.measuring(), self._torch.no_grad(), paused(), recomputed_statistics(self._network):
            for number, (batch, size) in enumerate(self._fixed.between(0, samples)):
                if size > 1 or not number:  # One sample has no variance.
                    self._losses.steps.forward(batch)
        self._weights.read_buffers()

    def hvp(self, vector: Float32s) -> Float32s:
        """Return the Hessian of the mean loss of all samples times a vector, shapes (P,).

        Raises:
            ValueError: the vector has another shape.
            RuntimeError: PyTorch cannot differentiate an operator of the network twice.
        """
        number = self.layout.parameter_count
        if np.shape(vector) != (number,):
            raise ValueError(f"The vector has the shape ({number},), not {np.shape(vector)}.")
        self._weights.check_use()
        on_device = self._torch.from_numpy(np.array(vector, np.float32)).to(self._settings.device)
        with self._settings.measuring(), paused():
            batches = self._fixed.between(0, None)
            product = hessian_product(self._losses.of, batches, self._weights.parameters, on_device)
        result: Float32s = product.cpu().numpy()
        return result

    def tune(self, evaluations: int) -> str:
        """Find, use and return the mode that is fastest for this number of evaluations of all samples."""
        self._weights.check_use()
        size = self._fixed.starts[1]
        timed = min(self.samples, size * max(1, _TIMED // size))
        has_images = any(_channels_last(leaf) is not leaf for leaf in leaves(self._fixed.batches[0]))
        is_on_cpu = self._settings.device.type == "cpu"
        work = Work(evaluations * self.samples / timed, timed, has_images, is_on_cpu)
        self.use(fastest_mode(self, work))
        return self.mode

    def use(self, mode: str) -> None:
        """Compute losses in a mode: "eager", "channels_last", "blocked", "compile" or "channels_last+compile".

        Raises:
            ValueError: there is no such mode, or the network does not support it.
        """
        if mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(map(repr, MODES))}; not {short_repr(mode)}.")
        if mode == self.mode:
            return
        self._fixed = self._fixed.mapped(_channels_last if "channels_last" in mode else _channels_first)
        self._faster, self.mode = None, "channels_last" if "channels_last" in mode else "eager"
        with self._settings.measuring():
            if mode == "blocked":
                self._faster = blocked(self._losses, self._fixed.batches[0])
            elif "compile" in mode:
                self._faster = compiled(self._losses, self._fixed.batches[0])
        self.mode = mode

    def restore(self) -> None:
        """Restore the module's tensors and PyTorch's settings; safe to call again."""
        self._restore_stack.close()

    def _choose_losses(self, loss_fn: Any, amp_level: str) -> None:
        device = self._settings.device
        if is_module(loss_fn):
            # The loss function itself may be in use elsewhere, in another mode and on another device.
            loss_fn = shadow_of(loss_fn, lambda tensor: tensor.to(device)).eval()
        first = self._fixed.batches[0]
        with self._settings.measuring(), paused(), largest_output(self._torch) as output:
            self._losses = sample_losses(self._network, loss_fn, amp_level, first, self._fixed.starts[1])
        if self._losses.rows is not None:
            self._fixed = self._fixed.recut(_batch_size(self._fixed, output.bytes, device), self._torch.cat)
        # Each batch has separate memory, since its alignment may affect the last bits.
        self._fixed = self._fixed.mapped(_channels_first)


def landscape_model(model: Any, network: Any, dataset: Any, num_samples: int, device: int | None) -> LandscapeModel:
    """Return the landscape model of the result of callback_fn; see model_of().

    If the model has an optimizer, only its network and its loss function are used; nothing is trained.

    Raises:
        TypeError: model is not a Model, or the dataset is not iterable.
        ValueError: network is not that of the model, or there is no such device.
    """
    if not isinstance(model, Model):
        raise TypeError(f"The model of callback_fn is a toposcope.recorder.training.Model, not {short_repr(model)}.")
    inner = unwrapped(network)
    if unwrapped(model.train_network) is not inner:
        raise ValueError(f"callback_fn returns a model and its network; the model has another {type(inner).__name__}.")
    torch = library()
    place = _device(torch, inner, device)
    with _generators_restored(torch, dataset):
        fixed = first_samples(dataset, num_samples, lambda array: torch.as_tensor(array).detach().to("cpu", copy=True))
    amp_level = "O0" if model.precision == "fp32" else "auto"
    result = TorchLandscapeModel(inner, model.loss_fn, amp_level, fixed, place)
    if fixed.samples < num_samples:
        result.notes.append(f"The dataset has only {result.samples:,} of {num_samples:,} samples.")
    if "Random" in type(attribute(dataset, "sampler")).__name__:
        result.notes.append("The data loader shuffles: its order is the one with a fixed seed.")
    return result


@contextmanager
def _generators_restored(torch: Any, loader: Any) -> Iterator[None]:
    """Restore a data loader's generators after the block, so that it returns the same samples the next time."""
    generators = [attribute(each, "generator") for each in (loader, attribute(loader, "sampler"))]
    states = [(each, each.get_state()) for each in generators if isinstance(each, torch.Generator)]
    try:
        yield
    finally:
        for generator, state in states:
            generator.set_state(state)


def _device(torch: Any, network: Any, index: int | None) -> Any:
    if index is None:
        return next((tensor.device for tensor in network.parameters()), torch.device("cpu"))
    if not torch.cuda.is_available():
        return torch.device("cpu")
    if index >= torch.cuda.device_count():
        raise ValueError(f"There is no device {index}: there are {torch.cuda.device_count()} GPUs.")
    return torch.device("cuda", index)


def _batch_size(fixed: FixedSamples, bytes_of_batch: int, device: Any) -> int:
    """Return the batch size with the fastest evaluation.

    On a CPU, outputs should fit into caches and into memory that is reused: the C allocator requests larger blocks from
    the system each time, and clearing their pages may take longer than the layer. But batches are no smaller than the
    loader's, up to 32 samples, and on a GPU not reduced at all: there small batches cost more than they save.
    """
    kind = "cuda" if device.type == "cuda" else "cpu"
    loader_size = max(stop - start for start, stop in pairwise(fixed.starts))
    bytes_of_sample = max(1, bytes_of_batch // fixed.starts[1])
    fitting = 1 << max(0, (_MAX_BYTES[kind] // bytes_of_sample).bit_length() - 1)
    return min(_MAX_SAMPLES[kind], max(fitting, min(loader_size, _MIN_SAMPLES[kind])))


def _channels_last(array: Any) -> Any:
    """Return images with the channels of a pixel in adjacent memory, which PyTorch's CPU kernels process faster."""
    torch = library()
    if not torch.is_tensor(array) or array.ndim not in (4, 5) or not array.is_floating_point():
        return array
    return array.to(memory_format=torch.channels_last if array.ndim == 4 else torch.channels_last_3d)


def _channels_first(array: Any) -> Any:
    torch = library()
    # Not contiguous(), which does not change images of one channel.
    return array.clone(memory_format=torch.contiguous_format) if torch.is_tensor(array) else array


def _array_of(tensor: Any) -> npt.NDArray[Any]:
    plain = tensor.detach().cpu().contiguous()
    array: npt.NDArray[Any] = (
        plain.reshape(-1).view(library().uint8).numpy() if plain.numel() else np.empty(0, np.uint8)
    )
    return array.reshape(len(plain) if plain.ndim else 1, -1)
