"""Scalar series as lines of a terminal, drawn by plotext."""

from collections.abc import Sequence
from importlib.util import find_spec

from toposcope.server.questions.answers import Series

_COLOURS = ("blue", "orange", "green", "red", "magenta", "cyan", "gray")
_CHARACTERS = "*+xo#@%&=~"
"""One a series, where there are no colours."""
_MAX_SERIES = len(_CHARACTERS)
_LARGEST = 1e300
"""The largest magnitude that is drawn: plotext fails where the range of an axis overflows."""
_LEAST_COLUMNS, _LEAST_LINES = 30, 8


def check_package() -> None:
    """Check that plotext is installed.

    Raises:
        ModuleNotFoundError: it is not.
    """
    if find_spec("plotext") is None:
        raise ModuleNotFoundError("plot needs plotext, which is not installed: pip install 'toposcope[plot]'")


def plotted(title: str, series: Sequence[Series], columns: int, lines: int, *, in_colour: bool) -> str:
    """Return a chart of the first ten series by step; last lines say what is left out: series, and values.

    Args:
        title: what the series are of.
        series: one a run and rank; of smoothed ones, the smoothed values are drawn.
        columns: of the terminal.
        lines: of the chart.
        in_colour: with the codes of colours; else each series is drawn with a character of its own.
    """
    import plotext

    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(max(columns, _LEAST_COLUMNS), max(lines, _LEAST_LINES))
    plotext.title(title)
    left_out = 0
    for number, each in enumerate(series[:_MAX_SERIES]):
        values = each.value if each.smoothed is None else each.smoothed
        points = [(step, value) for step, value in zip(each.step, values, strict=True) if abs(value) <= _LARGEST]
        left_out += len(values) - len(points)
        if points:
            name = f"{each.run} (rank {each.rank})" if each.rank else each.run
            steps, finite = zip(*points, strict=True)
            marker = "braille" if in_colour else _CHARACTERS[number]
            plotext.plot(steps, finite, label=name, marker=marker, color=_COLOURS[number % len(_COLOURS)])
    chart: str = plotext.build()
    chart = chart if in_colour else plotext.uncolorize(chart)
    notes = [f"{left_out:,} values that are not finite, or beyond {_LARGEST:g}, are left out."] if left_out else []
    if len(series) > _MAX_SERIES:
        notes.append(f"{_MAX_SERIES} of {len(series):,} series are drawn: choose some with --run.")
    return "\n".join([chart.rstrip("\n"), *notes])
