"""A loss landscape as a standalone HTML document: the surface with the paths of trainings, drawn by Plotly."""

import html
import re
from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.landscapes.details import PathLosses
from toposcope.server.landscapes.files.appearance import LABELS, THEME_COLOURS, Appearance, Scale, ThemeColours
from toposcope.server.landscapes.files.logarithm import log10_of_losses
from toposcope.server.landscapes.landscape import Landscape, Path

_BLUE_ORANGE = [
    "#0b3c78", "#1f69be", "#5b9bdc", "#a3c9ee", "#dfe9f1", "#f1f0ee", "#f6e3cf", "#f2bc85", "#e28a3c", "#c06010",
    "#7a3a05",
]  # fmt: skip
_TICKS = 8
_TRANSLUCENT = 0.88


class Training(NamedTuple):
    """A training whose path is drawn."""

    run: str
    landscape: Landscape


def landscape_document(trainings: Sequence[Training], tag: str, appearance: Appearance) -> str:
    """Return a standalone HTML document, which includes plotly.js.

    Args:
        trainings: trainings that share a surface, which is read from the first one; the path of each is drawn.
        tag: tag of the first training; shown, like the names of runs, as plain text.
        appearance: scale, colours and camera of the figure.

    Raises:
        ImportError: the plotly package is not installed.
    """
    from plotly.graph_objects import Figure

    landscape = trainings[0].landscape
    appearance = appearance._replace(scale=_scale_in_use(landscape, appearance))
    title = " · ".join([*(training.run for training in trainings), tag])
    figure = Figure({"data": _traces(trainings, appearance), "layout": _layout(landscape, _as_text(title), appearance)})
    page = figure.to_html(include_plotlyjs=True, full_html=True, config={"displaylogo": False, "responsive": True})
    style = f"body{{margin:0;background:{THEME_COLOURS[appearance.theme].surface}}}"
    head = f'<meta charset="utf-8" /><title>{html.escape(title)}</title><style>{style}</style>'
    return re.sub(r"<meta charset=\"utf-8\" ?/>", lambda _: head, page, count=1)


def _as_text(text: str) -> str:
    """Escape markup that Plotly would interpret."""
    return html.escape(text, quote=False)


def _heights(losses: npt.NDArray[np.float64], scale: Scale) -> npt.NDArray[np.float64]:
    finite = np.where(np.isfinite(losses), losses, np.nan)
    return finite if scale == "linear" else log10_of_losses(finite)


def _plain(column: npt.NDArray[np.float64]) -> list[Any]:
    """Return nested lists, with None for values that are not finite; Plotly would encode arrays in base64."""
    cells = column.astype(object)
    cells[~np.isfinite(column)] = None
    rows: list[Any] = cells.tolist()
    return rows


_AT = "<br>%{x:.4~g}, %{y:.4~g}<extra></extra>"
"""The coordinates in a hover text."""


def _traces(trainings: Sequence[Training], appearance: Appearance) -> list[dict[str, Any]]:
    traces = [_surface(trainings[0].landscape, appearance)]
    path_colours = chain(appearance.path_colours, repeat(THEME_COLOURS[appearance.theme].path))
    for (run, landscape), colour in zip(trainings, path_colours, strict=False):
        if len(trainings) == 1:
            return [*traces, *_training("", landscape, colour, appearance)]
        parts = _training(_as_text(run), landscape, colour, appearance)
        # One entry in the legend for all traces of a run.
        traces += [part | {"legendgroup": run, "showlegend": not at} for at, part in enumerate(parts)]
    return traces


