"""The exact running median of a series, in a time that hardly depends on the window."""

import bisect

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series import Float64s

WIDEST = 1001
"""Points that a window may have: rows stay short enough for their numbers to be int16."""
_SHORTEST_ROW = 256
_ROW_WINDOWS = 8
_FEW = 1 << 15
"""Numbers in all windows that are sorted at once."""
_BATCH = 1 << 17
"""Numbers that are worked on at a time: they stay in the cache."""
Int16s = npt.NDArray[np.int16]


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
    if not whole:
        return result
    if whole * window <= _FEW:
        windows = np.lib.stride_tricks.sliding_window_view(value, window)
        result[half:behind] = np.partition(windows, half, axis=1)[:, half]
        return result
    row = max(_SHORTEST_ROW, 1 << (_ROW_WINDOWS * window).bit_length() - 1)
    each = row - window + 1
    """Windows that begin and end in one row."""
    rows = -(-whole // each)
    padded = np.append(value, np.full(rows * each + window - 1 - len(value), np.inf))
    overlapping = np.lib.stride_tricks.sliding_window_view(padded, row)[::each]
    batch = max(1, _BATCH // row)
    for first in range(0, rows, batch):
        medians = _medians(overlapping[first : first + batch], window).reshape(-1)
        begin = first * each
        end = min(begin + len(medians), whole)
        result[half + begin : half + end] = medians[: end - begin]
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


def _medians(value: Float64s, window: int) -> Float64s:
    """Return the median of every whole window in each row.

    Each row has a wavelet matrix (Claude and Navarro, 2012): bit by bit from the highest, the ranks of the values are
    parted into those with a 0 and those with a 1, and so is every window; the part that holds its middle is followed.

    Args:
        value: shape (rows, a power of two).
        window: an odd number below that.
    """
    rows, length = value.shape
    order = np.argsort(value, axis=1)
    rank = np.empty((rows, length), np.int16)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(length, dtype=np.int16), (rows, length)), axis=1)
    begin = np.broadcast_to(np.arange(length - window + 1), (rows, length - window + 1))
    end = begin + window
    middle = np.full(begin.shape, window // 2, np.int16)
    found = np.zeros(begin.shape, np.int64)
    starts = (length + 1) * np.arange(rows)[:, np.newaxis]
    zeros = np.zeros((rows, length + 1), np.int16)
    """How many of the first ranks of a row have a 0."""
    for bit in range(length.bit_length() - 2, -1, -1):
        is_one = (rank >> bit & 1).astype(np.bool_)
        np.cumsum(~is_one, axis=1, dtype=np.int16, out=zeros[:, 1:])
        zeros_before, zeros_within = zeros.take(starts + begin), zeros.take(starts + end)
        fewer = zeros_within - zeros_before
        goes_on = middle >= fewer  # To the ones.
        begin = np.where(goes_on, length // 2 + begin - zeros_before, zeros_before)
        end = np.where(goes_on, length // 2 + end - zeros_within, zeros_within)
        middle -= fewer * goes_on
        found += goes_on.astype(np.int64) << bit
        # The ranks of a row are all there: half of them have a 0.
        rank = np.concatenate([rank[~is_one].reshape(rows, -1), rank[is_one].reshape(rows, -1)], axis=1)
    return np.take_along_axis(np.take_along_axis(value, order, axis=1), found, axis=1)
