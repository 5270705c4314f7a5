"""The files of SummaryWriter: rotation, attempts, states, forks, and what happens after close()."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.recorded_run import run_in, scalars_of
from support.written_events import read_all_events, read_tensorboard_events

from toposcope import server
from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.proto.tensorboard_pb2 import Event as TensorBoardEvent
from toposcope.proto.tensorboard_pb2 import SessionLog
from toposcope.recorder.tensorboard.files.file_writer import FileWriter
from toposcope.recorder.tensorboard.summary_writer import SummaryWriter


def event_files(directory: Path) -> list[Path]:
    """Return the event files of a directory in the order of their names."""
    return sorted(directory.glob("events.out.tfevents.*"))


def test_names_are_tensorboards_and_sort_in_order(tmp_path: Path) -> None:
    """Two writers of a directory never share a file, and a suffix is at the end of the name."""
    first = SummaryWriter(tmp_path, filename_suffix=".train")
    second = SummaryWriter(tmp_path)
    paths = [writer._get_file_writer().event_writer._file_name for writer in (first, second)]
    first.close()
    second.close()
    assert [str(path) for path in event_files(tmp_path)] == paths
    assert paths[0].endswith(".train")


def test_full_files_are_followed_by_others(tmp_path: Path) -> None:
    """Each file of a recording begins with the version and the session; the server reads them as one recording."""
    writer = FileWriter(tmp_path, max_file_size=2000)
    for step in range(200):
        writer.add_scalars({"x": 0.1 * step}, step)
    writer.close()
    paths = event_files(tmp_path)
    heads = [read_all_events(path)[0] for path in paths]
    assert len(paths) > 2
    assert {head.version for head in heads} == {"brain.Event:2"}
    assert len({head.session_id for head in heads}) == 1
    assert [head.rotation for head in heads] == list(range(len(paths)))
    assert all(path.stat().st_size <= 2000 for path in paths[:-1])
    assert scalars_of(tmp_path, "x") == {step: 0.1 * step for step in range(200)}
    run = run_in(tmp_path)
    assert (run.attempts, run.state.state, len(run.state.recordings)) == (1, "finished", 1)


def test_purge_step_begins_an_attempt(tmp_path: Path) -> None:
    """A recording with purge_step hides the later steps of every tag; nothing is deleted."""
    with SummaryWriter(tmp_path) as writer:
        for step in range(10):
            writer.add_scalar("x", 1.0, step)
            writer.add_scalar("y", 1.0, step)
    with SummaryWriter(tmp_path, purge_step=5) as writer:
        writer.add_scalar("x", 2.0, 5)
    run = run_in(tmp_path)
    assert run.attempts == 2
    assert run.scalars("x").value.tolist() == [1.0] * 5 + [2.0]
    assert run.scalars("y").step.tolist() == [0, 1, 2, 3, 4]
    assert len(run.scalars("x", attempt="all").step) == 11


def test_session_log_only_with_purge_step(tmp_path: Path) -> None:
    """TensorBoard deletes points at SessionLog.START, so only purge_step writes it, and only to the first file."""
    for name, purge_step in (("without", None), ("with", 0)):
        writer = FileWriter(tmp_path / name, purge_step=purge_step, max_file_size=600)
        for step in range(20):
            writer.add_scalars({"x": 0.1}, step)
        writer.close()
    events = {
        name: [read_tensorboard_events(path) for path in event_files(tmp_path / name)] for name in ("without", "with")
    }
    logs = {
        name: [event for file in files for event in file if event.HasField("session_log")]
        for name, files in events.items()
    }
    assert logs["without"] == []
    assert [(event.step, event.session_log.status) for event in logs["with"]] == [(0, SessionLog.START)]
    assert events["with"][0][1].HasField("session_log")
    assert run_in(tmp_path / "with").state.state == "finished"


def test_values_after_close_start_a_new_file(tmp_path: Path) -> None:
    """Frameworks close a writer after the training and record a last metric."""
    writer = SummaryWriter(tmp_path)
    writer.add_scalar("x", 1.0, 1)
    writer.close()
    writer.add_scalar("x", 2.0, 2)
    writer.add_histogram("h", [1.0], 2)
    writer.close()
    writer.close()
    writer.flush()
    assert len(event_files(tmp_path)) == 2
    assert scalars_of(tmp_path, "x") == {1: 1.0, 2: 2.0}
    assert run_in(tmp_path).tags("histogram") == ["h"]


def test_a_file_writer_can_be_reopened(tmp_path: Path) -> None:
    """reopen() starts a new file after close(), and does nothing before."""
    writer = FileWriter(tmp_path)
    writer.reopen()
    writer.add_scalars({"x": 1.0}, 1)
    writer.close()
    writer.reopen()
    writer.add_scalars({"x": 2.0}, 2)
    writer.close()
    writer.add_scalars({"x": 3.0}, 3)
    writer.add_summary(b"", 3)
    writer.close()
    assert len(event_files(tmp_path)) == 3
    assert scalars_of(tmp_path, "x") == {1: 1.0, 2: 2.0, 3: 3.0}


def test_an_exception_ends_the_recording(tmp_path: Path) -> None:
    """The exception that leaves the with block is in the file."""

    def train() -> None:
        with SummaryWriter(tmp_path) as writer:
            writer.add_scalar("x", 1.0, 1)
            writer.add_scalars("y", {"a": 1.0}, 1)
            raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError):
        train()
    opened = server.open(tmp_path)
    assert {run.state.state for run in opened.runs.values()} == {"failed"}
    error = opened.runs["."].state.error
    assert error is not None
    assert (error.type, error.text) == ("RuntimeError", "out of memory")


def run_script(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script and return what it printed."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


IMPORT = "import os, sys\nfrom toposcope.recorder.tensorboard.summary_writer import SummaryWriter\n"


def test_a_program_that_does_not_close_its_writer(tmp_path: Path) -> None:
    """What was recorded is in the file at the end of the program, with the exception that ended it."""
    script = IMPORT + "w = SummaryWriter(sys.argv[1])\nw.add_scalar('x', 0.1, 1)\nraise ValueError('bad')"
    assert run_script(script, tmp_path).returncode == 1
    assert scalars_of(tmp_path, "x") == {1: 0.1}
    error = run_in(tmp_path).state.error
    assert error is not None
    assert error.text == "bad"


def test_values_recorded_while_the_program_exits(tmp_path: Path) -> None:
    """A value that is recorded when the writer was closed at exit raises nothing.

    Python 3.12 cannot start a thread then, so the value is dropped with a log line.
    """
    script = IMPORT + (
        "import atexit\n"
        "atexit.register(lambda: w.add_scalar('x', 2.0, 2))\n"
        "from toposcope.recorder import SummaryRecord\n"
        "w = SummaryWriter(sys.argv[1])\n"
        "w.add_scalar('x', 1.0, 1)\n"
    )
    ended = run_script(script, tmp_path)
    assert ended.returncode == 0
    if sys.version_info[:2] == (3, 12):
        assert "drops values: no new file can be started" in ended.stderr
    else:
        assert ended.stderr == ""
    assert scalars_of(tmp_path, "x")[1] == 1.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork.")
def test_a_forked_process_has_a_file_of_its_own(tmp_path: Path) -> None:
    """The child writes none of the parent's bytes; what it records itself is in another file."""
    script = IMPORT + (
        "import warnings\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"  # Python 3.12 warns of forks of a process with threads.
        "w = SummaryWriter(sys.argv[1])\n"
        "w.add_scalar('parent', 1.0, 1)\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    w.add_scalar('child', 2.0, 1)\n"
        "    w.add_histogram('h', [1.0], 1)\n"
        "    w.close()\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "w.add_scalar('parent', 1.5, 2)\n"
        "w.close()\n"
    )
    assert run_script(script, tmp_path).stderr == ""
    tags = [
        [value.tag for event in read_all_events(path) for value in event.summary.value]
        for path in event_files(tmp_path)
    ]
    assert tags == [["parent", "parent"], ["child", "h"]]
    starts = {read_all_events(path)[0].start.process_id for path in event_files(tmp_path)}
    assert len(starts) == 2


