"""States of runs: derived from the marks in files and from when the server saw them grow."""

import itertools
import math
import struct
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.proto import summary_pb2
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.marks import RecordingEnd, RecordingStart
from toposcope.server.reading.records.version_event import Version
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.recordings.file_activity import FileActivity
from toposcope.server.runs.recordings.recordings import Recording
from toposcope.server.runs.recordings.run_state import Derived, Span, derive, newest_recordings

NOW = 10_000.0
"""On the server's clock."""
START = RecordingStart("node", 7, 0, "python train.py", 30.0)


def file_of(
    session: str,
    walls: Sequence[float] = (100.0, 101.0, 102.0),
    *,
    start: RecordingStart | None = START,
    end: str | None = None,
    end_at: float = 0.0,
    error: str = "",
    text: str = "",
) -> FileView:
    """Return a file that recorded loss at some wall times."""
    first, last = (struct.unpack("<Q", struct.pack("<d", each))[0] for each in (walls[0], walls[-1]))
    points = Points(np.arange(len(walls)), np.array(walls, float), np.zeros(len(walls)))
    mark = RecordingEnd(end_at or walls[-1], end, error, text or (error and "why"), "") if end is not None else None
    return FileView(
        path=f"{session}-{walls[0]}",
        rank=0,
        is_lineage=False,
        version=Version("mindspore", session.encode(), False, None, start),
        series={Tag("scalar", "loss"): points},
        counters=Counters(len(walls), len(walls), 0, len(walls), first, last, end=mark),
        damage=(),
        large_records=0,
        verified_large_records=0,
        verified_until=0,
        inode=1,
        modified=walls[-1],
        read_bytes=1,
        size=1,
        phase=0,
    )


def derived(
    *recordings: Recording, grown: float = 1.0, recorded: float | None = None, phase: str = "PHASE_UNKNOWN"
) -> Derived:
    """Derive the state of a run whose files grew so many seconds ago."""
    since = grown if recorded is None else recorded
    activities = {
        file.path: FileActivity(NOW - grown, NOW - since, 555.0, summary_pb2.Phase.Value(phase), 0.0)
        for recording in recordings
        for file in recording.files
    }
    return derive(recordings, activities, NOW)


@pytest.mark.parametrize("state", ["finished", "failed", "interrupted"])
def test_end_mark_decides(state: str) -> None:
    """A recording with an end mark has its state, however long ago the file grew."""
    run, changes_at = derived(Recording(0, 1, [file_of("a", end=state, end_at=120.0)]), grown=1e6)

    assert (run.state, run.ended, run.phase, changes_at) == (state, 120.0, None, math.inf)


def test_failed_recording_has_its_error() -> None:
    """The error of a run is that of the recording that failed first."""
    late, early = (
        Recording(rank, 1, [file_of(name, end="failed", end_at=end_at, error=name)])
        for rank, (name, end_at) in enumerate([("Late", 200.0), ("Early", 150.0)])
    )
    run, _ = derived(late, early)

    assert run.error is not None
    assert (run.error.type, run.error.text, run.ended) == ("Early", "why", 200.0)
    assert [each.error.type for each in run.recordings if each.error] == ["Late", "Early"]


def test_interruption_without_an_exception_has_its_text() -> None:
    """What interrupted a run is shown, "SIGTERM" for example, although there is no exception."""
    run, _ = derived(Recording(0, 1, [file_of("a", end="interrupted", text="SIGTERM")]))

    assert run.error == run.recordings[0].error == ("", "SIGTERM", "")


def test_recording_without_growth_for_three_heartbeats_is_lost() -> None:
    """It runs until then; the moment is known in advance. `ended` is the time of the last write."""
    recording = Recording(0, 1, [file_of("a")])

    assert derived(recording, grown=89.0)[0].state == "running"
    assert derived(recording, grown=89.0)[0].ended is None
    assert derived(recording, grown=89.0).changes_at == NOW + 1.0
    run, changes_at = derived(recording, grown=90.0)
    assert (run.state, run.ended, changes_at) == ("lost", 555.0, math.inf)


