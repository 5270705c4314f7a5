"""Object3D, Molecule and figures of Plotly: kept as files beside the run, which texts name; points are drawn."""

import json
from typing import Any

import numpy as np

from toposcope.recorder.tensorboard.kinds.point_cloud import cloud_values, points_of
from toposcope.recorder.values.wrapped import Text
from toposcope.recorder.wandb.media.drawn_values import Drawn
from toposcope.recorder.wandb.media.media_files import NewFile, copied, file_text, is_file
from toposcope.recorder.wandb.reports import guarded_media, report_ignored


@guarded_media
class Object3D:
    """A point cloud or the file of an object."""

    def __init__(self, data_or_path: Any, caption: str | None = None, **ignored: Any) -> None:
        """Take points [n, 3, 4 or 6], a mapping that describes a scene, or a file.

        Points are coordinates, followed by a category from 1 to 14 or by RGB in the range 0 to 255. Those of a scene
        are its "points".

        Raises:
            ValueError: the points have another shape, or a category is another one.
            FileNotFoundError: there is no such file.
        """
        report_ignored("Object3D", ignored)
        self._caption, self._source = caption, data_or_path
        if not (isinstance(data_or_path, dict) or is_file(data_or_path)):
            self._source = points_of(data_or_path)

    @classmethod
    def from_numpy(cls, data: Any, **options: Any) -> "Object3D":
        """Return an object of points."""
        return cls(data, **options)

    @classmethod
    def from_file(cls, data_or_path: Any, file_type: str | None = None) -> "Object3D":
        """Return an object of a file."""
        return cls(data_or_path, file_type=file_type)

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return a cloud of the points, and the caption; of a scene or a file a text with the path of the file."""
        if isinstance(self._source, np.ndarray):
            return {**_cloud(self._source), **({"/caption": Text(str(self._caption))} if self._caption else {})}
        items: dict[str, Any] = {}
        if isinstance(self._source, dict):
            path = new_file("object3D", ".json")
            path.write_text(json.dumps(self._source, default=_listed), encoding="utf-8")
            if len(points := self._source.get("points", ())):
                items = _cloud(points_of(points))
        else:
            path = copied(self._source, new_file, "object3D", ".obj")
        return {**items, "": file_text("Object3D", path, self._caption)}


@guarded_media
class Molecule:
    """The file of a molecule."""

    def __init__(self, data_or_path: Any, caption: str | None = None, **ignored: Any) -> None:
        """Take a file; FileNotFoundError if there is none."""
        self._extension = ignored.pop("file_type", None) or "pdb"
        report_ignored("Molecule", ignored)
        if not is_file(data_or_path):
            raise ValueError(f"A Molecule is a file, not {type(data_or_path).__name__}.")
        self._caption, self._source = caption, data_or_path

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return a text with the path of the file."""
        path = copied(self._source, new_file, "molecule", f".{self._extension}")
        return {"": file_text("Molecule", path, self._caption)}


class PlotlyFigure:
    """A figure of Plotly, kept as a page of HTML that loads Plotly from its own site."""

    def __init__(self, figure: Any) -> None:
        """Take a plotly.graph_objects.Figure."""
        self._html = str(figure.to_html(include_plotlyjs="cdn"))

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return a text with the path of the file."""
        path = new_file("plotly", ".html")
        path.write_text(self._html, encoding="utf-8")
        return {"": file_text("Plotly figure", path, None)}


def is_plotly(value: Any) -> bool:
    """Return whether value is a figure of Plotly."""
    return hasattr(value, "to_html") and type(value).__module__.split(".")[0] == "plotly"


def _cloud(points: np.ndarray[Any, Any]) -> dict[str, Any]:
    return {end: Drawn(value, value.array.values.nbytes) for end, value in cloud_values(points).items()}


def _listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