def test_a_killed_process_leaves_what_it_flushed(tmp_path: Path) -> None:
    """After kill -9 every record that was flushed is intact, and the recording has no end."""
    script = IMPORT + (
        "import signal\n"
        "w = SummaryWriter(sys.argv[1])\n"
        "for step in range(1000):\n"
        "    w.add_scalar('x', step / 3, step)\n"
        "w.flush()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert run_script(script, tmp_path).returncode == -signal.SIGKILL
    assert scalars_of(tmp_path, "x") == {step: step / 3 for step in range(1000)}
    assert run_in(tmp_path).state.recordings[0].error is None
    (path,) = event_files(tmp_path)
    assert not any(event.HasField("end") for event in read_all_events(path))


@contextmanager
def rank(number: int) -> Iterator[None]:
    """Set the rank of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANK", str(number))
        yield


def test_ranks_are_ranks_of_the_run(tmp_path: Path) -> None:
    """The writers of several ranks in one directory are distinguished by their start marks."""
    for number in (0, 1):
        with rank(number), SummaryWriter(tmp_path) as writer:
            writer.add_scalar("x", float(number), 1)
    run = run_in(tmp_path)
    assert run.ranks == [0, 1]
    assert run.scalars("x", rank=1).value.tolist() == [1.0]
    assert run.attempts == 1


def test_heartbeats_and_end_are_in_the_file(tmp_path: Path) -> None:
    """While nothing is recorded, heartbeats show that the process lives; the last record is the end."""
    writer = FileWriter(tmp_path, heartbeat_seconds=0.01)
    writer.flush()
    (path,) = event_files(tmp_path)
    head = path.stat().st_size
    while path.stat().st_size == head:
        time.sleep(0.001)
    writer.close()
    assert any(event.HasField("heartbeat") for event in read_all_events(path))
    end = read_all_events(path)[-1]
    assert end.end.state == RecordingEnd.STATE_FINISHED
    state = run_in(tmp_path).state
    assert state.state == "finished"
    assert state.recordings[0].process_id == os.getpid()


def test_a_session_log_of_the_user_is_not_an_end_of_ours(tmp_path: Path) -> None:
    """SessionLog.START has the number of our own state FINISHED: only our own mark ends a recording."""
    start = TensorBoardEvent(wall_time=0.0, session_log=SessionLog(status=SessionLog.START))
    writer = FileWriter(tmp_path)
    writer.add_event(start)
    writer.flush()
    assert run_in(tmp_path).state.state == "running"
    writer.close(RecordingEnd(state=RecordingEnd.STATE_INTERRUPTED))
    assert run_in(tmp_path).state.state == "interrupted"


def test_encoded_messages_are_recorded_as_they_are(tmp_path: Path) -> None:
    """The bytes of a message are recorded at the message's own step unless another one is passed."""
    event = TensorBoardEvent(wall_time=3.0, step=7)
    event.summary.value.add(tag="x", simple_value=0.5)
    writer = FileWriter(tmp_path)
    writer.add_event(event.SerializeToString(), walltime=5.0)
    writer.add_event(event, step=8)
    writer.add_summary(event.summary.SerializeToString(), 9)
    event.step = 10
    writer.event_writer.add_event(event)  # As TensorBoard's: at the event's own time too.
    writer.event_writer.flush()
    writer.event_writer.close()
    assert scalars_of(tmp_path, "x") == {7: 0.5, 8: 0.5, 9: 0.5, 10: 0.5}
    assert run_in(tmp_path).scalars("x").wall_time[[0, 3]].tolist() == [5.0, 3.0]
