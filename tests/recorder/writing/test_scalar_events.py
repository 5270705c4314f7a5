"""The fast encoder and the generated classes write the same bytes."""

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.writing.encoding import scalar_events
from toposcope.recorder.writing.encoding.dialect import MINDSPORE
from toposcope.recorder.writing.encoding.scalar_events import ScalarEncoder

INT64 = st.integers(-(2**63), 2**63 - 1)
# Only one NaN: whether the bits of others are preserved depends on the platform.
FINITE = st.floats(allow_nan=False) | st.floats(allow_nan=False, width=32)
NUMBERS = FINITE | st.just(math.nan) | st.sampled_from([3.4028235677973366e38, -1e300, -0.0, 5e-324])
TAGS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300)
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
def test_bytes_match_the_generated_classes(wall_time: float, step: int, scalars: dict[str, float]) -> None:
    """For any scalars the bytes are equal to those of the generated classes."""
    payload = ScalarEncoder(MINDSPORE.scalar_field).payload(wall_time, step, scalars)

    assert payload == message(wall_time, step, scalars).SerializeToString()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 2e9), INT64, st.sampled_from(["a", "b", "c"]), NUMBERS), max_size=8), st.data())
def test_a_scalar_alone_is_written_like_a_dict(
    events: list[tuple[float, int, str, float]], data: st.DataObject
) -> None:
    """An event of a tag and a value has the record of one with a dict of them, also among such events."""
    events *= data.draw(st.sampled_from([1, 10]))
    dicts: list[scalar_events.ScalarEvent] = [(time, step, {tag: number}) for time, step, tag, number in events]
    records = ScalarEncoder(MINDSPORE.scalar_field).records(events)

    assert records == ScalarEncoder(MINDSPORE.scalar_field).records(dicts)
    mixed = [event for pair in zip(events, dicts, strict=True) for event in pair]
    assert len(ScalarEncoder(MINDSPORE.scalar_field).records(mixed)) == 2 * len(records)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(TAGS, min_size=1, max_size=4, unique=True), min_size=1, max_size=3),
    st.data(),
)
def test_records_contain_the_events_in_order(tag_lists: list[list[str]], data: st.DataObject) -> None:
    """For few or many events, with the same or different tags, each record is valid and contains its event."""
    shapes = st.sampled_from(tag_lists).flatmap(lambda tags: st.fixed_dictionaries(dict.fromkeys(tags, NUMBERS)))
    events = data.draw(st.lists(st.tuples(st.floats(0, 2e9), INT64, shapes), max_size=8))
    # Repeated events test batches as well as different ones, and are drawn faster.
    events *= data.draw(st.sampled_from([1, 10]))

    records = ScalarEncoder(MINDSPORE.scalar_field).records(events)

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
def test_every_number_is_stored_exactly(number: float) -> None:
    """The number is in scalar_double, or scalar_value is exact."""
    (value,) = Event.FromString(ScalarEncoder(MINDSPORE.scalar_field).payload(0.0, 0, {"x": number})).summary.value

    exact = value.scalar_double if value.HasField("scalar_double") else value.scalar_value
    assert struct.pack("<d", exact) == struct.pack("<d", number) or (math.isnan(exact) and math.isnan(number))


@pytest.mark.parametrize("number", [0.5, 16777216.0, math.nan, math.inf, -math.inf, 0.0])
def test_numbers_exact_in_float32_have_no_double(number: float) -> None:
    """The double is written only if the float32 is not exact."""
    (value,) = Event.FromString(ScalarEncoder(MINDSPORE.scalar_field).payload(0.0, 0, {"x": number})).summary.value

    assert not value.HasField("scalar_double")


def test_number_out_of_range_of_float32_is_infinite_and_exact() -> None:
    """Other readers see an infinity, our reader sees the number."""
    (value,) = Event.FromString(ScalarEncoder(MINDSPORE.scalar_field).payload(0.0, 0, {"x": -1e300})).summary.value

    assert (value.scalar_value, value.scalar_double) == (-math.inf, -1e300)


def test_tag_with_a_surrogate_is_escaped() -> None:
    """A lone surrogate, which UTF-8 cannot encode, does not lose the value."""
    (value,) = Event.FromString(ScalarEncoder(MINDSPORE.scalar_field).payload(0.0, 0, {"a\udcff": 1.0})).summary.value

    assert value.tag == "a\\udcff"


def test_cache_of_tags_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With many tags the memory of the encoder is bounded, and its output is the same."""
    monkeypatch.setattr(scalar_events, "_MAX_CACHED_TAGS", 2)
    scalars = {f"tag {number}": 0.1 for number in range(7)}

    encoder = ScalarEncoder(MINDSPORE.scalar_field)
    assert encoder.payload(0.0, 1, scalars) == message(0.0, 1, scalars).SerializeToString()
    assert len(encoder._heads) <= 2
