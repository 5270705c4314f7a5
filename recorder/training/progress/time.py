"""Time: a number with a unit that measures a training, as Composer's `Time`."""

import re
from enum import StrEnum
from typing import Any, Union

from toposcope.recorder.values.arrays.foreign_values import short_repr

_CLOCK = re.compile(r"(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-zA-Z]+)")


class TimeUnit(StrEnum):
    """A unit of training time."""

    ITERATION = "iter"
    EPOCH = "ep"
    BATCH = "ba"
    SAMPLE = "sp"
    TOKEN = "tok"
    DURATION = "dur"
    SECOND = "sec"

    @classmethod
    def _missing_(cls, value: object) -> "TimeUnit | None":
        names = (value.lower(), value.upper()) if isinstance(value, str) else ()
        return next((unit for unit in cls if unit.value in names or unit.name in names), None)


TimeInput = Union["Time", str, int, float]


class Time:
    """A value with a unit: `Time(10, "ba")`. Only times of the same unit can be compared, added or divided.

    Strings are accepted as operands: "10ba", "0.5dur" (a fraction of the training), "1h30m". A number as operand is
    interpreted in the unit of the Time. Values are integers in all units except "dur". The class corresponds to
    `composer.Time`.
    """

    __slots__ = ("unit", "value")

    def __init__(self, value: Union[int, float, "Time"], unit: str | TimeUnit) -> None:
        """Create a time.

        Args:
            value: a count, an int; in "dur" any number, or a Time in "dur".
            unit: a TimeUnit, its value or its name.

        Raises:
            TypeError: value is not a number, or not an int in a unit other than "dur".
            ValueError: there is no such unit.
        """
        self.unit = _unit(unit)
        self.value: int | float
        if self.unit is TimeUnit.DURATION:
            if isinstance(value, bool) or not isinstance(value, int | float | Time):
                raise TypeError(f"The value of a time must be a number, not {short_repr(value)}.")
            self.value = float(value)
        else:
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"A time in '{self.unit}' must be an int, not {short_repr(value)}.")
            self.value = value

    @classmethod
    def from_input(cls, time: TimeInput, default_int_unit: str | TimeUnit | None = None) -> "Time":
        """Return time as a Time.

        Args:
            time: a Time, a string as for from_timestring(), or a number.
            default_int_unit: the unit of a number.

        Raises:
            RuntimeError: time is a number without a unit, or neither a Time, a string nor a number.
            TypeError: the number is not an int in a unit other than "dur".
            ValueError: the string is malformed.
        """
        if isinstance(time, Time):
            return time
        if isinstance(time, str):
            return cls.from_timestring(time)
        if not isinstance(time, int | float):
            raise RuntimeError(f"A time must be a Time or a string such as '10ba', not {short_repr(time)}.")
        if default_int_unit is None:
            raise RuntimeError(f"A time must be a Time or a string such as '10ba', not {time!r}, which has no unit.")
        return cls(time, default_int_unit)

    @classmethod
    def from_timestring(cls, text: str) -> "Time":
        """Parse a time such as "10ba", "0.5dur" or "1h30m".

        Raises:
            ValueError: the string is malformed.
            TypeError: the number is fractional in a unit other than "dur".
        """
        compact = text.replace(" ", "").replace("_", "")
        if (clock := _CLOCK.fullmatch(compact)) is not None:
            hours, minutes, seconds = (int(part or 0) for part in clock.groups())
            return cls(3600 * hours + 60 * minutes + seconds, TimeUnit.SECOND)
        match = _NUMBER.fullmatch(compact)
        if match is None:
            raise ValueError(f"A time must be a number with a unit ('10ba', '2ep', '0.5dur', '1h30m'), not {text!r}.")
        return cls(_number(match[1]), match[2])

    @classmethod
    def from_iteration(cls, value: int) -> "Time":
        """Return a number of iterations."""
        return cls(value, TimeUnit.ITERATION)

    @classmethod
    def from_epoch(cls, value: int) -> "Time":
        """Return a number of epochs."""
        return cls(value, TimeUnit.EPOCH)

    @classmethod
    def from_batch(cls, value: int) -> "Time":
        """Return a number of batches."""
        return cls(value, TimeUnit.BATCH)

    @classmethod
    def from_sample(cls, value: int) -> "Time":
        """Return a number of samples."""
        return cls(value, TimeUnit.SAMPLE)

    @classmethod
    def from_token(cls, value: int) -> "Time":
        """Return a number of tokens."""
        return cls(value, TimeUnit.TOKEN)

    @classmethod
    def from_duration(cls, value: float) -> "Time":
        """Return a fraction of a training."""
        return cls(value, TimeUnit.DURATION)

    def after(self, more: int | float) -> "Time":
        """Return this time plus *more* units, without checking *more*."""
        later = object.__new__(Time)
        later.unit, later.value = self.unit, self.value + more
        return later

    def to_timestring(self) -> str:
        """Return the time as a string that from_timestring() parses: "10ba"."""
        return f"{self.value}{self.unit.value}"

    def __repr__(self) -> str:
        return f"Time({self.value}, TimeUnit.{self.unit.name})"

    def __str__(self) -> str:
        return self.to_timestring()

    def __hash__(self) -> int:
        return hash((self.value, self.unit))

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time | str | int | float) and self.value == self._same_unit(other).value

    def __lt__(self, other: TimeInput) -> bool:
        return self.value < self._same_unit(other).value

    def __le__(self, other: TimeInput) -> bool:
        return self.value <= self._same_unit(other).value

    def __gt__(self, other: TimeInput) -> bool:
        return self.value > self._same_unit(other).value

    def __ge__(self, other: TimeInput) -> bool:
        return self.value >= self._same_unit(other).value

    def __add__(self, other: TimeInput) -> "Time":
        return Time(self.value + self._same_unit(other).value, self.unit)

    __radd__ = __add__

    def __sub__(self, other: TimeInput) -> "Time":
        return Time(self.value - self._same_unit(other).value, self.unit)

    def __rsub__(self, other: TimeInput) -> "Time":
        return self._same_unit(other) - self

    def __neg__(self) -> "Time":
        return Time(-self.value, self.unit)

    def __pos__(self) -> "Time":
        return self

    def __mul__(self, other: TimeInput) -> "Time":
        """Return a multiple of this time; RuntimeError for the product of two times of which none is in "dur"."""
        if isinstance(other, int | float):
            return _whole(self.value * other, self.unit)
        factor = Time.from_input(other)
        if TimeUnit.DURATION not in (self.unit, factor.unit):
            raise RuntimeError(f"{self!r} and {factor!r} cannot be multiplied: neither is a fraction, in 'dur'.")
        return _whole(self.value * factor.value, factor.unit if self.unit is TimeUnit.DURATION else self.unit)

    __rmul__ = __mul__

    def __truediv__(self, other: TimeInput) -> "Time":
        """Return the ratio of two times in "dur", or this time divided by a number."""
        if isinstance(other, int | float):
            return _whole(self.value / other, self.unit)
        return Time(self.value / self._same_unit(other).value, TimeUnit.DURATION)

    def __mod__(self, other: TimeInput) -> "Time":
        return Time(self.value % self._same_unit(other).value, self.unit)

    def _same_unit(self, other: TimeInput) -> "Time":
        time = Time.from_input(other, self.unit)
        if time.unit != self.unit:
            raise RuntimeError(f"{self!r} and {time!r} have different units: they cannot be compared or added.")
        return time


