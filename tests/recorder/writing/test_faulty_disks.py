"""Recording to disks that are full, read-only or deleted, and without free descriptors or memory."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path

import pytest
from support.event_files import read_slowly
from support.trainings import NEVER, ReadEvents, event_files, lost_in, read_sessions, run_training, steps_in, train
from support.written_events import read_all_events

from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import SummaryRecord
from toposcope.recorder.writing.encoding import summary_values
from toposcope.recorder.writing.event_queue import EventQueue


@pytest.mark.parametrize("raises", [False, True])
def test_file_size_limit_of_the_process(tmp_path: Path, read_events: ReadEvents, raises: bool) -> None:
    """At the limit record() returns False, or raises the error once; when it is raised, everything is written."""
    script = """
        import resource
        recorder = SummaryRecord(sys.argv[1], raise_exception=sys.argv[2] == "True", flush_seconds=1e6)
        train(recorder, range(20))
        recorder.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(recorder.log_dir) + 1000, resource.RLIM_INFINITY))
        for step in range(20, 100):
            try:
                print(*train(recorder, [step]))
                if step % 10 == 9:
                    recorder.flush()
            except OSError as error:
                print(error.strerror)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        recorder.flush()
        print(*train(recorder, range(100, 120)), sep="\\n")
        recorder.close()
    """
    ended = run_training(tmp_path, script, tmp_path / "run", raises)

    outcomes = ended.stdout.splitlines()
    # The flush() that finds the file full is the first call that can raise.
    full = outcomes.index("File too large" if raises else "False")
    assert set(outcomes[:full]) | set(outcomes[-20:]) == {"True"}
    assert set(outcomes[full + raises : -20]) == {"False"}
    assert steps_in(tmp_path / "run", read_events) == list(range(120))
    assert [ended.stderr.count(text) for text in ("File too large", "is written again", "lost.")] == [1, 1, 0]


def test_queue_is_bounded_while_the_disk_is_full(tmp_path: Path, read_events: ReadEvents) -> None:
    """Events beyond the limit of the queue are lost and counted; older ones are kept and written after the fault."""
    assert signature(EventQueue).parameters["max_events"].default == 65_536
    script = """
        import functools, resource
        from toposcope.recorder.writing import recording
        from toposcope.recorder.writing.event_queue import EventQueue
        recording.EventQueue = functools.partial(EventQueue, max_events=2048)
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e6)
        recorder.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        train(recorder, range(20))
        recorder.flush()
        print(any(train(recorder, range(20, 5_000))))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        recorder.flush()
        print(*train(recorder, [5_000]))
        recorder.close()
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    *kept, last = steps_in(tmp_path / "run", read_events)
    assert ended.stdout.split() == ["False", "True"]
    assert kept == list(range(len(kept)))
    assert last == 5_000
    assert 2_000 < len(kept) < 2_200
    assert lost_in(ended.stderr) == 5_000 - len(kept)


