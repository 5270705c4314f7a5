"""A step counter returns the timestamps that counting step by step does."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from toposcope.recorder.training.progress.step_counter import StepCounter
from toposcope.recorder.training.progress.time import TimeUnit
from toposcope.recorder.training.progress.timestamp import Timestamp

STEP = st.tuples(st.integers(0, 64), st.sampled_from([0.25, 0.5, 3.0]))


@given(st.lists(st.lists(STEP, max_size=5), max_size=5), st.booleans())
def test_timestamps_do_not_depend_on_when_they_are_read(epochs: list[list[tuple[int, float]]], is_read: bool) -> None:
    """Both timestamps are those of Timestamp.to_next_batch() after each step, if they are read at all."""
    counter, now, before = StepCounter(), Timestamp(), Timestamp()
    for steps in epochs:
        for samples, seconds in steps:
            counter.count(samples, seconds)
            before, now = now, now.to_next_batch(samples, duration=timedelta(seconds=seconds))
            assert (counter.step, counter.samples) == (now.batch.value, now.sample.value)
            for unit in ("ep", "ba", "sp"):
                assert counter.finished(TimeUnit(unit)) == now.get(unit).value
            if is_read:
                assert counter.timestamp == now
        assert counter.previous == before
        assert counter.timestamp == now
        counter.timestamp = now = now.to_next_epoch()
        counter.previous = before = now
        assert counter.finished(TimeUnit.EPOCH) == now.epoch.value
        assert counter.finished(TimeUnit.SECOND) == now.get("sec").value
