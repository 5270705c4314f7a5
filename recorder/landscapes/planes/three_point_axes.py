"""Three-point axes: the plane through three checkpoints."""

from toposcope.recorder.landscapes.planes.axes import Axes, axes_of_combination
from toposcope.recorder.landscapes.planes.combination import three_point_combination
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet


def three_point_axes(checkpoints: CheckpointSet, middle: int | None = None, seed: int = 0) -> Axes:
    """Return the plane through the first, a middle and the last checkpoint.

    The x axis points from the last to the first one; y is orthogonal to it, and positive for the middle one. Both
    directions have length one in the trained weights, and the buffers of the three are exact too.

    Args:
        checkpoints: at least three.
        middle: number of the middle one; None: the one whose plane has the least sum of squared distances from all
            others, the earliest of equally good ones.
        seed: of the random second direction, used if all are on a line.

    Raises:
        ValueError: the first and the last one are equal, middle cannot be used, or weights are not finite.
    """
    products = checkpoints.products
    if products[0, 0] <= 0:
        raise ValueError("A plane through three checkpoints needs a first and a last one that differ.")
    return axes_of_combination("three-point", checkpoints, three_point_combination(products, middle), seed)
