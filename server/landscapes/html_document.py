"""A loss landscape as an HTML document of its own: the surface with the paths of trainings, made with plotly."""

import html
import re
from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.landscapes.appearance import INKS, WORDS, Inks, Look, Scale
from toposcope.server.landscapes.details import PathTruth
from toposcope.server.landscapes.landscape import Landscape, Path
from toposcope.server.landscapes.logarithm import log10_of_losses

_BLUE_ORANGE = [
    "#0b3c78", "#1f69be", "#5b9bdc", "#a3c9ee", "#dfe9f1", "#f1f0ee", "#f6e3cf", "#f2bc85", "#e28a3c", "#c06010",
    "#7a3a05",
]  # fmt: skip
_TICKS = 8
_SEEN_THROUGH = 0.88


class Training(NamedTuple):
    """A training whose path is drawn."""

    run: str
    landscape: Landscape


def landscape_document(trainings: Sequence[Training], tag: str, look: Look) -> str:
    """Return an HTML document that needs nothing beside it: plotly.js is in it.

    Args:
        trainings: what to draw: the surface that they share, as the first one has it, and the path of each.
        tag: of the first; it is shown, as runs are, as it is, whatever it holds.
        look: how.

    Raises:
        ImportError: the plotly package is not installed.
    """
    from plotly.graph_objects import Figure

    landscape = trainings[0].landscape
    look = look._replace(scale=_scale_in_use(landscape, look))
    title = " · ".join([*(training.run for training in trainings), tag])
    figure = Figure({"data": _traces(trainings, look), "layout": _layout(landscape, _as_text(title), look)})
    page = figure.to_html(include_plotlyjs=True, full_html=True, config={"displaylogo": False, "responsive": True})
    style = f"body{{margin:0;background:{INKS[look.theme].surface}}}"
    head = f'<meta charset="utf-8" /><title>{html.escape(title)}</title><style>{style}</style>'
    return re.sub(r"<meta charset=\"utf-8\" ?/>", lambda _: head, page, count=1)


def _as_text(text: str) -> str:
    """Escape what plotly would take for its own small HTML."""
    return html.escape(text, quote=False)


def _heights(losses: npt.NDArray[np.float64], scale: Scale) -> npt.NDArray[np.float64]:
    finite = np.where(np.isfinite(losses), losses, np.nan)
    return finite if scale == "linear" else log10_of_losses(finite)


def _plain(column: npt.NDArray[np.float64]) -> list[Any]:
    """Return nested lists: arrays would be packed in base64, which old readers of these files do not know."""
    known = column.astype(object)
    known[~np.isfinite(column)] = None
    rows: list[Any] = known.tolist()
    return rows


_AT = "<br>%{x:.4~g}, %{y:.4~g}<extra></extra>"
"""Where one points, in what plotly says of it."""


def _traces(trainings: Sequence[Training], look: Look) -> list[dict[str, Any]]:
    traces = [_surface(trainings[0].landscape, look)]
    colours = chain(look.path_colours, repeat(INKS[look.theme].path))
    for (run, landscape), colour in zip(trainings, colours, strict=False):
        if len(trainings) == 1:
            return [*traces, *_training("", landscape, colour, look)]
        parts = _training(_as_text(run), landscape, colour, look)
        # The legend names a run once, and hides all of it.
        traces += [part | {"legendgroup": run, "showlegend": not at} for at, part in enumerate(parts)]
    return traces


def _training(run: str, landscape: Landscape, colour: str, look: Look) -> list[dict[str, Any]]:
    """Return the path of a training with its marks; the run is "" of one that is alone."""
    words, inks = WORDS[look.lang], INKS[look.theme]
    path, end = landscape.path, landscape.convergence_point
    truth = landscape.details.truth if landscape.details else None
    traces = []
    if path is not None and path.x.size:
        heights = _plain(_heights(path.z, look.scale))
        traces.append(_path(run, landscape, path, colour, look))
        if truth is not None:
            traces.append(_stems(path, truth, colour, look))
        for name, at, symbol in ((words.start, 0, "circle"), (words.end, -1, "square")):
            traces.append(_mark(_told(run, name), path.x[at], path.y[at], heights[at], symbol, colour, inks))
    if end is not None:
        height = _plain(_heights(end[2:], look.scale))[0]
        traces.append(_mark(_told(run, words.converged), end[0], end[1], height, "diamond", inks.text, inks))
    return traces


def _told(*parts: str) -> str:
    return " · ".join(filter(None, parts))


def _surface(landscape: Landscape, look: Look) -> dict[str, Any]:
    words, inks = WORDS[look.lang], INKS[look.theme]
    clipped = "" if look.top is None else f"<br>{words.clipped.format(top=look.top)}"
    return {
        "type": "surface",
        "x": _plain(landscape.x),
        "y": _plain(landscape.y),
        "z": _plain(_surface_heights(landscape, look)),
        "customdata": _plain(landscape.z),
        "hovertemplate": f"{words.loss} %{{customdata:.4~g}}{_AT}",
        "colorscale": _BLUE_ORANGE if look.colours == "blue-orange" else look.colours.capitalize(),
        "colorbar": {
            "title": {"text": words.loss + clipped},
            "thickness": 12,
            "outlinewidth": 0,
            **_ticks(landscape, look),
        },
        "contours": {"z": {"show": True, "usecolormap": False, "color": inks.surface, "width": 1}},
        # Checkpoints may lie under it.
        "opacity": 1 if landscape.details is None or landscape.details.truth is None else _SEEN_THROUGH,
    }


