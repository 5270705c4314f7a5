"""The fast encoder writes what the generated classes would."""

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.writing import scalar_events
from toposcope.recorder.writing.scalar_events import ScalarEncoder

INT64 = st.integers(-(2**63), 2**63 - 1)
# One NaN stands for all: what becomes of the bits of others is the platform's affair.
FINITE = st.floats(allow_nan=False) | st.floats(allow_nan=False, width=32)
NUMBERS = FINITE | st.just(math.nan) | st.sampled_from([3.4028235677973366e38, -1e300, -0.0, 5e-324])
TAGS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=300)
SCALARS = st.dictionaries(TAGS, NUMBERS, min_size=1, max_size=12)


def message(wall_time: float, step: int, scalars: dict[str, float]) -> Event:
    """Build the event with the generated classes."""
    event = Event(wall_time=wall_time, step=step)
    for tag, number in scalars.items():
        value = event.summary.value.add(tag=tag, scalar_value=number)
        if value.scalar_value != number and not math.isnan(number):
            value.scalar_double = number
    return event


@given(st.floats(allow_nan=False), INT64, SCALARS)
def test_bytes_are_those_of_the_generated_classes(wall_time: float, step: int, scalars: dict[str, float]) -> None:
    """Any scalars give the bytes that the classes serialize."""
    payload = ScalarEncoder().payload(wall_time, step, scalars)

    assert payload == message(wall_time, step, scalars).SerializeToString()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(TAGS, min_size=1, max_size=4, unique=True), min_size=1, max_size=3),
    st.data(),
)
def test_records_hold_the_events_in_order(tag_lists: list[list[str]], data: st.DataObject) -> None:
    """Few events or many, of the same tags or others: each record is sound and holds its event."""
    shapes = st.sampled_from(tag_lists).flatmap(lambda tags: st.fixed_dictionaries(dict.fromkeys(tags, NUMBERS)))
    events = data.draw(st.lists(st.tuples(st.floats(0, 2e9), INT64, shapes), max_size=8))
    # Values that repeat are as good as others, and quickly drawn.
    events *= data.draw(st.sampled_from([1, 10]))

    records = ScalarEncoder().records(events)

    assert len(records) == len(events)
    for record, event in zip(records, events, strict=True):
        payload = record[framing.HEADER_BYTES : -framing.FOOTER_BYTES]
        assert record == framing.frame(payload)
        assert read(payload) == [*event[:2], {tag: struct.pack("<d", number) for tag, number in event[2].items()}]


def read(payload: bytes) -> list[object]:
    """Return wall_time, step, and the bits of the double of each tag."""
    event = Event.FromString(payload)
    doubles = {
        value.tag: value.scalar_double if value.HasField("scalar_double") else value.scalar_value
        for value in event.summary.value
    }
    assert all(
        value.scalar_value == pytest.approx(doubles[value.tag], rel=1e-7, nan_ok=True)
        or not value.HasField("scalar_double")
        for value in event.summary.value
        if abs(doubles[value.tag]) < 3e38
    )
    return [event.wall_time, event.step, {tag: struct.pack("<d", double) for tag, double in doubles.items()}]


@given(NUMBERS)
def test_every_number_is_read_back_exactly(number: float) -> None:
    """The number is in scalar_double, or else scalar_value is exact."""
    (value,) = Event.FromString(ScalarEncoder().payload(0.0, 0, {"x": number})).summary.value

    exact = value.scalar_double if value.HasField("scalar_double") else value.scalar_value
    assert struct.pack("<d", exact) == struct.pack("<d", number) or (math.isnan(exact) and math.isnan(number))


@pytest.mark.parametrize("number", [0.5, 16777216.0, math.nan, math.inf, -math.inf, 0.0])
def test_numbers_that_float32_holds_take_no_double(number: float) -> None:
    """The double is written only when it says more than the float32."""
    (value,) = Event.FromString(ScalarEncoder().payload(0.0, 0, {"x": number})).summary.value

    assert not value.HasField("scalar_double")


def test_number_out_of_range_of_float32_is_infinite_and_exact() -> None:
    """Old readers see an infinity, ours the number."""
    (value,) = Event.FromString(ScalarEncoder().payload(0.0, 0, {"x": -1e300})).summary.value

    assert (value.scalar_value, value.scalar_double) == (-math.inf, -1e300)


def test_tag_without_utf8_is_spelled_out() -> None:
    """A lone surrogate is no reason to lose the value."""
    (value,) = Event.FromString(ScalarEncoder().payload(0.0, 0, {"a\udcff": 1.0})).summary.value

    assert value.tag == "a\\udcff"


def test_forgotten_tags_are_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tags there are, the encoder's memory stays small and its bytes the same."""
    monkeypatch.setattr(scalar_events, "_MAX_CACHED_TAGS", 2)
    scalars = {f"tag {number}": 0.1 for number in range(7)}

    encoder = ScalarEncoder()
    assert encoder.payload(0.0, 1, scalars) == message(0.0, 1, scalars).SerializeToString()
    assert len(encoder._heads) <= 2
