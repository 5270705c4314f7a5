"""Time, TimeUnit and Timestamp compute what Composer's do: the same values, texts and kinds of errors."""

import datetime
from typing import Any

import composer.core
import pytest

from toposcope.recorder import training

pytestmark = pytest.mark.filterwarnings("ignore")  # Composer's, of comparisons with strings.

VALUES = ["0", "3", "-2", "2.0", "1.5", "None", "[1]"]
TEXTS = [
    "2iter",
    "1ep",
    "2ba",
    "3e10sp",
    "3_0e10sp",
    "4_000tok",
    "0.5dur",
    "6sec",
    "1h20m40s",
    "30s",
    "2m",
    "10BA",
    "10 ba",
]
TEXTS += [
    "ep",
    "x",  # Composer reads "" and "3" as seconds.
    "1.1iter",
    "1.5ep",
    "2.1ba",
    "3.2sp",
    "3.4tok",
    "0.1sec",
    "1.0iter",
    "3.000ba",
    "030.0sp",
]
UNITS = ["iter", "ep", "ba", "sp", "tok", "dur", "sec", "EPOCH", "Ba", "hours"]
TIMES = ["Time(4, 'ep')", "Time(0, 'ba')", "Time(3, 'ba')", "Time(0.5, 'dur')", "Time(2, 'dur')", "Time(7, 'sec')"]
OPERANDS = [*TIMES, "2", "0.25", "'1ba'", "'2ep'", "'0.5dur'", "'x'"]
EXPRESSIONS = [
    *(f"Time.from_timestring({text!r})" for text in TEXTS),
    *(f"Time({value}, {unit!r})" for value in [*VALUES, *TIMES] for unit in UNITS),
    *(f"Time.from_input({value})" for value in [*VALUES, *TIMES]),
    *(f"Time.from_input({value}, 'ba')" for value in [*VALUES, *TIMES]),
    *(f"TimeUnit({unit!r}).name" for unit in UNITS),
    *(f"{time} {sign} {other}" for time in TIMES for other in OPERANDS for sign in ("+", "-", "*", "/", "%")),
    *(f"{other} {sign} {time}" for time in TIMES for other in ("2", "0.25") for sign in ("+", "-", "*")),
    *(f"{time} {sign} {other}" for time in TIMES for other in OPERANDS for sign in ("==", "!=", "<", "<=", ">", ">=")),
    *(f"({time}, +{time}, -{time}, int({time}), float({time}), {time}.value, {time}.unit.value)" for time in TIMES),
    *(f"({time}.to_timestring(), repr({time}), eval(repr({time})) == {time})" for time in TIMES),
]
TIMESTAMPS = [
    "Timestamp()",
    "Timestamp(epoch=1, batch='3ba', sample=Time(9, 'sp'))",
    "Timestamp(batch='3ep')",
    "Timestamp(batch=1.5)",
    "Timestamp().to_next_batch(10, 20, datetime.timedelta(seconds=5))",
    "Timestamp().to_next_batch(10, 20, datetime.timedelta(seconds=2.7)).to_next_epoch()",
    "Timestamp().to_next_batch(3).to_next_epoch().to_next_batch(2).to_next_iteration().to_next_batch()",
    "Timestamp(epoch_in_iteration=4).copy(batch=2)",
]


def outcome(expression: str, names: Any) -> Any:
    """Return what an expression is in the names of a library, as text; or the name of the error that it raises."""
    known = {"Time": names.Time, "TimeUnit": names.TimeUnit, "Timestamp": names.Timestamp, "datetime": datetime}
    try:
        value = eval(expression, known)
    except Exception as error:
        return type(error).__name__
    return repr(value) if not hasattr(value, "state_dict") or isinstance(value, names.Time) else value.state_dict()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_times(expression: str) -> None:
    assert outcome(expression, training) == outcome(expression, composer.core)


@pytest.mark.parametrize("timestamp", TIMESTAMPS)
def test_timestamps(timestamp: str) -> None:
    compared = [f"{timestamp} {sign} {time}" for sign in ("<", "==", ">=") for time in TIMES]
    got = [f"{timestamp}.get({unit!r})" for unit in UNITS]
    for expression in (timestamp, f"eval(repr({timestamp})) == {timestamp}", *compared, *got):
        assert outcome(expression, training) == outcome(expression, composer.core), expression


def test_only_epoch_in_iteration_of_a_timestamp_can_be_set() -> None:
    for library in (training, composer.core):
        timestamp: Any = library.Timestamp()
        timestamp.epoch_in_iteration = 3
        assert str(timestamp.epoch_in_iteration) == "3ep"
        with pytest.raises(AttributeError):
            timestamp.batch = 1
        with pytest.raises(ValueError, match="epoch_in_iteration"):
            timestamp.epoch_in_iteration = "3ba"
