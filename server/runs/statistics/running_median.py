"""The exact running median of a series, in a time that hardly depends on the window size."""

import bisect

import numpy as np

from toposcope.server.budget.cancellation import check
from toposcope.server.reading.series.series import Float64s

WIDEST = 1001
"""Maximum number of points in a window."""
_BATCH = 1 << 15
"""Windows that are processed together, a multiple of every group, so that their values stay in the CPU cache."""


def running_median(value: Float64s, window: int) -> Float64s:
    """Return the median of each value and its window // 2 neighbours on either side; of fewer at the ends.

    Args:
        value: finite; shape (n,).
        window: an odd number up to WIDEST.
    """
    half = window // 2
    result = np.empty(len(value))
    result[:half] = _first_medians(value, half)
    whole = max(0, len(value) - window + 1)
    tail = half + whole
    result[tail:] = _first_medians(value[::-1], half)[: max(0, len(value) - tail)][::-1]
    group = 1 << ((window + 1) // 2).bit_length() - 1
    groups = -(-whole // group)
    padded = np.append(value, np.full(groups * group - whole, np.inf))
    for first in range(0, whole, _BATCH):
        check()
        end = min(first + _BATCH, groups * group)
        medians = _medians(padded[first : end + window - 1], window, group)
        result[half + first : half + min(end, whole)] = medians[: whole - first]
    return result


def _first_medians(value: Float64s, half: int) -> list[float]:
    """Return the medians of the windows that extend beyond the start of the series."""
    numbers = value[: 2 * half].tolist()
    ordered = sorted(numbers[:half])
    medians = []
    for at in range(min(half, len(value))):
        if at + half < len(numbers):
            bisect.insort(ordered, numbers[at + half])
        low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
        medians.append(low if low == high else low / 2 + high / 2)  # Their sum may overflow.
    return medians


def _medians(value: Float64s, window: int, group: int) -> Float64s:
    """Return the median of every complete window.

    Neighbouring windows share most of their values. Of the values shared by all windows of a group of g windows, only
    the g middle ones can be a median, because each window adds only g - 1 further values. Groups are halved repeatedly:
    the values shared by half a group are those of the whole group and a contiguous part of the series to its left or
    right; the middle third of that part and the middle values of the group are the middle values of the half.

    Args:
        value: finite or infinite; the number of windows is a multiple of `group`.
        window: an odd number.
        group: number of windows in the first groups: a power of two, at most (window + 1) / 2.
    """
    pieces = np.lib.stride_tricks.sliding_window_view
    shared = pieces(value, window - group + 1)[group - 1 :: group]
    least = window // 2 + 1 - group
    middle = np.sort(shared, axis=1)[:, least : least + group]
    while group > 1:
        half = group // 2
        added = pieces(value, half)
        left, right = (added[begin::group][: len(middle)] for begin in (half - 1, window))
        halves = np.stack([left, right], axis=1)
        if half == 1:
            return np.clip(halves[..., 0], middle[:, :1], middle[:, 1:]).reshape(-1)
        halves = np.concatenate([halves, np.stack([middle, middle], axis=1)], axis=2)
        halves.sort(axis=2)
        middle = halves[..., half:group].reshape(-1, half)
        group = half
    return middle[:, 0]
