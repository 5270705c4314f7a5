"""Scalar series as an interactive chart."""

from typing import Any

from toposcope.server.questions.answers import Series, SeriesList
from toposcope.server.text.json_values import json_value

_MAX_SERIES = 100


def figure_of(answer: SeriesList) -> dict[str, Any]:
    """Return a chart of the first hundred series over steps, as plotly.js takes it."""
    tags = list(dict.fromkeys(each.tag for each in answer.series))
    shown = answer.series[:_MAX_SERIES]
    title = ", ".join(tags)
    if len(shown) < len(answer.series):
        title += f" ({len(shown)} of {len(answer.series):,} series)"
    layout = {
        "title": {"text": _text(title)},
        "xaxis": {"title": {"text": "step", "standoff": 4}},
        "height": 360,
        "margin": {"t": 48, "r": 16},
        "legend": {"orientation": "h", "y": -0.3},
        "showlegend": True,
    }
    return {"data": [_line(each, len(tags) > 1) for each in shown], "layout": layout}


def _line(series: Series, has_tag: bool) -> dict[str, Any]:
    name = f"{series.tag} of {series.run}" if has_tag else series.run
    if series.rank:
        name += f", rank {series.rank}"
    values = series.value if series.smoothed is None else series.smoothed
    line = {"type": "scatter", "mode": "lines", "name": _text(name), "x": series.step}
    return line | {"y": [None if isinstance(value, str) else value for value in json_value(values)]}


def _text(text: str) -> str:
    """Return text that plotly.js does not read as its few tags of HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