def test_close_on_a_full_disk(tmp_path: Path) -> None:
    """A close() that cannot write returns or raises the error, and the log contains the number of lost events."""
    script = """
        import resource
        recorder = SummaryRecord(sys.argv[1], raise_exception=True, flush_seconds=1e6)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        train(recorder, range(100))
        try:
            recorder.close()
        except OSError as error:
            print(error.strerror)
        recorder.close()
        print(recorder.log_dir)
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    error, path = ended.stdout.splitlines()
    assert error == "File too large"
    points, damage = read_slowly(Path(path).read_bytes(), "mindspore")
    assert [point.step for point in points] == list(range(len(points)))
    assert damage == []
    assert lost_in(ended.stderr) == 100 - len(points)


@pytest.mark.parametrize("raises", [False, True])
def test_close_reports_what_was_lost(tmp_path: Path, raises: bool) -> None:
    """After record() has raised the fault, close() raises or returns that events are lost; flush() returns it."""
    script = """
        import functools, resource
        from toposcope.recorder.writing import recording
        from toposcope.recorder.writing.event_queue import EventQueue
        recording.EventQueue = functools.partial(EventQueue, max_events=2048)
        recorder = SummaryRecord(sys.argv[1], raise_exception=sys.argv[2] == "True", flush_seconds=1e6)
        print(train(recorder, range(5)), recorder.flush())
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(recorder.log_dir), resource.RLIM_INFINITY))
        for attempt in range(2):
            try:
                train(recorder, range(5, 5_000))
                print("flushed", recorder.flush())
            except OSError as error:
                print("raised", error.strerror)
        for attempt in range(2):
            try:
                print("closed", recorder.close())
            except OSError as error:
                print("raised", error.strerror)
    """
    ended = run_training(tmp_path, script, tmp_path / "run", raises)

    first, *outcomes = ended.stdout.splitlines()
    lost = lost_in(ended.stderr)
    assert first == "[True, True, True, True, True] True"
    assert lost > 4_500
    fault, loss = "raised File too large", f"raised {lost} recorded events are lost: File too large"
    if raises:
        assert outcomes == [fault, "flushed False", loss, "closed False"]
    else:
        assert outcomes == ["flushed False", "flushed False", "closed False", "closed False"]


def test_a_loss_does_not_hide_the_exception_of_the_training(tmp_path: Path) -> None:
    """If the body of the with statement has raised, the loss is only logged."""
    script = """
        import resource
        with SummaryRecord(sys.argv[1], raise_exception=True, flush_seconds=1e6) as recorder:
            recorder.flush()
            resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(recorder.log_dir), resource.RLIM_INFINITY))
            train(recorder, range(5))
            raise ValueError("the reason")
    """
    ended = run_training(tmp_path, script, tmp_path / "run", expected=1)

    assert ended.stderr.splitlines()[-1] == "ValueError: the reason"
    assert "During handling" not in ended.stderr
    assert lost_in(ended.stderr) == 5


def test_no_end_after_lost_records(tmp_path: Path, read_events: ReadEvents) -> None:
    """The end is not written before what precedes it: a recording whose last records are lost has none."""
    script = """
        import resource
        with SummaryRecord(sys.argv[1], flush_seconds=1e6) as recorder:
            train(recorder, range(5))
            recorder.flush()
            size = os.path.getsize(recorder.log_dir)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, resource.RLIM_INFINITY))
            train(recorder, range(5, 10))
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    (path,) = event_files(tmp_path / "run")
    assert lost_in(ended.stderr) == 5
    assert not any(event.HasField("end") for event in read_all_events_before(path, incomplete=10))


def read_all_events_before(path: Path, incomplete: int) -> list[Event]:
    """Return the events of a file before its last bytes."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - incomplete])
    return read_all_events(path)


def test_value_that_cannot_be_encoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that is skipped when it is encoded is lost: flush() and close() return or raise it."""

    def fail(*_: object) -> None:
        raise ValueError("cannot be encoded")

    monkeypatch.setattr(summary_values, "_content", fail)
    silent, raising = SummaryRecord(tmp_path), SummaryRecord(tmp_path, raise_exception=True)
    for recorder in (silent, raising):
        recorder.add_value("text", "note", "words")
        assert recorder.record(1)
        assert not recorder.flush()

    assert not silent.close()
    with pytest.raises(ValueError, match="cannot be encoded"):
        raising.close()
    assert not raising.close()


def test_log_handler_that_raises(tmp_path: Path, read_events: ReadEvents) -> None:
    """A log handler that raises an error on a full disk does not end the recording."""
    script = """
        import logging, resource

        class Broken(logging.Handler):
            def emit(self, _):
                raise RuntimeError("the handler fails")

        logging.getLogger().addHandler(Broken())
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e6)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        train(recorder, range(100))
        recorder.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        recorder.flush()
        print(*train(recorder, range(100, 120)))
        recorder.close()
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    assert set(ended.stdout.split()) == {"True"}
    assert steps_in(tmp_path / "run", read_events) == list(range(120))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a directory on a disk of one megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a disk requires root")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"no disk can be mounted: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


def fill(disk: Path) -> Path:
    """Fill a disk up to a few bytes; return the file that fills it."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            file.truncate(max(0, filler.stat().st_size - 4 * 4096))
    return filler


@pytest.mark.parametrize("on_backlog", ["wait", "drop"])
def test_full_disk(
    small_disk: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture, on_backlog: str
) -> None:
    """On a full disk record() returns False; when space is available again, everything is written and intact."""
    with SummaryRecord(small_disk / "run", flush_seconds=NEVER, on_backlog=on_backlog) as recorder:
        train(recorder, range(10))
        recorder.flush()
        filler = fill(small_disk)
        assert train(recorder, range(10, 30)) == [True] * 20
        recorder.flush()
        assert train(recorder, range(30, 40)) == [False] * 10
        filler.unlink()
        recorder.flush()
        assert train(recorder, range(40, 50)) == [True] * 10

    assert steps_in(small_disk / "run", read_events) == list(range(50))
    assert [caplog.text.count(text) for text in ("No space left", "is written again", "lost.")] == [1, 1, 0]


