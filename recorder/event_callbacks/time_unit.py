"""Time units in which callbacks log durations."""

from toposcope.recorder.arguments import checked_text

_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}


def seconds_per(time_unit: object) -> int:
    """Return the seconds of "seconds", "minutes", "hours" or "days".

    Raises:
        TypeError: time_unit is not a str.
        ValueError: time_unit is another str.
    """
    if checked_text("time_unit", time_unit) not in _SECONDS:
        raise ValueError(f"time_unit must be one of {', '.join(map(repr, _SECONDS))}, not {time_unit!r}.")
    return _SECONDS[str(time_unit)]