def _surface_heights(landscape: Landscape, look: Look) -> npt.NDArray[np.float64]:
    heights = _heights(landscape.z, look.scale)
    return heights if look.top is None else np.minimum(heights, _heights(np.array(look.top), look.scale))


def _path(run: str, landscape: Landscape, path: Path, colour: str, look: Look) -> dict[str, Any]:
    """Return the line through the checkpoints; what is known of one is read where it is pointed at."""
    words, inks = WORDS[look.lang], INKS[look.theme]
    truth = landscape.details.truth if landscape.details else None
    unit = _as_text(str(landscape.metadata.get("unit") or ""))
    titles = [_told(run, f"{unit} {interval}".strip()) for interval in path.intervals.tolist()] or [run] * path.x.size
    told, template = [titles, _plain(path.z)], f"%{{customdata[0]}}<br>{words.loss} %{{customdata[1]:.4~g}}"
    if truth is not None:
        told += [_plain(truth.plane), _plain(truth.gap), _plain(truth.residual)]
        template += f"<br>{words.plane} %{{customdata[2]:.4~g}}<br>{words.gap} %{{customdata[3]:+.3~g}}"
        template += f"<br>{words.residual} %{{customdata[4]:.3~p}}"
    return {
        "type": "scatter3d",
        "mode": "lines+markers",
        "name": run or words.path,
        "x": _plain(path.x),
        "y": _plain(path.y),
        "z": _plain(_heights(path.z, look.scale)),
        "line": {"color": colour, "width": 6},
        "marker": {"size": 4, "color": inks.surface, "line": {"color": colour, "width": 2}},
        "customdata": [list(checkpoint) for checkpoint in zip(*told, strict=True)],
        "hovertemplate": template + _AT,
    }


def _stems(path: Path, truth: PathTruth, colour: str, look: Look) -> dict[str, Any]:
    """Return lines from the loss on the plane to that of each checkpoint itself."""
    no_line = np.full(path.x.size, np.nan)
    heights = (_heights(truth.plane, look.scale), _heights(truth.real, look.scale))
    x, y, z = (
        _plain(np.stack((*ends, no_line), axis=1).ravel()) for ends in ((path.x, path.x), (path.y, path.y), heights)
    )
    return {
        "type": "scatter3d",
        "mode": "lines",
        "name": WORDS[look.lang].stems,
        "x": x,
        "y": y,
        "z": z,
        "line": {"color": colour, "width": 2},
        "hoverinfo": "skip",
    }


def _mark(name: str, x: float, y: float, height: Any, symbol: str, colour: str, inks: Inks) -> dict[str, Any]:
    return {
        "type": "scatter3d",
        "mode": "markers",
        "x": _plain(np.array([x])),
        "y": _plain(np.array([y])),
        "z": [height],
        "name": name,
        "hoverinfo": "name",
        "marker": {"size": 7, "symbol": symbol, "color": colour, "line": {"color": inks.surface, "width": 1}},
    }


def _scale_in_use(landscape: Landscape, look: Look) -> Scale:
    """Logarithms, if they are wanted and any loss has one."""
    return look.scale if np.isfinite(_heights(landscape.z, look.scale)).any() else "linear"


def _ticks(landscape: Landscape, look: Look) -> dict[str, Any]:
    """Say which losses heights stand for, where these are logarithms."""
    heights = _surface_heights(landscape, look)
    heights = heights[np.isfinite(heights)]
    if look.scale == "linear" or not heights.size:
        return {}
    values = np.linspace(heights.min(), heights.max(), _TICKS) if np.ptp(heights) else heights[:1]
    return {"tickmode": "array", "tickvals": values.tolist(), "ticktext": [f"{10**value:.3g}" for value in values]}


def _layout(landscape: Landscape, title: str, look: Look) -> dict[str, Any]:
    words, inks = WORDS[look.lang], INKS[look.theme]

    def axis(title: str) -> dict[str, Any]:
        return {
            "title": {"text": title},
            "color": inks.text,
            "gridcolor": inks.grid,
            "zerolinecolor": inks.grid,
            "showbackground": False,
        }

    z = {**axis(words.loss), **_ticks(landscape, look)}
    name = words.component if landscape.metadata.get("decomposition") == "PCA" else words.direction
    return {
        "title": {"text": title, "font": {"size": 16}},
        "paper_bgcolor": inks.surface,
        "font": {"color": inks.text, "family": "system-ui, sans-serif"},
        "margin": {"l": 0, "r": 0, "t": 48, "b": 0},
        "legend": {"x": 0, "y": 1},
        "hoverlabel": {"namelength": -1},
        "scene": {
            "xaxis": axis(f"{name} 1"),
            "yaxis": axis(f"{name} 2"),
            "zaxis": z,
            "aspectmode": "manual",
            "aspectratio": {"x": 1.2, "y": 1.2, "z": 0.75},
            "camera": _camera(landscape, look),
        },
    }


def _camera(landscape: Landscape, look: Look) -> dict[str, Any]:
    if look.camera is None:
        return {"eye": _eye(landscape)}
    x, y, z, *centre = look.camera
    return {"eye": {"x": x, "y": y, "z": z}, "center": dict(zip("xyz", centre, strict=True))}


def _eye(landscape: Landscape) -> dict[str, float]:
    """Return a place over the lowest of the four corners: nothing high stands in the way."""
    corners = np.nan_to_num(landscape.z[np.ix_([0, -1], [0, -1])], nan=np.inf)
    row, column = np.unravel_index(np.argmin(corners), corners.shape)
    right, up = (
        -1 if (axis[0] < axis[-1]) == (end == 0) else 1 for axis, end in ((landscape.x, column), (landscape.y, row))
    )
    return {"x": right * 1.6, "y": up * 1.6, "z": 1.4}
