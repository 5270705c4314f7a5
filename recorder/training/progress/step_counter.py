"""StepCounter: counts the finished steps of a training; the Timestamp that says so is created when it is read."""

from datetime import timedelta

from toposcope.recorder.training.progress.time import TimeUnit
from toposcope.recorder.training.progress.timestamp import Timestamp


class StepCounter:
    """The newest two timestamps of a training.

    Creating a Timestamp takes several times as long as counting, and most trainings never read one.
    """

    def __init__(self) -> None:
        self._timestamp = self._previous = Timestamp()
        self.step = self.samples = 0
        """The counts of the timestamp: finished steps, and the samples in them."""
        # What was counted since the timestamp was read: steps, their samples, tokens and seconds; of the last two each.
        self._steps = self._samples = self._tokens = 0
        self._seconds = 0.0
        self._newest = self._second = (0, 0.0, 0)

    def count(self, samples: int, seconds: float, tokens: int = 0) -> None:
        """Count a step: its samples, the seconds that it took, and its tokens."""
        self._second, self._newest = self._newest, (samples, seconds, tokens)
        self._steps += 1
        self._samples += samples
        self._tokens += tokens
        self._seconds += seconds
        self.step += 1
        self.samples += samples

    def finished(self, unit: TimeUnit) -> int | float:
        """Return how much is finished in a unit, as in the timestamp, which is created only if it is needed."""
        if unit is TimeUnit.EPOCH:
            return self._timestamp.epoch.value  # Steps do not change it.
        if unit is TimeUnit.BATCH:
            return self.step
        return self.samples if unit is TimeUnit.SAMPLE else self.timestamp.get(unit).value

    @property
    def timestamp(self) -> Timestamp:
        """The timestamp after the last step."""
        if self._steps:
            self._read()
        return self._timestamp

    @timestamp.setter
    def timestamp(self, timestamp: Timestamp) -> None:
        if self._steps:
            self._read()
        self._timestamp = timestamp
        self.step, self.samples = int(timestamp.batch), int(timestamp.sample)

    @property
    def previous(self) -> Timestamp:
        """The timestamp before the last step."""
        if self._steps:
            self._read()
        return self._previous

    @previous.setter
    def previous(self, timestamp: Timestamp) -> None:
        if self._steps:
            self._read()
        self._previous = timestamp

    def _read(self) -> None:
        """Create the timestamps."""
        (samples, seconds, tokens), number, before = self._newest, self._steps, self._timestamp
        if number > 1:
            spent = timedelta(seconds=self._seconds - seconds)
            latest = timedelta(seconds=self._second[1])
            before = before.after_batches(number - 1, self._samples - samples, spent, latest, self._tokens - tokens)
        latest = timedelta(seconds=seconds)
        self._previous, self._timestamp = before, before.after_batches(1, samples, latest, latest, tokens)
        self._steps = self._samples = self._tokens = 0
        self._seconds = 0.0
