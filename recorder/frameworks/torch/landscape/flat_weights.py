"""Flat weights: the parameters and buffers of a module in one vector on its device, through which they are moved."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.landscapes.models.host_weights import (
    GIVEN_BACK,
    check_coordinates,
    check_directions,
    check_weights,
)
from toposcope.recorder.landscapes.weights.layout import Layout, layout_of

_NORMS = ("LayerNorm", "GroupNorm", "RMSNorm")


class _Tensor(NamedTuple):
    """A parameter or buffer, and where the module has it."""

    name: str
    value: Any
    owner: Any
    """The dict of the module that it stands in."""
    key: str
    kind: str | None
    """None: it keeps its value, being no floating-point number or not part of checkpoints."""


class FlatWeights:
    """Takes the tensors of a module over: moved together in one vector of float32, and given back as they were.

    Tensors of float32 become views of the vector; those of another dtype, or not contiguous, are written whenever it
    changes, rounded. The memory of the module's own tensors is left alone, until restore() puts it back. Buffers that a
    forward pass changes begin anew with every change of the weights.
    """

    def __init__(self, module: Any, device: Any) -> None:
        """Take over.

        Args:
            module: a torch.nn.Module without wrapper.
            device: where its tensors are to be.

        Raises:
            ValueError: there are no weights, or such that cannot be moved: not initialised, sparse, quantized, complex.
        """
        torch: Any = library()
        self._torch = torch
        tensors = list(_tensors(module))
        for tensor in tensors:
            _check(tensor)
        if not any(each.kind not in (None, "buffer") for each in tensors):
            raise ValueError(f"The {type(module).__name__} has no weights to be moved.")
        moved = sorted((each for each in tensors if each.kind is not None), key=lambda each: each.kind == "buffer")
        self.layout: Layout = layout_of((each.name, tuple(each.value.shape), str(each.kind)) for each in moved)
        self._flat = torch.empty(self.layout.size, dtype=torch.float32, device=device)
        self._originals = [(each, each.value.data) for each in tensors]
        self._written: list[tuple[Any, Any]] = []
        try:
            for each, place in zip(moved, self.layout.tensors, strict=True):
                self._lay(each.value, self._flat[place.start : place.stop].view(place.shape))
            self._lay_others([each.value for each in tensors if each.kind is None], device)
        except BaseException:  # A GPU may be full.
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
        """Keep copies of an origin, shape (N,), and directions, shape (K, N), on the device."""
        check_directions(self.layout, origin, directions)
        self._origin, self._directions = self._taken(origin), tuple(map(self._taken, directions))
        self._logarithmic = tuple(direction[self._variances] for direction in self._directions)
        for direction in self._directions:
            direction[self._variances] = 0

    def move(self, coordinates: Sequence[float]) -> None:
        """Set the vector to origin + sum of coordinates[k] * directions[k], added one after the other.

        Variances are multiplied by the exponential of that sum instead, so that they stay variances.
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
        self._flat.copy_(self._taken(flat))
        self._write()

    def read_buffers(self) -> None:
        """Take what a forward pass has written into buffers over into the vector, where they are no views of it."""
        trained = self.layout.parameter_count
        with self._torch.no_grad():
            for own, view in self._written:
                if view.storage_offset() >= trained:
                    view.copy_(own)

    def restore(self) -> None:
        """Give the module its own memory back, and every buffer that a forward pass has replaced."""
        self._is_restored = True
        for tensor, data in self._originals:
            tensor.value.data = data
            tensor.owner[tensor.key] = tensor.value

    def check_use(self) -> None:
        """Raise ValueError when the network has been given back."""
        if self._is_restored:
            raise ValueError(GIVEN_BACK)

    def _lay(self, tensor: Any, view: Any) -> None:
        """Make a tensor a view of the vector, or one that is written from it; its values stay."""
        original = tensor.data
        view.copy_(original)
        if original.dtype == self._torch.float32 and original.is_contiguous():
            tensor.data = view
        else:
            tensor.data = original.to(device=view.device, copy=True)
            self._written.append((tensor.data, view))

    def _lay_others(self, tensors: list[Any], device: Any) -> None:
        """Give the tensors that do not move memory of their own as well."""
        for tensor in tensors:
            tensor.data = tensor.data.to(device=device, copy=True)
        self._fixed = [(tensor.data, tensor.data.clone()) for tensor in tensors]
        self._buffers = [each for each, _ in self._originals if each.owner is not None]

    def _write(self) -> None:
        for buffer in self._buffers:
            buffer.owner[buffer.key] = buffer.value
        with self._torch.no_grad():
            for own, value in self._fixed:
                own.copy_(value)
            if self._written:
                owns, views = zip(*self._written, strict=True)
                self._torch._foreach_copy_(owns, views)

    def _taken(self, array: npt.NDArray[np.float32]) -> Any:
        # A copy: arrays may be mapped from read-only files.
        return self._torch.from_numpy(np.array(array, np.float32)).to(self._flat.device)


def _tensors(module: Any) -> Iterator[_Tensor]:
    """Yield every tensor once, under the name that the module's state_dict() has first: parameters, then buffers."""
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
            f"{tensor.name!r} has no values yet: let the network see a batch before callback_fn returns it."
        )
    is_shared = type(value.data) is not torch.Tensor
    if value.is_complex() or value.layout is not torch.strided or value.is_quantized or is_shared:
        form = f"a {type(value).__name__} of {value.dtype}, {value.layout}"
        raise ValueError(f"A loss landscape moves dense tensors of real numbers; {tensor.name!r} is {form}.")
