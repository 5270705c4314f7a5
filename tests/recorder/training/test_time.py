"""Time, Timestamp and Event: parsing, comparison and counting."""

import datetime
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.time import Time, TimeUnit
from toposcope.recorder.training.progress.timestamp import Timestamp


def test_pairs_among_the_forty_events_share_a_canonical_name() -> None:
    assert len(Event) == 40
    assert Event("EPOCH_START") is Event("epoch_start") is Event.EPOCH_START
    pairs = [(event, other) for event in Event for other in Event if event.is_before_event and other.is_after_event]
    assert sum(event.canonical_name == other.canonical_name for event, other in pairs) == 18
    neither = {event.value for event in Event if not event.is_before_event and not event.is_after_event}
    assert neither == {"init", "batch_checkpoint", "epoch_checkpoint", "iteration_checkpoint"}


@given(st.integers(0, 10**9), st.sampled_from(["iter", "ep", "ba", "sp", "tok"]))
def test_a_timestring_is_parsed_to_the_same_time(value: int, unit: str) -> None:
    time = Time(value, unit)
    assert Time.from_timestring(time.to_timestring()) == time
    assert time == value
    assert time == f"{value}{unit}"


def test_timestrings_of_fractions_and_hours_are_parsed() -> None:
    assert Time.from_timestring("0.5dur") == Time(0.5, TimeUnit.DURATION)
    assert Time.from_timestring("1h30m") == Time(5400, "sec")
    assert Time.from_timestring("2_000ba") == Time(2000, "ba")
    assert Time(1, "ep") / "4ep" == Time(0.25, "dur")
    assert Time(7, "ba") % 4 == "3ba"
    assert 2 + Time(1, "ba") == Time.from_batch(3)


def test_times_of_different_units_cannot_be_mixed() -> None:
    with pytest.raises(RuntimeError, match="different units"):
        assert Time(1, "ep") < Time(1, "ba")
    with pytest.raises(RuntimeError, match="different units"):
        Time(1, "ep") + "1ba"


@pytest.mark.parametrize("text", ["", "ep", "3", "3 furlongs", "1h30", "half dur"])
def test_a_malformed_timestring_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"time|unit"):
        Time.from_timestring(text)


@pytest.mark.parametrize("unit", ["iter", "ep", "ba", "sp", "tok", "sec"])
def test_a_count_must_be_an_int(unit: str) -> None:
    for value in (1.5, 2.0, True, None, "3", Time(1, "ep")):
        with pytest.raises(TypeError, match=unit):
            Time(value, unit)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"1\.5"):
        Time.from_timestring(f"1.5{unit}")
    with pytest.raises(TypeError, match="inf"):
        Time.from_timestring(f"1e999{unit}")
    assert Time.from_timestring(f"2.0{unit}") == Time(2, unit)
    assert str(Time.from_timestring(f"{2**60 + 1}{unit}")) == f"{2**60 + 1}{unit}"


def test_a_fraction_may_be_any_number_or_another_fraction() -> None:
    assert Time(Time(0.5, "dur"), "dur") == Time(0.5, "dur")
    assert str(Time(1, "dur")) == "1.0dur"
    with pytest.raises(TypeError, match="a number"):
        Time(True, "dur")


def test_a_time_is_written_as_it_was_given() -> None:
    assert str(Time.from_timestring("6sec")) == str(Time(6, "sec")) == "6sec"
    assert repr(Time(1, "tok")) == "Time(1, TimeUnit.TOKEN)"
    assert Time.from_timestring("10BA").unit is TimeUnit("Batch") is TimeUnit.BATCH
    timestamp = Timestamp().to_next_batch(4)
    assert eval(repr(timestamp), {**globals(), "datetime": datetime}) == timestamp


def test_the_product_of_two_times_has_the_unit_that_is_not_a_fraction() -> None:
    half, two = Time(0.5, "dur"), Time(2, "ep")
    assert half * two == two * half == two * "0.5dur" == 0.5 * two == Time(1, "ep")
    assert half * half == Time(0.25, "dur")
    assert Time(3, "ba") * half == Time(3, "ba") / 2 == Time(1, "ba")
    assert +two == two
    for other in (two, "1ba", Time(1, "sec")):
        with pytest.raises(RuntimeError, match="neither is a fraction"):
            two * other


def test_an_input_without_a_unit_is_an_error() -> None:
    assert Time.from_input(3, default_int_unit="ba") == Time(3, "ba")
    for value in (3, None, [3]):
        with pytest.raises(RuntimeError, match="'10ba'"):
            Time.from_input(value)  # type: ignore[arg-type]


def test_a_timestamp_counts_batches_epochs_and_iterations() -> None:
    second = timedelta(seconds=1)
    now = Timestamp().to_next_batch(4, 10, second).to_next_batch(3, 10, second)
    assert now.batch == now.batch_in_epoch == 2
    assert now.sample == 7
    assert now.token == 20
    assert now.total_wct == now.epoch_wct == 2 * second
    after = now.to_next_epoch(second)
    assert after.epoch == 1
    assert after.batch == 2
    assert after.batch_in_epoch == 0
    assert after.sample_in_epoch == 0
    assert after.total_wct == 3 * second
    assert after.epoch_wct == timedelta()
    assert after.to_next_iteration().iteration == 1
    assert after.to_next_iteration().epoch_in_iteration == 0
    assert now < "3ba"
    assert now < Time(1, "ep")
    assert now.get("sec") == Time(2, "sec")
    assert Timestamp().load_state_dict(after.state_dict()) == after
    assert now.copy(batch=9).batch == "9ba"


def test_only_epoch_in_iteration_of_a_timestamp_can_be_set() -> None:
    timestamp = Timestamp()
    timestamp.epoch_in_iteration = 2  # type: ignore[assignment]
    assert timestamp.epoch_in_iteration == Time(2, "ep")
    assert Timestamp().epoch_in_iteration == 0
    with pytest.raises(AttributeError, match=r"copy\(batch=\.\.\.\)"):
        timestamp.batch = Time(1, "ba")


def test_a_count_of_a_timestamp_has_its_own_unit() -> None:
    with pytest.raises(ValueError, match=r"batch .* 'ba', not 3ep"):
        Timestamp(batch="3ep")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"epoch .* 'ep', not 3ba"):
        Timestamp().copy(epoch="3ba")
