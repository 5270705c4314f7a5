"""Tuning: finds the fastest mode of computing the losses of a module, by timing where that pays."""

import math
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from toposcope.recorder.landscapes.models.unit_losses import UnitLosses

MODES = ("eager", "channels_last", "blocked", "compile", "channels_last+compile")
_REPEATS = 3
# Seconds of work below which no mode is timed, and below which none is compiled. Where blocked images are fastest,
# compiled convolutional networks are hardly faster.
_MIN_SECONDS_TO_TIME, _MIN_SECONDS_TO_COMPILE = 3.0, {"eager": 60.0, "channels_last": 60.0, "blocked": 600.0}
# The least share of the time that another mode must save; smaller differences may be noise.
_MIN_GAIN = 0.1
_TOLERANCE = 1e-5


class _Tunable(Protocol):
    def losses(self, first: int = 0, last: int | None = None) -> UnitLosses: ...
    def use(self, mode: str) -> None: ...


class Work(NamedTuple):
    """The work for which a mode is chosen."""

    evaluations: float
    """How often the timed samples would be evaluated."""
    samples: int
    """The number of timed samples: one or more whole batches, several hundred samples if there are as many."""
    has_images: bool
    """Whether there are arrays with channels."""
    is_on_cpu: bool


def fastest_mode(model: _Tunable, work: Work) -> str:
    """Return the mode in which the work takes the least time, including compilation.

    Modes are timed on some of the samples, in CPU time if the CPU computes, the best of three. Images with the channels
    of a pixel in adjacent memory ("channels_last") and, on a CPU, in blocks ("blocked") are tried if there are at least
    3 seconds of work; compiling, which takes 10 to 20 seconds, if there are one or ten minutes. A mode in which the
    network raises, or has another loss, is rejected.

    Args:
        model: in mode "eager", at weights with a finite loss.
        work: to be done.
    """
    clock = time.thread_time if work.is_on_cpu else time.perf_counter
    begin = clock()
    expected = model.losses(0, work.samples).sums.mean
    if (clock() - begin) * work.evaluations < _MIN_SECONDS_TO_TIME:
        return "eager"
    of_images = ("channels_last", "blocked") if work.is_on_cpu else ("channels_last",)
    tried = ("eager", *of_images) if work.has_images else ("eager",)
    seconds = {mode: _seconds(model, mode, work, expected, clock) for mode in tried}
    limit = seconds["eager"] * (1 - _MIN_GAIN)
    fastest = min(seconds, key=seconds.__getitem__)
    mode = fastest if seconds[fastest] < limit else "eager"
    if seconds[mode] * work.evaluations < _MIN_SECONDS_TO_COMPILE[mode]:
        return mode
    compiled_mode = "channels_last+compile" if seconds.get("channels_last", math.inf) < limit else "compile"
    compiled = _seconds(model, compiled_mode, work, expected, clock)
    return compiled_mode if compiled < seconds[mode] * (1 - _MIN_GAIN) else mode


def _seconds(model: _Tunable, mode: str, work: Work, expected: float, clock: Callable[[], float]) -> float:
    """Return the seconds of one evaluation; infinity if the mode cannot be used."""
    durations = []
    try:
        model.use(mode)
        for _ in range(1 + _REPEATS):
            begin = clock()
            loss = model.losses(0, work.samples).sums.mean
            durations.append(clock() - begin)
    except Exception:  # The network may need contiguous images, for example.
        model.use("eager")
        return math.inf
    return min(durations[1:]) if math.isclose(loss, expected, rel_tol=_TOLERANCE) else math.inf
