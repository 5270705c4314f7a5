"""The kinds of axes by name."""

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.landscapes.planes.axes import Axes, anchored_axes, pca_axes
from toposcope.recorder.landscapes.planes.interpolation_axes import interpolation_axes
from toposcope.recorder.landscapes.planes.mindspore_axes import mindspore_axes
from toposcope.recorder.landscapes.planes.random_axes import random_axes
from toposcope.recorder.landscapes.planes.three_point_axes import three_point_axes
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet

OF_THE_HESSIAN = ("hessian", "saddle")
AXES = ("anchored", "pca", "random", "three-point", "interpolate", *OF_THE_HESSIAN, "mindspore")


def axes_of_kind(kind: str, checkpoints: CheckpointSet, seed: int = 0) -> Axes:
    """Return the axes of a kind for checkpoints, with the last one as the origin.

    Args:
        kind: one of AXES except "hessian" and "saddle", which need a model: see hessian_axes().
        checkpoints: of an interval.
        seed: of random directions.

    Raises:
        TypeError: seed is not an integer.
        ValueError: there is no such kind, or the checkpoints have no such axes, for example because all are equal.
    """
    seed = checked_integer("seed", seed, 0)
    match kind:
        case "anchored":
            return anchored_axes(checkpoints, seed)
        case "pca":
            return pca_axes(checkpoints, seed)
        case "random":
            return random_axes(checkpoints.rows[-1], checkpoints.layout, seed)
        case "three-point":
            return three_point_axes(checkpoints, seed=seed)
        case "interpolate":
            return interpolation_axes(checkpoints)
        case "mindspore":
            return mindspore_axes(checkpoints)
    kinds = ", ".join(repr(name) for name in AXES if name not in OF_THE_HESSIAN)
    raise ValueError(f"The kind of axes of checkpoints is one of {kinds}; not {kind!r}.")
