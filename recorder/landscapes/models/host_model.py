"""Host models: landscape models of networks whose weights are arrays in the memory of the CPU."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from toposcope.recorder.landscapes.models.host_weights import HostWeights
from toposcope.recorder.landscapes.models.landscape_model import Float32s
from toposcope.recorder.values.foreign import shown


class HostModel(ABC):
    """What such models have in common; they write the arrays into the network. See LandscapeModel."""

    has_hvp = False
    mode = "eager"
    network_name: str
    _weights: HostWeights

    def get(self) -> Float32s:
        """Return a copy of the weights as they are now, shape (N,)."""
        return self._weights.flat.copy()

    def hold(self, origin: Float32s, directions: Float32s) -> None:
        """Keep an origin, shape (N,), and directions, shape (K, N)."""
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
        raise NotImplementedError(f"Products with the Hessian are for PyTorch and JAX; not for a {self.network_name}.")

    def tune(self, evaluations: int) -> str:
        """Return "eager": there is one mode; MindSpore itself knows whether its graphs are compiled."""
        return self.mode

    def use(self, mode: str) -> None:
        """Raise ValueError for another mode than "eager"."""
        if mode != self.mode:
            raise ValueError(f"mode is 'eager', the only one there is; not {shown(mode)}.")

    @abstractmethod
    def _write(self) -> None:
        """Give the network the arrays."""
