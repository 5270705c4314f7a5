"""Timestamp: the progress of a training in every unit, as Composer's `Timestamp`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from toposcope.recorder.training.progress.time import Time, TimeInput, TimeUnit

_COUNTS = {
    "iteration": TimeUnit.ITERATION,
    "epoch": TimeUnit.EPOCH,
    "epoch_in_iteration": TimeUnit.EPOCH,
    "batch": TimeUnit.BATCH,
    "batch_in_epoch": TimeUnit.BATCH,
    "sample": TimeUnit.SAMPLE,
    "sample_in_epoch": TimeUnit.SAMPLE,
    "token": TimeUnit.TOKEN,
    "token_in_epoch": TimeUnit.TOKEN,
    "token_in_iteration": TimeUnit.TOKEN,
}
_NONE = {unit: Time(0, unit) for unit in TimeUnit}
_CLOCKS = ("total_wct", "iteration_wct", "epoch_wct", "batch_wct")


@dataclass(eq=False)
class Timestamp:
    """What is finished so far, 0 in every unit until the first batch ends.

    Each step creates a new one. Only epoch_in_iteration can be set, as in Composer.
    """

    iteration: Time = _NONE[TimeUnit.ITERATION]
    epoch: Time = _NONE[TimeUnit.EPOCH]
    batch: Time = _NONE[TimeUnit.BATCH]
    sample: Time = _NONE[TimeUnit.SAMPLE]
    token: Time = _NONE[TimeUnit.TOKEN]
    epoch_in_iteration: Time = _NONE[TimeUnit.EPOCH]
    token_in_iteration: Time = _NONE[TimeUnit.TOKEN]
    batch_in_epoch: Time = _NONE[TimeUnit.BATCH]
    sample_in_epoch: Time = _NONE[TimeUnit.SAMPLE]
    token_in_epoch: Time = _NONE[TimeUnit.TOKEN]
    total_wct: timedelta = timedelta()
    """Wall-clock time spent on training, without evaluation."""
    iteration_wct: timedelta = timedelta()
    epoch_wct: timedelta = timedelta()
    batch_wct: timedelta = timedelta()
    """The time of the last finished batch."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, counts also from a number or a string.

        Raises:
            AttributeError: the attribute is set already, and is not epoch_in_iteration.
            ValueError: a count has another unit.
        """
        if name in vars(self) and name != "epoch_in_iteration":
            raise AttributeError(f"{name} of a timestamp cannot be set: copy({name}=...) returns another one.")
        vars(self)[name] = _count(name, value) if name in _COUNTS else value

    def get(self, unit: str | TimeUnit) -> Time:
        """Return how much is finished in a unit; ValueError for "dur", which depends on max_duration."""
        unit = TimeUnit(unit)
        match unit:
            case TimeUnit.ITERATION:
                return self.iteration
            case TimeUnit.EPOCH:
                return self.epoch
            case TimeUnit.BATCH:
                return self.batch
            case TimeUnit.SAMPLE:
                return self.sample
            case TimeUnit.TOKEN:
                return self.token
            case TimeUnit.SECOND:
                return Time(int(self.total_wct.total_seconds()), TimeUnit.SECOND)
            case _:
                raise ValueError("A timestamp has no fraction of the training: use State.get_elapsed_duration().")

    def to_next_batch(
        self, samples: TimeInput = 0, tokens: TimeInput = 0, duration: timedelta = timedelta()
    ) -> "Timestamp":
        """Return the timestamp after one more batch of *samples* and *tokens* that took *duration*."""
        counts = Time.from_input(samples, TimeUnit.SAMPLE).value, Time.from_input(tokens, TimeUnit.TOKEN).value
        return self.after_batches(1, counts[0], duration, duration, counts[1])

    def after_batches(
        self, number: int, samples: int | float, duration: timedelta, latest: timedelta, tokens: int | float = 0
    ) -> "Timestamp":
        """Return the timestamp after batches of one epoch.

        Args:
            number: of batches.
            samples: in all of them.
            duration: of all of them.
            latest: the duration of the last one.
            tokens: in all of them.
        """
        # Called at every step: avoids the checks of replace(), which take ten times as long.
        later = object.__new__(Timestamp)
        fields = vars(later)
        fields.update(vars(self))
        fields["batch"], fields["batch_in_epoch"] = self.batch.after(number), self.batch_in_epoch.after(number)
        fields["batch_wct"] = latest
        fields["total_wct"] += duration
        fields["iteration_wct"] += duration
        fields["epoch_wct"] += duration
        if samples:
            fields["sample"] = self.sample.after(samples)
            fields["sample_in_epoch"] = self.sample_in_epoch.after(samples)
        if tokens:
            for name in ("token", "token_in_epoch", "token_in_iteration"):
                fields[name] = fields[name].after(tokens)
        return later

    def to_next_epoch(self, duration: timedelta = timedelta()) -> "Timestamp":
        """Return the timestamp after the end of the epoch; duration is the time spent besides its batches."""
        return replace(
            self,
            epoch=self.epoch + 1,
            epoch_in_iteration=self.epoch_in_iteration + 1,
            batch_in_epoch=Time(0, TimeUnit.BATCH),
            sample_in_epoch=Time(0, TimeUnit.SAMPLE),
            token_in_epoch=Time(0, TimeUnit.TOKEN),
            total_wct=self.total_wct + duration,
            iteration_wct=self.iteration_wct + duration,
            epoch_wct=timedelta(),
            batch_wct=timedelta(),
        )

    def to_next_iteration(self, duration: timedelta = timedelta()) -> "Timestamp":
        """Return the timestamp after the end of the iteration; duration is the time spent besides its epochs."""
        return replace(
            self,
            iteration=self.iteration + 1,
            epoch_in_iteration=Time(0, TimeUnit.EPOCH),
            token_in_iteration=Time(0, TimeUnit.TOKEN),
            batch_in_epoch=Time(0, TimeUnit.BATCH),
            sample_in_epoch=Time(0, TimeUnit.SAMPLE),
            token_in_epoch=Time(0, TimeUnit.TOKEN),
            total_wct=self.total_wct + duration,
            iteration_wct=timedelta(),
            epoch_wct=timedelta(),
            batch_wct=timedelta(),
        )

    def copy(self, **changes: Any) -> "Timestamp":
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def state_dict(self) -> dict[str, Any]:
        """Return plain values from which load_state_dict() restores the timestamp."""
        counts = {name: getattr(self, name).value for name in _COUNTS}
        return counts | {name: getattr(self, name) for name in _CLOCKS}

    def load_state_dict(self, state: Mapping[str, Any]) -> "Timestamp":
        """Return a timestamp with the fields of state; missing fields are taken from this one."""
        return replace(self, **{name: state[name] for name in (*_COUNTS, *_CLOCKS) if name in state})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Timestamp):
            return self.state_dict() == other.state_dict()
        return isinstance(other, Time | str | int | float) and self._as(other) == other

    def __lt__(self, other: TimeInput) -> bool:
        return self._as(other) < other

    def __le__(self, other: TimeInput) -> bool:
        return self._as(other) <= other

    def __gt__(self, other: TimeInput) -> bool:
        return self._as(other) > other

    def __ge__(self, other: TimeInput) -> bool:
        return self._as(other) >= other

    def _as(self, other: TimeInput) -> Time:
        """Return how much is finished in the unit of other; a number without unit counts batches."""
        return self.get(Time.from_input(other, TimeUnit.BATCH).unit)


def _count(name: str, count: TimeInput) -> Time:
    time = Time.from_input(count, _COUNTS[name])
    if time.unit is not _COUNTS[name]:
        raise ValueError(f"{name} of a timestamp must be in '{_COUNTS[name]}', not {time}.")
    return time
