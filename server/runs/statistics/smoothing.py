"""Smooths a whole series, before any downsampling."""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series.series import Float64s, Int64s
from toposcope.server.runs.statistics.running_median import WIDEST, running_median

PATTERN = (
    r"^(auto|ema:(0|0?\.[0-9]{1,16})"
    r"|time:([1-9][0-9]{0,14}(\.[0-9]{1,9})?|0?\.0{0,8}[1-9][0-9]{0,8})"
    r"|median:(([1-9][0-9]?)?[13579]|1001))$"
)
"""What parse_smoothing accepts, as a regular expression, also for JSON Schema."""


class Average(NamedTuple):
    """Debiased exponential moving average by number of points."""

    weight: float
    """The weight of the previous average, in [0, 1)."""


class TimedAverage(NamedTuple):
    """Debiased exponential moving average by distance on the axis."""

    half_life: float
    """The distance at which the weight of a point is half: steps, or seconds on a time axis; positive."""


class Median(NamedTuple):
    """Running median."""

    window: int
    """Number of points, odd, at most WIDEST: the point itself and as many on either side."""


@dataclass(frozen=True)
class Automatic:
    """A timed average of the series that are noisy, see noise.py."""


Smoothing = Average | TimedAverage | Median
Requested = Smoothing | Automatic


def parse_smoothing(text: str) -> Requested:
    """Parse "auto", "ema:WEIGHT", "time:HALF_LIFE" or "median:WINDOW".

    Raises:
        ValueError: text has another form.
    """
    kind, _, number = text.partition(":")
    if re.fullmatch(PATTERN, text):
        match kind:
            case "auto":
                return Automatic()
            case "ema":
                return Average(float(number))
            case "time":
                return TimedAverage(float(number))
            case "median":
                return Median(int(number))
    raise ValueError(
        f"smooth={text!r}: expected ema:WEIGHT with 0 <= WEIGHT < 1, for example ema:0.9, time:HALF_LIFE in steps or "
        f"seconds above 0, median:WINDOW with an odd number of points up to {WIDEST}, or auto"
    )


def smoothing_text(smoothing: Smoothing) -> str:
    """Return what parse_smoothing parses: "time:256"."""
    match smoothing:
        case Average(weight):
            return f"ema:{weight}"
        case TimedAverage(half_life):
            return f"time:{np.format_float_positional(half_life, trim='-')}"
        case Median(window):
            return f"median:{window}"


def unsettled_points(smoothing: Smoothing | None) -> int:
    """Return for how many points at the end of a series the smoothed values change when others are appended."""
    return smoothing.window // 2 if isinstance(smoothing, Median) else 0


def smooth(value: Float64s, x: Int64s | Float64s, smoothing: Smoothing) -> Float64s:
    """Return a smoothed series, one value a point.

    Non-finite values are copied to the result and do not affect the others.

    With v the finite values, x their positions and w the weight or h the half-life:

    * Average: s[n] = sum(w**k * v[n - k]) / sum(w**k), over k = 0..n
      (Kingma and Ba, Adam, 2015, section 3: the bias correction).
    * TimedAverage: s[n] = sum(u[k] * v[k]) / sum(u[k]), over k = 0..n, with u[k] = 2**(-(x[n] - x[k]) / h). If
      x decreases, as after a restart, distances add up; points before a position that is not finite have no weight.
    * Median: of v[n - window // 2 : n + window // 2 + 1]; of fewer values at the ends.

    Args:
        value: the whole series.
        x: positions of its points on the axis.
        smoothing: the method.
    """
    finite = np.isfinite(value)
    if finite.all():
        return _smooth(value, x, smoothing)
    smoothed = value.copy()
    smoothed[finite] = _smooth(value[finite], x[finite], smoothing)
    return smoothed


def _smooth(value: Float64s, x: Int64s | Float64s, smoothing: Smoothing) -> Float64s:
    match smoothing:
        case Average(weight):
            return _decaying_average(value, np.full(len(value), weight))
        case TimedAverage(half_life):
            return _decaying_average(value, _decay(x.astype(np.float64), half_life))
        case Median(window):
            return running_median(value, window)


def _decay(x: Float64s, half_life: float) -> Float64s:
    """Return the factor by which all earlier weights decrease at each point."""
    with np.errstate(all="ignore"):  # Damaged files may contain times that are infinite or far apart.
        decay = np.exp2(-np.abs(np.diff(x, prepend=x[:1])) / half_life)
    decay[np.isnan(decay)] = 0
    return decay


def _decaying_average(value: Float64s, decay: Float64s) -> Float64s:
    """Return y[n] = sum(d[k] * value[k]) / sum(d[k]), over k = 0..n, with d[k] = decay[k + 1] * ... * decay[n]."""
    total = _recurrence(decay, np.ones(len(value)))  # sum(d[k])
    # So each is a weighted mean of the previous one and the value, and nothing overflows.
    before = np.append(0.0, total[:-1])
    return _recurrence(decay * before / total, value / total)


def _recurrence(factor: Float64s, term: Float64s) -> Float64s:
    """Return y[n] = factor[n] * y[n - 1] + term[n], with y[-1] = 0.

    The series is arranged in columns, one after another. The recurrence within each column is computed for all columns
    together, row by row; then the contribution of the previous columns is added. A column is longer, and results are
    rounded differently, only when the series has grown fourfold.
    """
    length = len(term)
    rows = 1 << int((length / 16) ** 0.5).bit_length()  # A row takes longer than a column.
    columns = -(-length // rows)
    sums, products = np.zeros((2, columns * rows))
    sums[:length], products[:length] = term, factor
    # Copied, so that rows are contiguous.
    sums, products = (np.ascontiguousarray(array.reshape(columns, rows).T) for array in (sums, products))
    for row in range(1, rows):
        sums[row] += products[row] * sums[row - 1]
        products[row] *= products[row - 1]
    carry = 0.0
    carried = []
    for last_sum, last_product in zip(sums[-1].tolist(), products[-1].tolist(), strict=True):
        carried.append(carry)
        carry = last_sum + last_product * carry
    result: Float64s = (sums + products * np.array(carried)).T.reshape(-1)[:length]
    return result