@pytest.mark.parametrize("on_backlog", ["wait", "drop"])
def test_full_disk_at_a_rotation(small_disk: Path, read_events: ReadEvents, on_backlog: str) -> None:
    """When space is available again, files started on a full disk contain everything that was recorded."""
    recorder = SummaryRecord(small_disk / "run", max_file_size=10_000, flush_seconds=NEVER, on_backlog=on_backlog)
    with recorder:
        train(recorder, range(10))
        recorder.flush()
        filler = fill(small_disk)
        train(recorder, range(10, 30))
        recorder.flush()
        assert train(recorder, range(30, 40)) == [False] * 10
        filler.unlink()

    assert steps_in(small_disk / "run", read_events) == list(range(40))


def test_event_file_deleted_to_make_room(
    small_disk: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """Records pending on a full disk are not written to the file that was deleted, but completely to the next one."""
    with SummaryRecord(small_disk / "run", flush_seconds=NEVER) as recorder:
        train(recorder, range(10))
        recorder.flush()
        filler = fill(small_disk)
        train(recorder, range(10, 30))
        recorder.flush()
        deleted = Path(recorder.log_dir).read_bytes()
        assert train(recorder, [30]) == [False]
        os.unlink(recorder.log_dir)
        filler.unlink()

    points, _ = read_slowly(deleted, "mindspore")
    complete = {point.step for point in points}
    assert complete | set(steps_in(small_disk / "run", read_events)) == set(range(31))
    assert lost_in(caplog.text) == 0


def test_out_of_memory(tmp_path: Path, read_events: ReadEvents) -> None:
    """Values that cannot be encoded for lack of memory are lost and reported; the recording continues."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("requires /proc")
    script = """
        import resource
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e6)
        values = np.ones(1 << 20)
        train(recorder, [0])
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20), resource.RLIM_INFINITY))
        for step in range(1, 29):
            for plugin in ("tensor", "histogram"):
                recorder.add_value(plugin, plugin, values)
            train(recorder, [step])
        recorder.flush()
        del values
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        recorder.flush()
        print(*train(recorder, [29]))
        recorder.close()
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    assert ended.stdout == "True\n"
    (events,) = read_sessions(tmp_path / "run", read_events)
    losses = [event.step for event in events for value in event.summary.value if value.tag == "loss"]
    assert losses == list(range(30))
    assert "MemoryError" in ended.stderr


# The file or its directory is removed.


def remove_directory(file: Path) -> None:
    """Remove the directory of a file, with its content."""
    shutil.rmtree(file.parent)


def replace_by_copy(file: Path) -> None:
    """Replace a file by a copy, which does not receive what is written to the original."""
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content)


@pytest.mark.parametrize("remove", [remove_directory, Path.unlink, replace_by_copy])
@pytest.mark.parametrize("max_file_size", [None, 20_000])
def test_deleted_file(
    tmp_path: Path,
    read_events: ReadEvents,
    caplog: pytest.LogCaptureFixture,
    remove: Callable[[Path], None],
    max_file_size: int | None,
) -> None:
    """If its file or directory is removed, a recording continues in a new file, and the log reports it."""
    run = tmp_path / "run"
    with SummaryRecord(run, max_file_size=max_file_size, flush_seconds=NEVER) as recorder:
        train(recorder, range(20))
        recorder.flush()
        removed = Path(recorder.log_dir)
        rotations = read_events(removed)[0].rotation + 1
        remove(removed)
        kept = event_files(run)
        train(recorder, range(20, 40))
        recorder.flush()
        train(recorder, range(40, 60))

    paths = [path for path in event_files(run) if path not in kept]
    assert removed not in paths
    new = [read_events(path) for path in paths]
    assert [head.rotation for head, *_ in new] == list(range(rotations, rotations + len(new)))
    assert [event.step for _, *events in new for event in events] == list(range(20, 60))
    assert caplog.text.count("deleted while it was written") == 1


def test_close_after_the_directory_is_removed(tmp_path: Path, read_events: ReadEvents) -> None:
    """If the directory has been removed, close() creates it again and writes the pending events."""
    with SummaryRecord(tmp_path / "run", flush_seconds=NEVER) as recorder:
        train(recorder, range(10))
        shutil.rmtree(tmp_path / "run")

    assert steps_in(tmp_path / "run", read_events) == list(range(10))