def _training(run: str, landscape: Landscape, colour: str, appearance: Appearance) -> list[dict[str, Any]]:
    """Return the traces of a training; `run` is "" for a single training."""
    labels, theme = LABELS[appearance.lang], THEME_COLOURS[appearance.theme]
    path, end = landscape.path, landscape.convergence_point
    losses = landscape.details.truth if landscape.details else None
    traces = []
    if path is not None and path.x.size:
        heights = _plain(_heights(path.z, appearance.scale))
        traces.append(_path(run, landscape, path, colour, appearance))
        if losses is not None:
            traces.append(_stems(path, losses, colour, appearance))
        for name, at, symbol in ((labels.start, 0, "circle"), (labels.end, -1, "square")):
            traces.append(_marker(_joined(run, name), path.x[at], path.y[at], heights[at], symbol, colour, theme))
    if end is not None:
        height = _plain(_heights(end[2:], appearance.scale))[0]
        traces.append(_marker(_joined(run, labels.converged), end[0], end[1], height, "diamond", theme.text, theme))
    return traces


def _joined(*parts: str) -> str:
    return " · ".join(filter(None, parts))


def _surface(landscape: Landscape, appearance: Appearance) -> dict[str, Any]:
    labels, theme = LABELS[appearance.lang], THEME_COLOURS[appearance.theme]
    clipped = "" if appearance.top is None else f"<br>{labels.clipped.format(top=appearance.top)}"
    return {
        "type": "surface",
        "x": _plain(landscape.x),
        "y": _plain(landscape.y),
        "z": _plain(_surface_heights(landscape, appearance)),
        "customdata": _plain(landscape.z),
        "hovertemplate": f"{labels.loss} %{{customdata:.4~g}}{_AT}",
        "colorscale": _BLUE_ORANGE if appearance.colours == "blue-orange" else appearance.colours.capitalize(),
        "colorbar": {
            "title": {"text": labels.loss + clipped},
            "thickness": 12,
            "outlinewidth": 0,
            **_ticks(landscape, appearance),
        },
        "contours": {"z": {"show": True, "usecolormap": False, "color": theme.surface, "width": 1}},
        # Checkpoints may be below the surface.
        "opacity": 1 if landscape.details is None or landscape.details.truth is None else _TRANSLUCENT,
    }


def _surface_heights(landscape: Landscape, appearance: Appearance) -> npt.NDArray[np.float64]:
    heights = _heights(landscape.z, appearance.scale)
    return (
        heights if appearance.top is None else np.minimum(heights, _heights(np.array(appearance.top), appearance.scale))
    )


def _path(run: str, landscape: Landscape, path: Path, colour: str, appearance: Appearance) -> dict[str, Any]:
    """Return the line through the checkpoints, with their losses in the hover text."""
    labels, theme = LABELS[appearance.lang], THEME_COLOURS[appearance.theme]
    losses = landscape.details.truth if landscape.details else None
    unit = _as_text(str(landscape.metadata.get("unit") or ""))
    titles = [_joined(run, f"{unit} {interval}".strip()) for interval in path.intervals.tolist()] or [run] * path.x.size
    hover_columns, template = [titles, _plain(path.z)], f"%{{customdata[0]}}<br>{labels.loss} %{{customdata[1]:.4~g}}"
    if losses is not None:
        hover_columns += [_plain(losses.plane), _plain(losses.gap), _plain(losses.residual)]
        template += f"<br>{labels.plane} %{{customdata[2]:.4~g}}<br>{labels.gap} %{{customdata[3]:+.3~g}}"
        template += f"<br>{labels.residual} %{{customdata[4]:.3~p}}"
    return {
        "type": "scatter3d",
        "mode": "lines+markers",
        "name": run or labels.path,
        "x": _plain(path.x),
        "y": _plain(path.y),
        "z": _plain(_heights(path.z, appearance.scale)),
        "line": {"color": colour, "width": 6},
        "marker": {"size": 4, "color": theme.surface, "line": {"color": colour, "width": 2}},
        "customdata": [list(checkpoint) for checkpoint in zip(*hover_columns, strict=True)],
        "hovertemplate": template + _AT,
    }


