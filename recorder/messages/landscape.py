"""Builds the message of a loss landscape: a surface of losses, with the path of a training on it."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.proto.tensor_pb2 import TensorProto
from toposcope.recorder.arguments import checked_integer, checked_text
from toposcope.recorder.messages.landscape_details import LandscapeDetails, details_message
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.arrays.foreign_values import short_repr

Doubles = npt.NDArray[np.float64]
_UNITS = ("step", "epoch")
_INT32 = range(-(2**31), 2**31)


def landscape(
    x: object,
    y: object,
    z: object,
    *,
    path: object = None,
    intervals: Iterable[int] | None = None,
    convergence_point: object = None,
    decomposition: str = "PCA",
    unit: str = "step",
    step_per_epoch: int = 1,
    details: LandscapeDetails | None = None,
) -> LossLandscape:
    """Return the message of a loss landscape. Arrays may be NumPy arrays, tensors of any framework or nested lists.

    Numbers are stored as float32, which MindSpore writes and MindInsight reads, and also as float64 if float32 does not
    represent them exactly.

    Args:
        x: shape (n,), coordinates along the first axis.
        y: shape (m,), coordinates along the second axis.
        z: shape (m, n), losses: z[i][j] is the loss at y[i], x[j].
        path: shape (k, 3), a row (x, y, loss) for each checkpoint of the training; or a tuple of these three columns.
        intervals: k 32-bit integers, the epoch or step (see unit) of each checkpoint of the path. MindInsight shows
            the path only if they are present.
        convergence_point: shape (3,): x, y and loss at the end of the training.
        decomposition: how the axes were computed: "PCA", "Random", ...
        unit: unit of the intervals: "step" or "epoch".
        step_per_epoch: number of steps in an epoch.
        details: measured nodes, true losses along the path, and diagnostics. MindInsight ignores them.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: shapes do not match, or an argument has an invalid value.
        UnreadableValueError: the methods of an array or tensor raised an error.
    """
    columns, rows, losses = _doubles("x", x, 1), _doubles("y", y, 1), _doubles("z", z, 2)
    if losses.shape != (rows.size, columns.size) or not losses.size:
        raise ValueError(
            f"z must have the shape (m, n) of y (m,) and x (n,), at least (1, 1); "
            f"got z {losses.shape}, y {rows.shape} and x {columns.shape}."
        )
    message = LossLandscape(landscape=_points(columns, rows, losses))
    message.metadata.decomposition = checked_text("decomposition", decomposition)
    if unit not in _UNITS:
        raise ValueError(f"unit must be 'step' or 'epoch', not {short_repr(unit)}.")
    message.metadata.unit = unit
    message.metadata.step_per_epoch = checked_integer("step_per_epoch", step_per_epoch, 1, _INT32[-1])
    if path is not None:
        message.loss_path.CopyFrom(_loss_path(_path(path), intervals))
    elif intervals is not None:
        raise ValueError(f"intervals require a path; got {short_repr(intervals)} without one.")
    if convergence_point is not None:
        point = _doubles("convergence_point", convergence_point, 1)
        if point.shape != (3,):
            raise ValueError(f"convergence_point must have the shape (3,): x, y, loss; not {point.shape}.")
        message.convergence_point.CopyFrom(_points(*np.split(point, 3)))
    if details is not None:
        message.details.CopyFrom(_details(details, message.loss_path.points))
    return message


def _details(details: LandscapeDetails, path: LossLandscape.Point) -> LossLandscape.Details:
    if not isinstance(details, LandscapeDetails):
        raise TypeError(f"details must be a LandscapeDetails or None, not {short_repr(details)}.")
    message, points = details_message(details), sum(path.x.dims)
    if message.HasField("truth") and len(message.truth.real) != points:
        raise ValueError(
            f"details.truth must have one number per point of the path; got {len(message.truth.real)} for {points}."
        )
    return message


def _loss_path(points: Doubles, intervals: Iterable[int] | None) -> LossLandscape.LossPath:
    path = LossLandscape.LossPath(points=_points(*points.T))
    if intervals is not None:
        if not isinstance(intervals, Iterable):
            raise TypeError(f"intervals must be a list of integers, not {short_repr(intervals)}.")
        numbers = [checked_integer("an interval", interval, _INT32[0], _INT32[-1]) for interval in intervals]
        if len(numbers) != len(points):
            raise ValueError(
                f"intervals must have one integer per point of the path; got {len(numbers)} for {len(points)}."
            )
        path.intervals.extend(numbers)
    return path


def _path(path: object) -> Doubles:
    if isinstance(path, tuple) and len(path) == 3:
        columns = [_doubles(f"path[{i}]", column, 1) for i, column in enumerate(path)]
        if len({column.shape for column in columns}) > 1:
            raise ValueError(f"path must be three columns of equal shape; not {[column.shape for column in columns]}.")
        points = np.stack(columns, axis=1)
    else:
        points = _doubles("path", path, 2)
    if points.shape[1] != 3 or not points.size:
        raise ValueError(f"path must have the shape (k, 3), at least (1, 3); not {points.shape}.")
    return points


def _points(x: Doubles, y: Doubles, z: Doubles) -> LossLandscape.Point:
    return LossLandscape.Point(x=_tensor_proto(x), y=_tensor_proto(y), z=_tensor_proto(z))


def _tensor_proto(array: Doubles) -> TensorProto:
    with np.errstate(over="ignore"):
        nearest = array.astype(np.float32)
    tensor = TensorProto(dims=array.shape, data_type="DT_FLOAT64", float_data=nearest.ravel().tolist())
    if not np.array_equal(nearest, array, equal_nan=True):
        tensor.raw_data = array.astype("<f8").tobytes()
    return tensor


def _doubles(parameter: str, value: object, dimensions: int) -> Doubles:
    try:
        array = array_from(value)
    except TypeError as error:
        raise TypeError(f"{parameter}: {error}") from None
    if array.is_complex:
        raise TypeError(f"{parameter} must contain real numbers; {short_repr(value)} is complex.")
    if array.values.ndim != dimensions:
        raise ValueError(f"{parameter} must have {dimensions} dimension(s); got shape {array.values.shape}.")
    return array.numbers().astype(np.float64)
