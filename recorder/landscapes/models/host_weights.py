"""HostWeights: the weights of a network as one vector in host memory, for frameworks that take arrays by name."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.landscapes.weights.layout import Layout

Float32s = npt.NDArray[np.float32]


class HostWeights:
    """A vector that is moved along directions and read as arrays."""

    def __init__(self, layout: Layout, values: Mapping[str, npt.NDArray[Any]]) -> None:
        """Start from the values of all tensors of the layout; arrays() returns their dtypes."""
        self.flat = np.empty(layout.size, np.float32)
        """The vector, shape (N,)."""
        self.is_restored = False
        """Whether the network has its own weights again; nothing may be moved then."""
        self._layout = layout
        self._dtypes = {tensor.name: values[tensor.name].dtype for tensor in layout.tensors}
        for tensor in layout.tensors:
            self.flat[tensor.start : tensor.stop] = values[tensor.name].reshape(-1)
        self._origin: Float32s | None = None
        self._directions: Float32s = np.empty((0, layout.size), np.float32)
        self._variances = layout.variances
        self._logarithmic: Float32s = np.empty((0, len(self._variances)), np.float32)

    def hold(self, origin: Float32s, directions: Float32s) -> None:
        """Copy an origin, shape (N,), and directions, shape (K, N); ValueError for other shapes."""
        check_directions(self._layout, origin, directions)
        self._origin, self._directions = np.array(origin, np.float32), np.array(directions, np.float32)
        self._logarithmic = self._directions[:, self._variances]
        self._directions[:, self._variances] = 0

    def move(self, coordinates: Sequence[float]) -> None:
        """Set the vector to origin + sum of coordinates[k] * directions[k], added in this order.

        Variances are multiplied by the exponential of that sum instead, so that they stay positive.
        """
        self.check_use()
        check_coordinates(self._origin is not None, len(self._directions), coordinates)
        assert self._origin is not None
        self.flat[:] = self._origin
        for coordinate, direction in zip(coordinates, self._directions, strict=True):
            self.flat += np.float32(coordinate) * direction
        if len(self._variances):
            with np.errstate(over="ignore", invalid="ignore"):  # Also zero times infinity.
                # Added in order as well: the last bits of BLAS depend on the number of threads.
                exponents = np.zeros(len(self._variances), np.float32)
                for coordinate, logarithms in zip(coordinates, self._logarithmic, strict=True):
                    exponents += np.float32(coordinate) * logarithms
                self.flat[self._variances] *= np.exp(exponents)

    def load(self, flat: Float32s) -> None:
        """Set the vector, shape (N,)."""
        self.check_use()
        check_weights(self._layout, flat)
        self.flat[:] = flat

    def check_use(self) -> None:
        """Raise ValueError after restore()."""
        if self.is_restored:
            raise ValueError(RESTORED)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return copies of the arrays by name."""
        return {
            tensor.name: self.flat[tensor.start : tensor.stop].reshape(tensor.shape).astype(self._dtypes[tensor.name])
            for tensor in self._layout.tensors
        }


RESTORED = "restore() has ended the use of this model: the network has its own weights again."


def check_directions(layout: Layout, origin: Any, directions: Any) -> None:
    """Raise ValueError unless an origin has the shape (N,), and directions (K, N)."""
    shapes = np.shape(origin), np.shape(directions)
    if shapes[0] != (layout.size,) or len(shapes[1]) != 2 or shapes[1][1:] != shapes[0]:
        raise ValueError(
            f"The origin has the shape ({layout.size},) and the directions (K, {layout.size}); "
            f"not {shapes[0]} and {shapes[1]}."
        )


def check_coordinates(has_directions: bool, number: int, coordinates: Sequence[float]) -> None:
    """Raise ValueError unless there are directions, and as many coordinates."""
    if not has_directions:
        raise ValueError("There are no directions to move along: call hold() before move().")
    if len(coordinates) != number:
        raise ValueError(f"There are {number} coordinates, one for each direction; not {tuple(coordinates)!r}.")


def check_weights(layout: Layout, flat: Any) -> None:
    """Raise ValueError unless weights have the shape (N,)."""
    if np.shape(flat) != (layout.size,):
        raise ValueError(f"The weights have the shape ({layout.size},), not {np.shape(flat)}.")
