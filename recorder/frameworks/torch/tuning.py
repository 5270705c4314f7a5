"""Tuning: which way of computing the losses of a module is fastest, tried out where that is worth while."""

import math
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from toposcope.recorder.landscapes.models.landscape_model import LossSums

MODES = ("eager", "channels_last", "compile", "channels_last+compile")
_REPEATS = 3
# Seconds that all evaluations take, below which nothing is tried; and below which nothing is compiled.
_WORTH_TRYING, _WORTH_COMPILING = 3.0, 60.0
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
    channels of a pixel side by side ("channels_last") are tried from 3 seconds of work on, compiling from a minute on:
    it costs 10 to 20 seconds and spares a quarter. A mode in which the network raises, or finds another loss, is out.

    Args:
        model: in mode "eager", at weights whose loss is a number.
        work: what is to be done.
    """
    clock = time.thread_time if work.is_on_cpu else time.perf_counter
    begin = clock()
    expected = model.loss(0, work.samples).mean
    if (clock() - begin) * work.evaluations < _WORTH_TRYING:
        return "eager"
    mode, least = "eager", _seconds(model, "eager", work, expected, clock)
    if work.has_images:
        seconds = _seconds(model, "channels_last", work, expected, clock)
        if seconds < least * (1 - _LEAST_GAIN):
            mode, least = "channels_last", seconds
    if least * work.evaluations < _WORTH_COMPILING:
        return mode
    other = "compile" if mode == "eager" else f"{mode}+compile"
    return other if _seconds(model, other, work, expected, clock) < least * (1 - _LEAST_GAIN) else mode


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
