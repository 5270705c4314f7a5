"""The exact running median of a series, in a time that hardly depends on the window."""

import bisect

import numpy as np

from toposcope.server.reading.series import Float64s

WIDEST = 1001
"""Points that a window may have."""
_BATCH = 1 << 15
"""Windows that are worked on at a time, a multiple of every group: what they hold stays in the cache."""


def running_median(value: Float64s, window: int) -> Float64s:
    """Return the median of each value and of window // 2 on either side, at the ends of those that there are.

    Args:
        value: finite; shape (n,).
        window: an odd number up to WIDEST.
    """
    half = window // 2
    result = np.empty(len(value))
    result[:half] = _first_medians(value, half)
    whole = max(0, len(value) - window + 1)
    behind = half + whole
    result[behind:] = _first_medians(value[::-1], half)[: max(0, len(value) - behind)][::-1]
    group = 1 << ((window + 1) // 2).bit_length() - 1
    groups = -(-whole // group)
    padded = np.append(value, np.full(groups * group - whole, np.inf))
    for first in range(0, whole, _BATCH):
        end = min(first + _BATCH, groups * group)
        medians = _medians(padded[first : end + window - 1], window, group)
        result[half + first : half + min(end, whole)] = medians[: whole - first]
    return result


def _first_medians(value: Float64s, half: int) -> list[float]:
    """Return the medians of the windows that begin before the series does."""
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
    """Return the median of every whole window.

    Neighbouring windows have most of their values in common. Of those that all windows of a group have, only as many
    as there are windows can become a median, the middle ones: each window adds but one less than that. So groups are
    halved again and again, and of what a half has in common more than the whole group (one stretch of the series, on
    its left or on its right) together with the middle of the group the middle third is the middle of the half.

    Args:
        value: finite or infinite; as many windows as are a multiple of `group`.
        window: an odd number.
        group: windows of the first groups: a power of two, (window + 1) / 2 at most.
    """
    pieces = np.lib.stride_tricks.sliding_window_view
    in_common = pieces(value, window - group + 1)[group - 1 :: group]
    least = window // 2 + 1 - group
    middle = np.sort(in_common, axis=1)[:, least : least + group]
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