def test_renamed_directory(tmp_path: Path, read_events: ReadEvents) -> None:
    """The current file stays in the renamed directory; the next one is created in a new directory of the old name."""
    before, after = tmp_path / "run", tmp_path / "renamed"
    with SummaryRecord(before, max_file_size=20_000, flush_seconds=NEVER) as recorder:
        train(recorder, range(20))
        recorder.flush()
        before.rename(after)
        assert train(recorder, range(20, 40)) == [True] * 20
        recorder.flush()
        assert train(recorder, range(40, 60)) == [True] * 20

    steps = [steps_in(directory, read_events) for directory in (after, before)]
    assert all(steps)
    assert steps[0] + steps[1] == list(range(60))


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """Yield a directory that every user can access, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o777)
        yield Path(directory)


def test_read_only_directory(open_directory: Path, read_events: ReadEvents) -> None:
    """A rotation in a read-only directory is retried until it is writable again, and nothing is lost."""
    script = """
        if os.geteuid() == 0:
            os.setuid(65534)  # Root ignores permissions.
        recorder = SummaryRecord(sys.argv[1] + "/run", max_file_size=20_000, flush_seconds=1e6)
        train(recorder, range(20), "tensor")
        recorder.flush()
        os.chmod(sys.argv[1] + "/run", 0o555)
        print(*train(recorder, range(20, 40), "tensor"))
        recorder.flush()
        print(*train(recorder, range(40, 60), "tensor"))
        os.chmod(sys.argv[1] + "/run", 0o755)
        recorder.flush()
        print(*train(recorder, range(60, 80), "tensor"))
        recorder.close()
    """
    ended = run_training(open_directory, script, open_directory)

    assert [set(line.split()) for line in ended.stdout.splitlines()] == [{"True"}, {"False"}, {"True"}]
    assert steps_in(open_directory / "run", read_events) == list(range(80))
    assert [ended.stderr.count(text) for text in ("Permission denied", "is written again", "lost.")] == [1, 1, 0]


def test_no_free_file_descriptor(tmp_path: Path, read_events: ReadEvents) -> None:
    """A rotation without a free descriptor is retried until one is free, and nothing is lost."""
    script = """
        import resource
        recorder = SummaryRecord(sys.argv[1], max_file_size=20_000, flush_seconds=1e6)
        train(recorder, range(20), "tensor")
        recorder.flush()
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        opened = []
        try:
            while True:
                opened.append(open(os.devnull))
        except OSError:
            pass
        print(*train(recorder, range(20, 40), "tensor"))
        recorder.flush()
        print(*train(recorder, range(40, 60), "tensor"))
        for file in opened:
            file.close()
        recorder.flush()
        print(*train(recorder, range(60, 80), "tensor"))
        recorder.close()
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    assert [set(line.split()) for line in ended.stdout.splitlines()] == [{"True"}, {"False"}, {"True"}]
    assert steps_in(tmp_path / "run", read_events) == list(range(80))
    assert [ended.stderr.count(text) for text in ("Too many open files", "is written again", "lost.")] == [1, 1, 0]


def test_export_that_fails(tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture) -> None:
    """If no npy file can be written, record() returns False, the log reports it once, the event file is complete."""
    with SummaryRecord(tmp_path, export_options={"tensor_format": "npy"}, flush_seconds=NEVER) as recorder:
        seconds = Path(recorder.log_dir).name.split(".")[4]
        (tmp_path / f"export_{seconds}").write_text("in the way")
        train(recorder, range(10))
        recorder.flush()
        assert train(recorder, range(10, 20)) == [False] * 10
        recorder.flush()
        (tmp_path / f"export_{seconds}").unlink()
        train(recorder, range(20, 30))
        recorder.flush()
        assert train(recorder, range(30, 40)) == [True] * 10

    assert steps_in(tmp_path, read_events) == list(range(40))
    assert len(list(tmp_path.glob("export_*/tensor/*.npy"))) == 20
    assert [caplog.text.count(text) for text in ("in the way", "is not exported")] == [0, 1]


def test_export_that_fails_is_raised_with_raise_exception(tmp_path: Path) -> None:
    """With raise_exception the next call raises the error of a failed export, once."""
    exporting: dict[str, str | None] = {"tensor_format": "npy"}
    recorder = SummaryRecord(tmp_path, raise_exception=True, export_options=exporting, flush_seconds=NEVER)
    seconds = Path(recorder.log_dir).name.split(".")[4]
    (tmp_path / f"export_{seconds}").write_text("in the way")
    train(recorder, range(1))
    with pytest.raises((FileExistsError, NotADirectoryError)):
        recorder.flush()
    recorder.flush()
    recorder.close()
