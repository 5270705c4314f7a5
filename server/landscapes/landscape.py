"""Loss landscapes: a surface of losses, with the path of a training and the point where it ended."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.proto.tensor_pb2 import TensorProto
from toposcope.server.landscapes.details import Details, read_details
from toposcope.server.reading.series.series import Float64s
from toposcope.server.values.lineage import Plain, present_fields
from toposcope.server.values.tensor import read_tensor


class Path(NamedTuple):
    """Checkpoints of the training on the surface; all arrays have the same length."""

    x: Float64s
    y: Float64s
    z: Float64s
    """Losses."""
    intervals: npt.NDArray[np.int64]
    """The epoch or step of each checkpoint; empty if the file has none."""


class Landscape(NamedTuple):
    """A surface of losses."""

    x: Float64s
    """Shape (n,): coordinates along the first axis."""
    y: Float64s
    """Shape (m,): coordinates along the second axis."""
    z: Float64s
    """Shape (m, n), losses: z[i, j] is the loss at (x[j], y[i])."""
    path: Path | None
    convergence_point: Float64s | None
    """x, y and loss where the training ended."""
    metadata: dict[str, Plain]
    """decomposition ("PCA", "Random", ...), unit ("epoch" or "step", of the intervals), step_per_epoch."""
    details: Details | None
    """Measured nodes and diagnostics; None if the landscape was not recorded by Toposcope."""

    @property
    def kind(self) -> str:
        """Return "interval" for the landscape of an interval of the training, "final" for the one around its end.

        As in MindInsight, a landscape is of the first kind if its path has intervals.
        """
        return "interval" if self.path is not None and len(self.path.intervals) else "final"

    @property
    def steps(self) -> npt.NDArray[np.int64]:
        """Return the training steps of the path's checkpoints; empty if they are unknown or not increasing."""
        intervals = np.empty(0, np.int64) if self.path is None else self.path.intervals
        steps_per_interval = {"step": 1, "epoch": self.metadata.get("step_per_epoch")}.get(
            str(self.metadata.get("unit"))
        )
        if not isinstance(steps_per_interval, int) or steps_per_interval < 1 or (np.diff(intervals) <= 0).any():
            return np.empty(0, np.int64)
        return intervals * steps_per_interval


def read_landscape(payload: bytes) -> Landscape:
    """Parse a LossLandscape message.

    Raises:
        ValueError: the message is malformed, has no surface, or its shapes do not match.
    """
    try:
        message = LossLandscape.FromString(payload)
    except DecodeError as error:
        raise ValueError(str(error)) from None
    if not message.HasField("landscape"):
        raise ValueError("the landscape has no surface")
    x, y, z = (_numbers(name, tensor) for name, tensor in _tensors(message.landscape))
    if x.ndim != 1 or y.ndim != 1 or z.shape != (y.size, x.size) or not z.size:
        raise ValueError(
            f"expected non-empty x (n,), y (m,) and z (m, n), but the shapes are {x.shape}, {y.shape} and {z.shape}"
        )
    path = _path(message)
    points = 0 if path is None else path.x.size
    details = read_details(message.details, points) if message.HasField("details") else None
    return Landscape(x, y, z, path, _convergence_point(message), present_fields(message.metadata), details)


def _path(message: LossLandscape) -> Path | None:
    if not message.loss_path.HasField("points"):
        return None
    x, y, z = (_numbers(f"path {name}", tensor) for name, tensor in _tensors(message.loss_path.points))
    intervals = np.array(message.loss_path.intervals, np.int64)
    if x.ndim != 1 or not x.shape == y.shape == z.shape or intervals.size not in (0, x.size):
        raise ValueError(
            f"expected a path with x, y and z (k,), and k intervals or none, but the shapes are "
            f"{x.shape}, {y.shape} and {z.shape}, with {intervals.size} intervals"
        )
    return Path(x, y, z, intervals)


def _convergence_point(message: LossLandscape) -> Float64s | None:
    if not message.HasField("convergence_point"):
        return None
    x, y, z = (_numbers(f"convergence point {name}", tensor) for name, tensor in _tensors(message.convergence_point))
    if not x.size == y.size == z.size == 1:
        raise ValueError(f"expected one convergence point, but the shapes are {x.shape}, {y.shape} and {z.shape}")
    return np.concatenate((x.ravel(), y.ravel(), z.ravel()))


def _tensors(point: LossLandscape.Point) -> list[tuple[str, TensorProto]]:
    return [("x", point.x), ("y", point.y), ("z", point.z)]


def _numbers(name: str, tensor: TensorProto) -> Float64s:
    """Return the numbers of a tensor as doubles."""
    try:
        values = read_tensor(tensor.SerializeToString(), "mindspore").values
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if values is None or values.dtype.kind == "c":
        raise ValueError(f"{name} is not a tensor of real numbers")
    return values.astype(np.float64)