def checked_time(name: str, time: Any, unit: str | TimeUnit) -> Time:
    """Return the argument *name* of a public function as a Time; a number is in *unit*.

    Raises:
        TypeError: time is neither a Time, a string nor a number, or a fraction in a unit other than "dur".
        ValueError: the string is malformed.
    """
    if isinstance(time, bool) or not isinstance(time, Time | str | int | float):
        raise TypeError(f"{name} must be a Time, a string such as '10ba' or a number, not {short_repr(time)}.")
    try:
        return Time.from_input(time, unit)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} is not a valid time: {error}") from None


def _whole(value: int | float, unit: TimeUnit) -> Time:
    """Return a time whose value is rounded toward zero, unless it is in "dur"."""
    return Time(value if unit is TimeUnit.DURATION else int(value), unit)


def _number(text: str) -> int | float:
    """Return a number as an int if it is whole."""
    if text.lstrip("+-").isdigit():
        return int(text)
    number = float(text)
    return int(number) if number.is_integer() else number


def _unit(unit: str) -> TimeUnit:
    try:
        return TimeUnit(unit)
    except ValueError:
        units = ", ".join(repr(member.value) for member in TimeUnit)
        raise ValueError(f"The unit of a time must be one of {units}, not {short_repr(unit)}.") from None
