"""Tuning: which way of computing the losses of a module is fastest, tried out where that is worth while."""

import math
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from toposcope.recorder.landscapes.models.loss_sums import LossSums

MODES = ("eager", "channels_last", "blocked", "compile", "channels_last+compile")
_REPEATS = 3
# Seconds that all evaluations take, below which nothing is tried; and below which nothing is compiled. Where images in
# blocks are fastest, compiled convolutional networks are hardly faster.
_WORTH_TRYING, _WORTH_COMPILING = 3.0, {"eager": 60.0, "channels_last": 60.0, "blocked": 600.0}
# Of the time that is kept in another mode: what gains less may be noise.
_LEAST_GAIN = 0.1
_TOLERANCE = 1e-5


class _Tunable(Protocol):
    def loss(self, first: int = 0, last: int | None = None) -> LossSums: ...
    def use(self, mode: str) -> None: ...


class Work(NamedTuple):
    """What is to be done."""

    evaluations: float
    """Of the samples that modes are timed on."""
    samples: int
    """Those: a whole batch or several, several hundred of them where there are."""
    has_images: bool
    """Whether there are arrays that have channels."""
    is_on_cpu: bool


def fastest_mode(model: _Tunable, work: Work) -> str:
    """Return the mode in which the work takes least time, that of compiling included.

    Modes are timed on some of the samples, in CPU time where the CPU computes, the best of three. Images with the
    channels of a pixel side by side ("channels_last"), or, on a CPU, in blocks ("blocked"), are tried from 3 seconds of
    work on, compiling from one minute or ten on: it costs 10 to 20 seconds. A mode in which the network raises, or
    finds another loss, is out.

    Args:
        model: in mode "eager", at weights whose loss is a number.
        work: what is to be done.
    """
    clock = time.thread_time if work.is_on_cpu else time.perf_counter
    begin = clock()
    expected = model.loss(0, work.samples).mean
    if (clock() - begin) * work.evaluations < _WORTH_TRYING:
        return "eager"
    of_images = ("channels_last", "blocked") if work.is_on_cpu else ("channels_last",)
    tried = ("eager", *of_images) if work.has_images else ("eager",)
    seconds = {mode: _seconds(model, mode, work, expected, clock) for mode in tried}
    enough = seconds["eager"] * (1 - _LEAST_GAIN)
    fastest = min(seconds, key=seconds.__getitem__)
    mode = fastest if seconds[fastest] < enough else "eager"
    if seconds[mode] * work.evaluations < _WORTH_COMPILING[mode]:
        return mode
    other = "channels_last+compile" if seconds.get("channels_last", math.inf) < enough else "compile"
    compiled = _seconds(model, other, work, expected, clock)
    return other if compiled < seconds[mode] * (1 - _LEAST_GAIN) else mode


def _seconds(model: _Tunable, mode: str, work: Work, expected: float, clock: Callable[[], float]) -> float:
    """Return the seconds of one evaluation; infinity when the mode is no good."""
    taken = []
    try:
        model.use(mode)
        for _ in range(1 + _REPEATS):
            begin = clock()
            found = model.loss(0, work.samples).mean
            taken.append(clock() - begin)
    except Exception:  # Of the network, which may want contiguous images.
        model.use("eager")
        return math.inf
    return min(taken[1:]) if math.isclose(found, expected, rel_tol=_TOLERANCE) else math.inf
