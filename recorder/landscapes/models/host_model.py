"""HostModel: the common part of landscape models whose weights are arrays in host memory."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from toposcope.recorder.landscapes.models.host_weights import HostWeights
from toposcope.recorder.landscapes.models.landscape_model import Float32s
from toposcope.recorder.values.arrays.foreign_values import short_repr


class HostModel(ABC):
    """A LandscapeModel that computes the weights in host memory and then writes them into the network."""

    has_hvp = False
    mode = "eager"
    network_name: str
    _weights: HostWeights

    def get(self) -> Float32s:
        """Return a copy of the current weights, shape (N,)."""
        return self._weights.flat.copy()

    def hold(self, origin: Float32s, directions: Float32s) -> None:
        """Copy an origin, shape (N,), and directions, shape (K, N)."""
        self._weights.hold(origin, directions)

    def move(self, coordinates: Sequence[float]) -> None:
        """Set the weights to origin + sum of coordinates[k] * directions[k]."""
        self._weights.move(coordinates)
        self._write()

    def load(self, flat: Float32s) -> None:
        """Set the weights, shape (N,)."""
        self._weights.load(flat)
        self._write()

    def hvp(self, vector: Float32s) -> Float32s:
        """Raise NotImplementedError: has_hvp is False."""
        raise NotImplementedError(
            f"A {self.network_name} does not provide Hessian-vector products: PyTorch and JAX do."
        )

    def tune(self, evaluations: int) -> str:
        """Return "eager", the only mode; MindSpore itself decides whether its graphs are compiled."""
        return self.mode

    def use(self, mode: str) -> None:
        """Raise ValueError unless the mode is "eager"."""
        if mode != self.mode:
            raise ValueError(f"mode is 'eager', the only mode; not {short_repr(mode)}.")

    @abstractmethod
    def _write(self) -> None:
        """Write the weights into the network."""