def _stems(path: Path, losses: PathLosses, colour: str, appearance: Appearance) -> dict[str, Any]:
    """Return vertical lines from the loss on the plane to the loss of each checkpoint."""
    no_line = np.full(path.x.size, np.nan)
    heights = (_heights(losses.plane, appearance.scale), _heights(losses.real, appearance.scale))
    x, y, z = (
        _plain(np.stack((*ends, no_line), axis=1).ravel()) for ends in ((path.x, path.x), (path.y, path.y), heights)
    )
    return {
        "type": "scatter3d",
        "mode": "lines",
        "name": LABELS[appearance.lang].stems,
        "x": x,
        "y": y,
        "z": z,
        "line": {"color": colour, "width": 2},
        "hoverinfo": "skip",
    }


def _marker(
    name: str, x: float, y: float, height: Any, symbol: str, colour: str, theme: ThemeColours
) -> dict[str, Any]:
    return {
        "type": "scatter3d",
        "mode": "markers",
        "x": _plain(np.array([x])),
        "y": _plain(np.array([y])),
        "z": [height],
        "name": name,
        "hoverinfo": "name",
        "marker": {"size": 7, "symbol": symbol, "color": colour, "line": {"color": theme.surface, "width": 1}},
    }


def _scale_in_use(landscape: Landscape, appearance: Appearance) -> Scale:
    """Return the requested scale, or "linear" if no loss has a logarithm."""
    return appearance.scale if np.isfinite(_heights(landscape.z, appearance.scale)).any() else "linear"


def _ticks(landscape: Landscape, appearance: Appearance) -> dict[str, Any]:
    """Return tick labels with losses for an axis of logarithms."""
    heights = _surface_heights(landscape, appearance)
    heights = heights[np.isfinite(heights)]
    if appearance.scale == "linear" or not heights.size:
        return {}
    values = np.linspace(heights.min(), heights.max(), _TICKS) if np.ptp(heights) else heights[:1]
    return {"tickmode": "array", "tickvals": values.tolist(), "ticktext": [f"{10**value:.3g}" for value in values]}


def _layout(landscape: Landscape, title: str, appearance: Appearance) -> dict[str, Any]:
    labels, theme = LABELS[appearance.lang], THEME_COLOURS[appearance.theme]

    def axis(title: str) -> dict[str, Any]:
        return {
            "title": {"text": title},
            "color": theme.text,
            "gridcolor": theme.grid,
            "zerolinecolor": theme.grid,
            "showbackground": False,
        }

    z = {**axis(labels.loss), **_ticks(landscape, appearance)}
    name = labels.component if landscape.metadata.get("decomposition") == "PCA" else labels.direction
    return {
        "title": {"text": title, "font": {"size": 16}},
        "paper_bgcolor": theme.surface,
        "font": {"color": theme.text, "family": "system-ui, sans-serif"},
        "margin": {"l": 0, "r": 0, "t": 48, "b": 0},
        "legend": {"x": 0, "y": 1},
        "hoverlabel": {"namelength": -1},
        "scene": {
            "xaxis": axis(f"{name} 1"),
            "yaxis": axis(f"{name} 2"),
            "zaxis": z,
            "aspectmode": "manual",
            "aspectratio": {"x": 1.2, "y": 1.2, "z": 0.75},
            "camera": _camera(landscape, appearance),
        },
    }


def _camera(landscape: Landscape, appearance: Appearance) -> dict[str, Any]:
    if appearance.camera is None:
        return {"eye": _eye(landscape)}
    x, y, z, *centre = appearance.camera
    return {"eye": {"x": x, "y": y, "z": z}, "center": dict(zip("xyz", centre, strict=True))}


def _eye(landscape: Landscape) -> dict[str, float]:
    """Return a camera position above the lowest of the four corners, where the view is unobstructed."""
    corners = np.nan_to_num(landscape.z[np.ix_([0, -1], [0, -1])], nan=np.inf)
    row, column = np.unravel_index(np.argmin(corners), corners.shape)
    right, up = (
        -1 if (axis[0] < axis[-1]) == (end == 0) else 1 for axis, end in ((landscape.x, column), (landscape.y, row))
    )
    return {"x": right * 1.6, "y": up * 1.6, "z": 1.4}