def test_heartbeats_have_the_interval_that_the_file_says() -> None:
    """Without one it is 30 seconds."""
    for seconds, lost in ((None, 90.0), (1.0, 3.0)):
        recording = Recording(0, 1, [file_of("a", start=START._replace(heartbeat_seconds=seconds))])
        assert derived(recording, grown=lost - 0.1)[0].state == "running"
        assert derived(recording, grown=lost)[0].state == "lost"


def test_file_without_a_start_mark_is_unknown() -> None:
    """Its state never changes by time; `ended` is the time of the last write."""
    run, changes_at = derived(Recording(0, 1, [file_of("", start=None)]))

    assert (run.state, run.ended, changes_at) == ("unknown", 555.0, math.inf)
    assert run.recordings[0].session is None


def test_session_log_is_an_end_mark() -> None:
    """A file of TensorBoard that says that it ended is finished, unless it began again."""
    for mark, state in (("finished", "finished"), ("", "unknown")):
        assert derived(Recording(0, 1, [file_of("", start=None, end=mark)]))[0].state == state
    first, last = file_of("", (1.0, 2.0), start=None, end="finished"), file_of("", (3.0, 4.0), start=None)
    assert derived(Recording(0, 1, [first, last]))[0].state == "unknown"


def test_training_that_records_nothing_for_ten_intervals_is_stalled() -> None:
    """At least a minute, and only if the phase is training."""
    slow, fast = (Recording(0, 1, [file_of("a", [100.0 + seconds * i for i in range(9)])]) for seconds in (10.0, 0.1))
    training = "PHASE_TRAINING"

    assert derived(slow, recorded=99.0, phase=training)[0].state == "running"
    assert derived(slow, recorded=99.0, phase=training).changes_at == NOW + 1.0
    assert derived(slow, recorded=100.0, phase=training)[0].state == "stalled"
    assert derived(slow, recorded=100.0, phase=training)[0].phase == "training"
    assert derived(fast, recorded=59.0, phase=training)[0].state == "running"
    assert derived(fast, recorded=60.0, phase=training)[0].state == "stalled"
    for phase in ("PHASE_UNKNOWN", "PHASE_EVALUATING", "PHASE_SAVING"):
        assert derived(slow, recorded=1e5, phase=phase)[0].state == "running"
    assert derived(slow, grown=90.0, recorded=1e5, phase=training)[0].state == "lost"


def test_machine_metrics_do_not_count_for_the_interval() -> None:
    """They are recorded at intervals of their own."""
    file = file_of("a", [100.0, 120.0, 140.0])
    metrics = Points(np.arange(9), np.arange(9.0), np.zeros(9))
    with_metrics = file._replace(series={**file.series, Tag("scalar", "machine/cpu_percent"): metrics})

    assert Recording(0, 1, [with_metrics]).interval == 20.0


def test_gravest_of_several_ranks_decides() -> None:
    """One rank is lost, the other one runs: the run is lost, and each has its own state."""
    dead = Recording(1, 1, [file_of("b", start=START._replace(heartbeat_seconds=0.2, rank=1))])

    run, _ = derived(Recording(0, 1, [file_of("a")]), dead)

    assert (run.state, [each.state for each in run.recordings]) == ("lost", ["running", "lost"])


def test_resumed_run_is_running() -> None:
    """A process that was killed does not matter once another of its rank has started, in the same attempt or not."""
    for attempt in (1, 2):
        killed = Recording(0, 1, [file_of("a", start=START._replace(heartbeat_seconds=0.2))])
        assert derived(killed, Recording(0, attempt, [file_of("b", [500.0, 501.0])]))[0].state == "running"


