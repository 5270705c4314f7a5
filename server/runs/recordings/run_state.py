"""The state of a run, derived from the marks in its files and from the time since they grew."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from toposcope.proto import summary_pb2
from toposcope.server.reading.records.marks import RecordingEnd, RecordingStart
from toposcope.server.runs.recordings.file_activity import FileActivity
from toposcope.server.runs.recordings.recordings import Recording

State = Literal["failed", "lost", "interrupted", "stalled", "running", "finished", "unknown"]
Phase = Literal["training", "evaluating", "saving"]

STATES: tuple[State, ...] = ("failed", "lost", "interrupted", "stalled", "running", "finished", "unknown")
"""The gravest first. Recordings whose state is unknown do not matter beside others."""
HEARTBEAT_SECONDS = 30.0
"""The interval between heartbeats of a recording that does not say which."""
LOST_HEARTBEATS = 3
"""A recording is lost when it has not grown for this many heartbeats."""
STALLED_INTERVALS = 10
"""A training is stalled when it has not recorded anything for this many times the usual interval ..."""
STALLED_SECONDS = 60.0
"""... and for this many seconds."""

_PHASES: Mapping[int, Phase] = {
    summary_pb2.PHASE_TRAINING: "training",
    summary_pb2.PHASE_EVALUATING: "evaluating",
    summary_pb2.PHASE_SAVING: "saving",
}
_ENDS: Mapping[str, State] = {"finished": "finished", "failed": "failed", "interrupted": "interrupted"}
_ALIVE = ("running", "stalled")


class RecordingError(NamedTuple):
    """The exception that ended a recording, or what interrupted it."""

    type: str
    """"" for an interruption without an exception: by a signal, for example."""
    text: str
    traceback: str


class RecordingState(NamedTuple):
    """The state of one recording of a run."""

    rank: int
    attempt: int
    """From 1."""
    session: str | None
    """The session id as hexadecimal digits; None if another program wrote the files."""
    state: State
    phase: Phase | None
    """What the training does while it runs, as its last heartbeat says; None if it is unknown."""
    started: float | None
    """Seconds since 1970."""
    ended: float | None
    """Seconds since 1970: the time of the end mark; of a lost or unknown recording, that of the last write."""
    error: RecordingError | None
    host: str | None
    process_id: int | None
    command_line: str | None

    @property
    def is_alive(self) -> bool:
        """Whether the process runs, as far as is known."""
        return self.state in _ALIVE


class RunState(NamedTuple):
    """The state of a run: the gravest of the recordings of its newest attempt."""

    state: State
    phase: Phase | None
    ended: float | None
    error: RecordingError | None
    recordings: tuple[RecordingState, ...]
    """The recordings of all attempts, by rank and in order of their start."""

    def without_phases(self) -> "RunState":
        """Return what a page is notified of if it changes."""
        return self._replace(phase=None, recordings=tuple(each._replace(phase=None) for each in self.recordings))


class Derived(NamedTuple):
    """The state of a run at some moment."""

    state: RunState
    changes_at: float
    """When it changes if no file grows, in seconds of time.monotonic(); infinite if it does not."""


def derive(recordings: Sequence[Recording], activities: Mapping[str, FileActivity], now: float) -> Derived:
    """Derive the state of a run.

    Args:
        recordings: all recordings of the run.
        activities: of their files, by path.
        now: the time, in seconds of time.monotonic().
    """
    timed = [_derive_one(recording, activities, now) for recording in recordings]
    if len(timed) == 1:  # Most runs have one recording.
        only, changes_at = timed[0]
        return Derived(RunState(only.state, only.phase, only.ended, only.error, (only,)), changes_at)
    states = [state for state, _ in timed]
    spans = [_span_of(recording, state, activities) for recording, state in zip(recordings, states, strict=True)]
    newest = [states[number] for number in newest_recordings(spans)]
    changes_at = min((changes_at for _, changes_at in timed), default=math.inf)
    ordered = tuple(sorted(states, key=lambda each: (each.rank, each.attempt, each.started or 0.0)))
    if not newest:
        return Derived(RunState("unknown", None, None, None, ordered), changes_at)
    gravest = min((each.state for each in newest), key=STATES.index)
    deciding = [each for each in newest if each.state == gravest]
    # Of several ranks that failed, the first one is the cause.
    by_end = sorted(deciding, key=lambda each: each.ended or 0.0)
    run_state = RunState(
        gravest,
        next((each.phase for each in deciding if each.phase), None),
        by_end[-1].ended,
        next((each.error for each in by_end if each.error), None),
        ordered,
    )
    return Derived(run_state, changes_at)


def _derive_one(
    recording: Recording, activities: Mapping[str, FileActivity], now: float
) -> tuple[RecordingState, float]:
    """Return (the state of a recording, when it changes if it does not grow)."""
    known = [activities[file.path] for file in recording.files if file.path in activities]
    modified = max((each.modified for each in known), default=0.0)
    start, end = recording.start, recording.end
    changes_at = math.inf
    state: State = "unknown"
    phase = None
    ended: float | None = modified
    if end is not None:
        state = _ENDS.get(end.state, "unknown")
        ended = end.wall_time or modified
    elif start is not None:
        phase = known[-1].phase if known else 0
        state, changes_at = _state_of_open(recording, known, now)
        ended = modified if state == "lost" else None
    error = None
    if end is not None and (end.error_type or end.error_text):
        error = RecordingError(end.error_type, end.error_text, end.traceback)
    return (
        RecordingState(
            recording.rank,
            recording.attempt,
            recording.session or None,
            state,
            _PHASES.get(phase) if phase and state in _ALIVE else None,
            recording.started,
            ended,
            error,
            start.host or None if start else None,
            start.process_id if start else None,
            start.command_line or None if start else None,
        ),
        changes_at,
    )


def may_be_alive(start: RecordingStart | None, end: RecordingEnd | None, grown: float, now: float) -> bool:
    """Return whether a recording with these marks lives, if it grew last at `grown`; see FileActivity."""
    return start is not None and end is None and now < _lost_at(start, grown)


def _lost_at(start: RecordingStart, grown: float) -> float:
    return grown + LOST_HEARTBEATS * (start.heartbeat_seconds or HEARTBEAT_SECONDS)


def _state_of_open(recording: Recording, activities: Sequence[FileActivity], now: float) -> tuple[State, float]:
    """Return (the state of a recording without an end mark, when it changes if it does not grow)."""
    start = recording.start
    assert start is not None
    grown = max((each.grown for each in activities), default=-math.inf)
    lost_at = _lost_at(start, grown)
    if now >= lost_at:
        return "lost", math.inf
    if activities[-1].phase != summary_pb2.PHASE_TRAINING:
        return "running", lost_at
    recorded = max(each.recorded for each in activities)
    stalled_at = recorded + max(STALLED_SECONDS, STALLED_INTERVALS * recording.interval)
    if now >= stalled_at:
        return "stalled", lost_at
    return "running", min(lost_at, stalled_at)


class Span(NamedTuple):
    """What decides whether a recording belongs to the newest attempt. Times are by the clock of its writer."""

    rank: int
    attempt: int
    start: float
    end: float
    """The time of its last record; infinite while the process runs."""
    is_known: bool
    """Whether its state is known."""


def _span_of(recording: Recording, state: RecordingState, activities: Mapping[str, FileActivity]) -> Span:
    heartbeats = (activities[file.path].heartbeat for file in recording.files if file.path in activities)
    end = max(recording.recorded or 0.0, recording.end.wall_time if recording.end else 0.0, *heartbeats)
    return Span(
        recording.rank,
        recording.attempt,
        recording.started or 0.0,
        math.inf if state.is_alive else end,
        state.state != "unknown",
    )


def newest_recordings(spans: Sequence[Span]) -> list[int]:
    """Return the indices of the recordings that decide the state of a run, in ascending order.

    Of each rank these are the last ones that overlap in time, directly or through others: several recorders of one
    process. A recorder that ended before another one of them began was replaced by that one. A rank whose recordings
    ended before another rank began again is no longer part of the run. If there are recordings whose state is known,
    the others do not decide.
    """
    known = [number for number, span in enumerate(spans) if span.is_known] or list(range(len(spans)))
    lasting: dict[int, list[int]] = {}
    restarts: dict[int, float] = {}
    for rank in {spans[number].rank for number in known}:
        of_rank = [number for number in known if spans[number].rank == rank]
        lasting[rank] = together = _last_together(of_rank, spans)
        first = min(spans[number].start for number in together)
        if any(spans[number].end < first for number in of_rank):
            restarts[rank] = first
    return sorted(
        number
        for rank, together in lasting.items()
        for number in together
        if not any(spans[other].start > spans[number].end for other in together)
        and not any(
            other != rank and restart > max(spans[each].end for each in together) for other, restart in restarts.items()
        )
    )


def _last_together(numbers: Sequence[int], spans: Sequence[Span]) -> list[int]:
    """Return which recordings of a rank belong to its last attempt and overlap, directly or through others."""
    last = max(spans[number].attempt for number in numbers)
    together: list[int] = []
    end = -math.inf
    for number in sorted(numbers, key=lambda number: spans[number].start):
        if spans[number].attempt != last:
            continue
        if spans[number].start > end:
            together = []
        together.append(number)
        end = max(end, spans[number].end)
    return together
