"""Layouts of TensorBoard's plugin "custom_scalars", as workspace documents of the page."""

from typing import Any, NamedTuple

from toposcope.proto import tensorboard_plugins_pb2 as messages
from toposcope.server.values.lineage import text
from toposcope.server.values.tensor import read_strings

CONFIG = "custom_scalars__config__"
"""The tag of a layout."""
LARGEST_LAYOUT = 1 << 20
"""Bytes."""
MAX_CATEGORIES, MAX_CHARTS, MAX_TAGS = 200, 1000, 10_000
"""Limits of a layout; a workspace has at most so many sections, and so many panels in each."""
_WIDTH, _HEIGHT, _PER_ROW = 6, 4, 2
_LONGEST_NAME = 100


class RecordedLayout(NamedTuple):
    """A layout of charts."""

    content: bytes
    """The message; equal layouts have equal contents."""
    name: str
    """The titles of its categories; layouts have no name of their own."""
    workspace: dict[str, Any]
    """The workspace document."""


def read_layout(payload: bytes) -> RecordedLayout:
    """Decode the layout in a string tensor.

    Raises:
        DecodeError: the text of the tensor is not a Layout message.
        ValueError: the payload is not a tensor with one text, or the layout exceeds a limit.
    """
    _, strings = read_strings(payload)
    if len(strings) != 1:
        raise ValueError(f"expected one text with a layout instead of {len(strings)}")
    if len(strings[0]) > LARGEST_LAYOUT:
        raise ValueError(f"a layout of {len(strings[0])} bytes exceeds the limit of {LARGEST_LAYOUT}")
    content = bytes(strings[0])
    layout = messages.Layout.FromString(content)
    _check_counts(layout)
    sections = [_section(category) for category in layout.category]
    return RecordedLayout(content, _name(sections), {"version": 1, "sections": sections, "settings": {}})


def _check_counts(layout: messages.Layout) -> None:
    _check_count("categories", len(layout.category), MAX_CATEGORIES)
    _check_count("charts", sum(len(category.chart) for category in layout.category), MAX_CHARTS)
    charts = (chart for category in layout.category for chart in category.chart)
    tags = sum(len(chart.multiline.tag) + len(chart.margin.series) for chart in charts)
    _check_count("tags", tags, MAX_TAGS)


def _check_count(what: str, count: int, most: int) -> None:
    if count > most:
        raise ValueError(f"{count} {what} exceed the limit of {most}")


def _name(sections: list[dict[str, Any]]) -> str:
    name = ", ".join(section["name"] for section in sections if section["name"]) or "untitled"
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _section(category: messages.Category) -> dict[str, Any]:
    contents = [settings for chart in category.chart if (settings := _settings(chart))]
    panels = [
        {
            "kind": "lines",
            "x": number % _PER_ROW * _WIDTH,
            "y": number // _PER_ROW * _HEIGHT,
            "w": _WIDTH,
            "h": _HEIGHT,
            "settings": settings,
        }
        for number, settings in enumerate(contents)
    ]
    return {"name": text(category.title), "collapsed": category.closed, "panels": panels, "settings": {}}


def _settings(chart: messages.Chart) -> dict[str, Any] | None:
    """Return the settings of the panel of a chart; None if the chart has no content."""
    match chart.WhichOneof("content"):
        case "multiline":
            patterns = [_anchored(text(pattern)) for pattern in chart.multiline.tag if pattern]
            return {"title": text(chart.title), "patterns": patterns}
        case "margin":
            margins = [
                {"value": text(series.value), "lower": text(series.lower), "upper": text(series.upper)}
                for series in chart.margin.series
            ]
            tags = list(dict.fromkeys(margin["value"] for margin in margins if margin["value"]))
            return {"title": text(chart.title), "tags": tags, "margins": margins}
        case _:
            return None


def _anchored(pattern: str) -> str:
    """Return a pattern that matches at the beginning of a tag only, as TensorBoard matches it."""
    if "|" in pattern:
        return f"^(?:{pattern})"
    return pattern if pattern.startswith("^") else f"^{pattern}"