SPANS = st.lists(
    st.builds(
        lambda rank, attempt, start, length, is_known: Span(rank, attempt, start, start + length, is_known),
        st.integers(0, 2),
        st.integers(1, 2),
        st.integers(0, 20).map(float),
        st.integers(0, 9).map(float) | st.just(math.inf),
        st.booleans(),
    ),
    min_size=1,
    max_size=7,
)


def newest_slowly(spans: Sequence[Span]) -> list[int]:
    """Return what newest_recordings returns, by its definition."""
    known = [number for number, span in enumerate(spans) if span.is_known] or list(range(len(spans)))
    chosen = {}
    for rank in {spans[number].rank for number in known}:
        of_rank = [number for number in known if spans[number].rank == rank]
        last = [number for number in of_rank if spans[number].attempt == max(spans[each].attempt for each in of_rank)]
        together = {max(last, key=lambda number: spans[number].start)}
        for _ in last:  # A recording that overlaps one of them belongs to them.
            together |= {a for a, b in itertools.product(last, together) if overlap(spans[a], spans[b])}
        chosen[rank] = together
    begins = {rank: min(spans[number].start for number in together) for rank, together in chosen.items()}
    ends = {rank: max(spans[number].end for number in together) for rank, together in chosen.items()}
    began_again = {
        rank
        for rank, begin in begins.items()
        if any(spans[number].rank == rank and spans[number].end < begin for number in known)
    }
    return sorted(
        number
        for rank, together in chosen.items()
        if not any(begins[other] > ends[rank] for other in began_again - {rank})
        for number in together
        if all(spans[other].start <= spans[number].end for other in together)
    )


def overlap(one: Span, other: Span) -> bool:
    """Return whether two recordings wrote at the same time."""
    return one.start <= other.end and other.start <= one.end


@settings(max_examples=500, deadline=None)
@given(SPANS)
def test_newest_recordings_are_those_of_the_definition(spans: list[Span]) -> None:
    """The recordings that decide are those of the slow version, and there is one at least."""
    newest = newest_recordings(spans)

    assert newest == newest_slowly(spans)
    assert newest


ENDS = st.sampled_from(["finished", "failed", "interrupted", None])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(ENDS, st.booleans(), st.sampled_from(["PHASE_UNKNOWN", "PHASE_TRAINING"])), min_size=1),
    st.integers(0, 200).map(float),
    st.integers(0, 200).map(float),
)
def test_state_is_the_gravest_at_any_time(ranks: list[tuple[str | None, bool, str]], quiet: float, more: float) -> None:
    """The state of ranks that record at the same time is the gravest, and it does not change before `changes_at`."""
    recordings = [
        Recording(rank, 1, [file_of(f"{rank}", end=end, start=START if has_start else None)])
        for rank, (end, has_start, _) in enumerate(ranks)
    ]
    activities = {
        recording.files[0].path: FileActivity(NOW, NOW - more, 1.0, summary_pb2.Phase.Value(phase), 0.0)
        for recording, (*_, phase) in zip(recordings, ranks, strict=True)
    }
    slow = [state_slowly(*each, quiet, more) for each in ranks]
    order = ["failed", "lost", "interrupted", "stalled", "running", "finished", "unknown"]

    run, changes_at = derive(recordings, activities, NOW + quiet)

    assert [each.state for each in run.recordings] == slow
    assert run.state == min(slow, key=order.index)
    assert changes_at > NOW + quiet
    if changes_at < math.inf:
        assert derive(recordings, activities, (NOW + quiet + changes_at) / 2).state == run
        assert derive(recordings, activities, changes_at).state != run


def state_slowly(end: str | None, has_start: bool, phase: str, quiet: float, more: float) -> str:
    """Return the state of a recording with heartbeats of 30 s and records of 1 s, quiet for some time."""
    if end:
        return end
    if not has_start:
        return "unknown"
    if quiet >= 90:
        return "lost"
    return "stalled" if phase == "PHASE_TRAINING" and quiet + more >= 60 else "running"
