"""FlatWeights: the parameters and buffers of a module as one vector on its device, through which they are set."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.landscapes.models.host_weights import (
    RESTORED,
    check_coordinates,
    check_directions,
    check_weights,
)
from toposcope.recorder.landscapes.weights.layout import Layout, layout_of

_NORMS = ("LayerNorm", "GroupNorm", "RMSNorm")


class _Tensor(NamedTuple):
    """A parameter or buffer, and where the module stores it."""

    name: str
    value: Any
    owner: Any
    """The dict of the module that contains it."""
    key: str
    kind: str | None
    """Its kind in the layout; None if it keeps its value, because it is not floating-point or not in checkpoints."""


class FlatWeights:
    """The tensors of a module as one float32 vector until restore().

    Contiguous float32 tensors become views of the vector; the others are written, rounded, whenever it changes. The
    memory of the module's own tensors is not modified, and restore() puts it back. Buffers that a forward pass changes
    are reset with every change of the weights.
    """

    def __init__(self, module: Any, device: Any) -> None:
        """Replace the memory of the module's tensors.

        Args:
            module: a torch.nn.Module without wrappers.
            device: where its tensors are placed.

        Raises:
            ValueError: there are no weights, or a tensor is not initialised, sparse, quantized or complex.
        """
        torch: Any = library()
        self._torch = torch
        tensors = list(_tensors(module))
        for tensor in tensors:
            _check(tensor)
        if not any(each.kind not in (None, "buffer") for each in tensors):
            raise ValueError(f"The {type(module).__name__} has no weights to move.")
        moved = sorted((each for each in tensors if each.kind is not None), key=lambda each: each.kind == "buffer")
        self.layout: Layout = layout_of((each.name, tuple(each.value.shape), str(each.kind)) for each in moved)
        self._flat = torch.empty(self.layout.size, dtype=torch.float32, device=device)
        self._originals = [(each, each.value.data) for each in tensors]
        self._written: list[tuple[Any, Any]] = []
        try:
            for each, place in zip(moved, self.layout.tensors, strict=True):
                self._attach(each.value, self._flat[place.start : place.stop].view(place.shape))
            self._copy_others([each.value for each in tensors if each.kind is None], device)
        except BaseException:  # For example, the memory of a GPU may be full.
            self.restore()
            raise
        self._origin: Any = None
        self._directions: tuple[Any, ...] = ()
        self._variances = torch.from_numpy(self.layout.variances).to(device)
        self._logarithmic: tuple[Any, ...] = ()
        self._is_restored = False

    @property
    def parameters(self) -> list[Any]:
        """The parameters in the order of the layout."""
        return [each.value for each, _ in self._originals if each.kind not in (None, "buffer")]

    def get(self) -> npt.NDArray[np.float32]:
        """Return a copy of the vector."""
        flat: npt.NDArray[np.float32] = self._flat.cpu().numpy().copy()
        return flat

    def hold(self, origin: npt.NDArray[np.float32], directions: npt.NDArray[np.float32]) -> None:
        """Copy an origin, shape (N,), and directions, shape (K, N), to the device."""
        check_directions(self.layout, origin, directions)
        self._origin, self._directions = self._copied(origin), tuple(map(self._copied, directions))
        self._logarithmic = tuple(direction[self._variances] for direction in self._directions)
        for direction in self._directions:
            direction[self._variances] = 0

    def move(self, coordinates: Sequence[float]) -> None:
        """Set the vector to origin + sum of coordinates[k] * directions[k], added in this order.

        Variances are multiplied by the exponential of that sum instead, so that they stay positive.
        """
        self.check_use()
        check_coordinates(self._origin is not None, len(self._directions), coordinates)
        with self._torch.no_grad():
            start = self._origin
            for coordinate, direction in zip(coordinates, self._directions, strict=True):
                self._torch.add(start, direction, alpha=float(coordinate), out=self._flat)
                start = self._flat
            if len(self._variances):
                moved = zip(coordinates, self._logarithmic, strict=True)
                self._flat[self._variances] *= sum(float(along) * direction for along, direction in moved).exp()
        self._write()

    def load(self, flat: npt.NDArray[np.float32]) -> None:
        """Set the vector, shape (N,)."""
        self.check_use()
        check_weights(self.layout, flat)
        self._flat.copy_(self._copied(flat))
        self._write()

    def read_buffers(self) -> None:
        """Copy buffers that a forward pass has written into the vector, where they are not views of it."""
        trained = self.layout.parameter_count
        with self._torch.no_grad():
            for tensor, view in self._written:
                if view.storage_offset() >= trained:
                    view.copy_(tensor)

    def restore(self) -> None:
        """Restore the module's own memory, and every buffer that a forward pass has replaced."""
        self._is_restored = True
        for tensor, data in self._originals:
            tensor.value.data = data
            tensor.owner[tensor.key] = tensor.value

    def check_use(self) -> None:
        """Raise ValueError after restore()."""
        if self._is_restored:
            raise ValueError(RESTORED)

    def _attach(self, tensor: Any, view: Any) -> None:
        """Make a tensor a view of the vector, or one that is written from it; its values stay the same."""
        original = tensor.data
        view.copy_(original)
        if original.dtype == self._torch.float32 and original.is_contiguous():
            tensor.data = view
        else:
            tensor.data = original.to(device=view.device, copy=True)
            self._written.append((tensor.data, view))

    def _copy_others(self, tensors: list[Any], device: Any) -> None:
        """Copy the tensors that keep their values to separate memory."""
        for tensor in tensors:
            tensor.data = tensor.data.to(device=device, copy=True)
        self._fixed = [(tensor.data, tensor.data.clone()) for tensor in tensors]
        self._buffers = [each for each, _ in self._originals if each.owner is not None]

    def _write(self) -> None:
        for buffer in self._buffers:
            buffer.owner[buffer.key] = buffer.value
        with self._torch.no_grad():
            for tensor, value in self._fixed:
                tensor.copy_(value)
            if self._written:
                tensors, views = zip(*self._written, strict=True)
                self._torch._foreach_copy_(tensors, views)

    def _copied(self, array: npt.NDArray[np.float32]) -> Any:
        # A copy: arrays may be mapped from read-only files.
        return self._torch.from_numpy(np.array(array, np.float32)).to(self._flat.device)


