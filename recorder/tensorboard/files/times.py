"""Steps and wall times as the writers of PyTorch and tensorboardX accept them."""

from time import time
from typing import Any

from toposcope.recorder.values.arrays.foreign_values import short_repr

_MIN_STEP, _MAX_STEP = -(2**63), 2**63 - 1


def checked_step(parameter: str, step: Any) -> int:
    """Return a step: 0 for None, otherwise what int() makes of it.

    Raises:
        TypeError: it is not a number.
        ValueError: it does not fit in 64 bits, or is not finite.
    """
    if type(step) is not int:
        step = _integer(parameter, step)
    if not _MIN_STEP <= step <= _MAX_STEP:
        raise ValueError(f"{parameter} must fit in 64 bits; {short_repr(step)} does not.")
    return int(step)


def _integer(parameter: str, step: Any) -> int:
    if step is None:
        return 0
    try:
        return int(step)
    except (ValueError, OverflowError):
        raise ValueError(f"{parameter} must be an integer, not {short_repr(step)}.") from None
    except Exception as error:
        raise TypeError(f"{parameter} must be an integer, not {short_repr(step)}: {error}") from None


def checked_wall_time(walltime: Any) -> float:
    """Return a wall time in seconds since 1970: the current one for None.

    Raises:
        TypeError: it is not a number.
    """
    if walltime is None:
        return time()
    try:
        return float(walltime)
    except Exception as error:
        raise TypeError(f"walltime must be a number of seconds, not {short_repr(walltime)}: {error}") from None
