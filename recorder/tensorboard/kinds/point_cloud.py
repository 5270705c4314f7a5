"""Points with categories or colours, as wandb.Object3D takes them, as a mesh without faces."""

from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.tensorboard.kinds.mesh import MeshValue, mesh_values
from toposcope.recorder.values.arrays.arrays import array_from

_CATEGORIES = np.array(
    [
        *((31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189), (140, 86, 75)),
        *((227, 119, 194), (127, 127, 127), (188, 189, 34), (23, 190, 207), (174, 199, 232), (255, 187, 120)),
        *((152, 223, 138), (255, 152, 150)),
    ],
    np.float32,
)
"""The colours of the categories 1 to 14."""


def points_of(data: Any) -> npt.NDArray[np.floating[Any]]:
    """Return points as an array.

    Raises:
        ValueError: the shape is not [n, 3], [n, 4] or [n, 6], or a category is not one of 1 to 14.
    """
    points: npt.NDArray[np.floating[Any]] = array_from(data).numbers()
    if points.ndim != 2 or points.shape[1] not in (3, 4, 6):
        raise ValueError(f"An Object3D has points [n, 3, 4 or 6], not the shape {points.shape}.")
    if points.shape[1] == 4:
        wrong = points[~np.isin(points[:, 3], np.arange(1, len(_CATEGORIES) + 1)), 3]
        if len(wrong):
            raise ValueError(f"The category of a point is an integer from 1 to {len(_CATEGORIES)}, not {wrong[0]:g}.")
    return points


def cloud_values(points: npt.NDArray[np.floating[Any]]) -> dict[str, MeshValue]:
    """Return the values of a cloud without a name, by the ends of their tags: vertices, and colours if there are some.

    Args:
        points: [n, 3], coordinates; [n, 4], with a category from 1 to 14; [n, 6], with RGB in the range 0 to 255.
    """
    parts = {"VERTEX": points[None, :, :3]}
    if points.shape[1] == 4:
        parts["COLOR"] = _CATEGORIES[points[:, 3].astype(int) - 1][None]
    elif points.shape[1] == 6:
        parts["COLOR"] = points[None, :, 3:]
    return mesh_values("", {name: array_from(part) for name, part in parts.items()}, "{}")
