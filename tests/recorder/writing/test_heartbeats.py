"""Heartbeats: records that say that a process is alive while it records nothing."""

import time
from collections.abc import Callable
from pathlib import Path

from support.event_files import read_slowly
from support.trainings import NEVER, SLOW_SECONDS, event_files, run_training, train
from support.written_events import read_all_events, read_events

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import (
    PHASE_EVALUATING,
    PHASE_SAVING,
    PHASE_TRAINING,
    PHASE_UNKNOWN,
    ConsoleOutput,
    Event,
)
from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.checkpoints.saving_phase import saving
from toposcope.recorder.training.watch import watch
from toposcope.recorder.writing.marks import heartbeat_record


def beats_in(path: str | Path) -> list[Event]:
    """Return the heartbeats in a file that may be growing."""
    content = Path(path).read_bytes()
    events, start = [], 0
    while len(content) - start >= framing.HEADER_BYTES:
        length = framing.read_header(content[start : start + framing.HEADER_BYTES]).length
        payload = content[start + framing.HEADER_BYTES :][:length]
        start += framing.HEADER_BYTES + length + framing.FOOTER_BYTES
        if start <= len(content):
            events.append(Event.FromString(payload))
    return [event for event in events if event.HasField("heartbeat")]


def wait_until(is_reached: Callable[[], object]) -> None:
    """Poll until is_reached() returns a true value."""
    deadline = time.monotonic() + SLOW_SECONDS
    while not is_reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_idle_recorder_writes_heartbeats(tmp_path: Path) -> None:
    """While nothing is recorded, heartbeats of an unknown phase are appended; values and the end follow them."""
    with SummaryRecord(tmp_path, heartbeat_seconds=0.02) as recorder:
        train(recorder, [1])
        wait_until(lambda: len(beats_in(recorder.log_dir)) >= 3)
        train(recorder, [2])

    events = read_all_events(recorder.log_dir)
    assert {event.heartbeat for event in events if event.HasField("heartbeat")} == {PHASE_UNKNOWN}
    assert [event.step for event in events if event.HasField("summary")] == [1, 2]
    assert events[-1].HasField("end")
    assert events[0].start.heartbeat_seconds == 0.02


def test_what_is_recorded_apart_does_not_replace_heartbeats(tmp_path: Path) -> None:
    """Metrics of the machine and the console are also recorded while a training hangs; heartbeats contain its phase."""
    with SummaryRecord(tmp_path, flush_seconds=0.01, heartbeat_seconds=0.2) as recorder:

        def has_heartbeat() -> bool:
            recorder.record_apart(1, {"machine/cpu_percent": 1.0}, {"console": ConsoleOutput()})
            return bool(beats_in(event_files(tmp_path)[0]))

        wait_until(has_heartbeat)
    assert len([event for event in read_all_events(event_files(tmp_path)[0]) if event.HasField("summary")]) > 1


def test_heartbeat_is_small() -> None:
    """A heartbeat takes 28 bytes of the file."""
    assert len(heartbeat_record(PHASE_SAVING)) == 28


def test_busy_recorder_writes_no_heartbeats(tmp_path: Path) -> None:
    """Heartbeats are written only if nothing else is."""
    with SummaryRecord(tmp_path, heartbeat_seconds=NEVER) as recorder:
        train(recorder, range(100))

    assert beats_in(recorder.log_dir) == []


def test_heartbeats_never_start_a_file(tmp_path: Path) -> None:
    """Heartbeats, and the end, do not count for the maximum size of a file: only values start the next one."""
    with SummaryRecord(tmp_path, max_file_size=100, heartbeat_seconds=0.02) as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        recorder.record(1)
        recorder.flush()
        paths = event_files(tmp_path)
        wait_until(lambda: len(beats_in(recorder.log_dir)) >= 10)
        assert event_files(tmp_path) == paths

    assert event_files(tmp_path) == paths
    assert read_all_events(paths[-1])[-1].HasField("end")


def test_failed_heartbeats_are_skipped(tmp_path: Path) -> None:
    """On a full disk a heartbeat is neither reported nor repeated; values that follow are written intact."""
    script = """
        import resource
        recorder = SummaryRecord(sys.argv[1], heartbeat_seconds=0.02)
        train(recorder, [1])
        recorder.flush()
        size = os.path.getsize(recorder.log_dir)
        limit = size + int(sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        while os.path.getsize(recorder.log_dir) < limit // 28 * 28 - 28:
            time.sleep(0.01)
        time.sleep(0.2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(train(recorder, [2]), recorder.close())
    """
    ended = run_training(tmp_path, script, tmp_path / "run", 0)

    (path,) = event_files(tmp_path / "run")
    assert (ended.stdout, ended.stderr) == ("[True] True\n", "")
    assert [event.step for event in read_events(path)[1:]] == [1, 2]


def test_interrupted_heartbeat_is_completed(tmp_path: Path) -> None:
    """If the disk is full within a heartbeat, its rest is written before anything else."""
    script = """
        import resource
        recorder = SummaryRecord(sys.argv[1], heartbeat_seconds=0.02)
        train(recorder, [1])
        recorder.flush()
        limit = os.path.getsize(recorder.log_dir) + 10 * 28 + 13
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        while os.path.getsize(recorder.log_dir) < limit:
            time.sleep(0.01)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        train(recorder, [2])
        print(recorder.close())
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    (path,) = event_files(tmp_path / "run")
    assert ended.stdout == "True\n"
    assert [event.step for event in read_events(path)[1:]] == [1, 2]
    assert read_slowly(path.read_bytes(), "mindspore")[1] == []


def test_forked_child_writes_no_heartbeats(tmp_path: Path) -> None:
    """Only the parent writes heartbeats."""
    script = """
        recorder = SummaryRecord(sys.argv[1], heartbeat_seconds=0.02)
        recorder.flush()
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            os.read(reading, 1)  # The recorder of the parent is closed.
            before = os.path.getsize(recorder.log_dir)
            time.sleep(0.5)
            os._exit(os.path.getsize(recorder.log_dir) != before)
        recorder.close()
        os.write(writing, b"x")
        print(os.waitpid(child, 0)[1])
    """
    assert run_training(tmp_path, script, tmp_path / "run").stdout == "0\n"


class Network:
    """A network that knows whether it is trained or evaluated, as torch.nn.Module does."""

    training = True


def test_heartbeats_of_a_collector_contain_the_phase(tmp_path: Path) -> None:
    """Training; evaluating, also if only the mode of the network indicates it; saving."""
    network = Network()

    def wait_for(phase: int) -> None:
        wait_until(lambda: beats_in(next(tmp_path.glob("*_MS")))[-1:] and beats()[-1].heartbeat == phase)

    def beats() -> list[Event]:
        return beats_in(next(tmp_path.glob("*_MS")))

    with watch([SummaryCollector(tmp_path, heartbeat_seconds=0.02)], network) as run:
        run.step(1.0)
        wait_for(PHASE_TRAINING)
        network.training = False
        wait_for(PHASE_EVALUATING)
        network.training = True
        wait_for(PHASE_TRAINING)
        with saving():
            wait_for(PHASE_SAVING)
        run.eval({"accuracy": 0.5})
        wait_for(PHASE_TRAINING)