def _tensors(module: Any) -> Iterator[_Tensor]:
    """Yield every tensor once, parameters first, under its first name in the module's state_dict()."""
    seen: set[int] = set()
    for kind in ("_parameters", "_buffers"):
        for prefix, part in module.named_modules():
            owner = getattr(part, kind)
            for key, value in owner.items():
                if value is None or id(value) in seen:
                    continue
                seen.add(id(value))
                name = f"{prefix}.{key}" if prefix else key
                yield _Tensor(name, value, owner, key, _kind(part, key, value, kind == "_buffers"))


def _kind(module: Any, key: str, value: Any, is_buffer: bool) -> str | None:
    if is_buffer:
        is_saved = key not in module._non_persistent_buffers_set
        return "buffer" if is_saved and value.is_floating_point() else None
    if not value.is_floating_point() and not value.is_complex():
        return None
    name = type(module).__name__
    if hasattr(module, "running_mean") or ("norm" in name.lower() and value.ndim < 2) or name in _NORMS:
        return "norm"
    if "Embedding" in name and value.ndim == 2:
        return "embedding"
    return "weight" if value.ndim > 1 else "bias"


def _check(tensor: _Tensor) -> None:
    torch, value = library(), tensor.value
    is_lazy = torch.nn.parameter.is_lazy(value)
    if is_lazy or value.is_meta:
        raise ValueError(
            f"{tensor.name!r} has no values yet: call the network with a batch before callback_fn returns it."
        )
    is_shared = type(value.data) is not torch.Tensor
    if value.is_complex() or value.layout is not torch.strided or value.is_quantized or is_shared:
        form = f"a {type(value).__name__} of {value.dtype}, {value.layout}"
        raise ValueError(f"A loss landscape needs dense tensors of real numbers; {tensor.name!r} is {form}.")
