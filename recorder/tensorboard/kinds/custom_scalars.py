"""Layouts of charts for TensorBoard's plugin "custom_scalars"."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from toposcope.proto.framing import Buffer
from toposcope.proto.tensorboard_plugins_pb2 import Category, Chart, Layout, MarginChartContent, MultilineChartContent
from toposcope.recorder.tensorboard.kinds.metadata import metadata_field
from toposcope.recorder.tensorboard.kinds.tensor import string_field
from toposcope.recorder.values.arrays.foreign_values import short_repr

TAG = "custom_scalars__config__"
"""The tag that TensorBoard reads the layout from."""
_KINDS = ("Multiline", "Margin")


class LayoutValue(NamedTuple):
    """A layout."""

    content: bytes
    """The Layout message."""

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        return [metadata_field("custom_scalars"), string_field([self.content], ())]


def layout_value(layout: Any) -> LayoutValue:
    """Return a layout: {category: {title of a chart: ["Multiline", tags] or ["Margin", [value, lower, upper]]}}.

    Raises:
        TypeError: the layout is not such a mapping.
        ValueError: the kind of a chart is unknown, or a margin chart does not have three tags.
    """
    categories = [
        Category(title=name, chart=[_chart(title, chart) for title, chart in _items(charts)])
        for name, charts in _items(layout)
    ]
    return LayoutValue(Layout(category=categories).SerializeToString())


def _items(layout: Any) -> list[tuple[str, Any]]:
    if not isinstance(layout, Mapping) or not all(isinstance(name, str) for name in layout):
        raise TypeError(
            "layout must be {category: {title: ['Multiline', tags] or ['Margin', [value, lower, upper]]}}; "
            f"{short_repr(layout)} is not a mapping with str keys."
        )
    return list(layout.items())


def _chart(title: str, chart: Any) -> Chart:
    if not isinstance(chart, list | tuple) or len(chart) != 2 or not isinstance(chart[1], list | tuple):
        raise TypeError(f"Chart {title!r} must be [kind, tags], not {short_repr(chart)}.")
    kind, tags = chart
    if kind not in _KINDS:
        raise ValueError(f"The kind of chart {title!r} must be 'Multiline' or 'Margin', not {short_repr(kind)}.")
    if not all(isinstance(tag, str) for tag in tags):
        raise TypeError(f"The tags of chart {title!r} must be a list of str, not {short_repr(tags)}.")
    if kind == "Multiline":
        return Chart(title=title, multiline=MultilineChartContent(tag=tags))
    if len(tags) != 3:
        raise ValueError(f"The tags of chart {title!r} must be value, lower and upper; there are {len(tags)}.")
    series = MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
    return Chart(title=title, margin=MarginChartContent(series=[series]))
