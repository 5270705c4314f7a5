"""Time: a number with a unit that measures a training, as Composer's `Time`."""

import math
import re
from enum import StrEnum
from typing import Union

from toposcope.recorder.values.foreign_values import short_repr

_CLOCK = re.compile(r"(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-z]+)")


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
        return next((unit for unit in cls if isinstance(value, str) and value.upper() == unit.name), None)


TimeInput = Union["Time", str, int, float]


class Time:
    """A value with a unit: `Time(10, "ba")`. Only times of the same unit can be compared, added or divided.

    Strings are accepted as operands: "10ba", "0.5dur" (a fraction of the training), "1h30m". A number as operand is
    interpreted in the unit of the Time. Values are integers in all units except "dur" and "sec".
    """

    __slots__ = ("unit", "value")

    def __init__(self, value: int | float, unit: str | TimeUnit) -> None:
        """Create a time; TypeError if value is not a number, ValueError if the unit is unknown or needs an integer."""
        self.unit = _unit(unit)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"The value of a time must be an int or a float, not {short_repr(value)}.")
        if self.unit in (TimeUnit.DURATION, TimeUnit.SECOND):
            self.value: int | float = float(value)
        elif not math.isfinite(value) or value != int(value):
            raise ValueError(f"A time in {self.unit.name.lower()}s must be a whole number, not {value!r}.")
        else:
            self.value = int(value)

    @classmethod
    def from_input(cls, time: TimeInput, unit: str | TimeUnit | None = None) -> "Time":
        """Return time as a Time; a number is in *unit*, and raises TypeError if unit is None."""
        if isinstance(time, Time):
            return time
        if isinstance(time, str):
            return cls.from_timestring(time)
        if unit is None:
            raise TypeError(
                f"A time must be a Time or a str such as '10ba', not {short_repr(time)}, which has no unit."
            )
        return cls(time, unit)

    @classmethod
    def from_timestring(cls, text: str) -> "Time":
        """Parse a time such as "10ba", "0.5dur" or "1h30m"; ValueError if it is malformed."""
        compact = text.replace(" ", "").replace("_", "")
        if (clock := _CLOCK.fullmatch(compact)) is not None:
            hours, minutes, seconds = (int(part or 0) for part in clock.groups())
            return cls(3600 * hours + 60 * minutes + seconds, TimeUnit.SECOND)
        match = _NUMBER.fullmatch(compact)
        if match is None:
            raise ValueError(f"A time must be a number with a unit ('10ba', '2ep', '0.5dur', '1h30m'), not {text!r}.")
        number = float(match[1])
        return cls(int(number) if number == int(number) else number, match[2])

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
        return f"Time({self.value}, {self.unit.name})"

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

    def __mul__(self, factor: int | float) -> "Time":
        value = self.value * factor
        return Time(value if self.unit in (TimeUnit.DURATION, TimeUnit.SECOND) else int(value), self.unit)

    __rmul__ = __mul__

    def __truediv__(self, other: TimeInput) -> "Time":
        """Return the ratio of two times in "dur", or this time divided by a number."""
        if isinstance(other, int | float):
            return self * (1 / other)
        return Time(self.value / self._same_unit(other).value, TimeUnit.DURATION)

    def __mod__(self, other: TimeInput) -> "Time":
        return Time(self.value % self._same_unit(other).value, self.unit)

    def _same_unit(self, other: TimeInput) -> "Time":
        time = Time.from_input(other, self.unit)
        if time.unit != self.unit:
            raise RuntimeError(f"{self!r} and {time!r} have different units: they cannot be compared or added.")
        return time


def _unit(unit: str) -> TimeUnit:
    try:
        return TimeUnit(unit)
    except ValueError:
        units = ", ".join(repr(member.value) for member in TimeUnit)
        raise ValueError(f"The unit of a time must be one of {units}, not {short_repr(unit)}.") from None
