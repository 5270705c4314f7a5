"""How recordings end, as processes of every kind write it."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from support.trainings import event_files, run_training
from support.written_events import read_all_events

from toposcope.proto.summary_pb2 import RecordingEnd

FINISHED, FAILED, INTERRUPTED = "FINISHED", "FAILED", "INTERRUPTED"
# Python before 3.12 does not say with which code.
IN_A_FUNCTION = (
    (INTERRUPTED, "SystemExit", "3")
    if sys.version_info >= (3, 12)
    else (INTERRUPTED, "", "SystemExit, whose code is unknown")
)
# Each script records into sys.argv[1]; the exit code of its process; the state, the type and the text of the error.
SCRIPTS = {
    "with": ("with SummaryRecord(sys.argv[1]) as r: train(r, [1])", 0, (FINISHED, "", "")),
    "close": ("r = SummaryRecord(sys.argv[1]); train(r, [1]); r.close()", 0, (FINISHED, "", "")),
    "never closed": ("r = SummaryRecord(sys.argv[1]); train(r, [1])", 0, (FINISHED, "", "")),
    "dropped": ("r = SummaryRecord(sys.argv[1]); train(r, [1]); del r; sys.exit(3)", 3, (FINISHED, "", "")),
    "exception in with": (
        "with SummaryRecord(sys.argv[1]) as r: train(r, [1]); raise ValueError('bad')",
        1,
        (FAILED, "ValueError", "bad"),
    ),
    "exception and close in finally": (
        """
        r = SummaryRecord(sys.argv[1])
        try:
            train(r, [1])
            raise KeyError("missing")
        finally:
            r.close()
        """,
        1,
        (FAILED, "KeyError", "'missing'"),
    ),
    "exception and never closed": (
        """
        class Odd(Exception): pass
        r = SummaryRecord(sys.argv[1])
        train(r, [1])
        raise Odd("global")
        """,
        1,
        (FAILED, "Odd", "global"),
    ),
    "exception and never closed in a function": (
        """
        def main():
            r = SummaryRecord(sys.argv[1])
            train(r, [1])
            raise subprocess.TimeoutExpired("git", 2)
        import subprocess
        main()
        """,
        1,
        (FAILED, "subprocess.TimeoutExpired", "Command 'git' timed out after 2 seconds"),
    ),
    "exception handled, then trained": (
        """
        try:
            raise ImportError("optional")
        except ImportError:
            with SummaryRecord(sys.argv[1]) as r: train(r, [1])
            r = SummaryRecord(sys.argv[1] + "2")
            r.close()
            assert read_end(sys.argv[1] + "2") == 1
        """,
        0,
        (FINISHED, "", ""),
    ),
    "another exception than that handled when it was created": (
        """
        try:
            raise KeyError("first")
        except KeyError:
            r = SummaryRecord(sys.argv[1])
        train(r, [1])
        raise IndexError("second")
        """,
        1,
        (FAILED, "IndexError", "second"),
    ),
    "another exception, and close in finally": (
        """
        try:
            raise KeyError("first")
        except KeyError:
            r = SummaryRecord(sys.argv[1])
        try:
            train(r, [1])
            raise IndexError("second")
        finally:
            r.close()
        """,
        1,
        (FAILED, "IndexError", "second"),
    ),
    "exception outside of the recorder": (
        """
        with SummaryRecord(sys.argv[1]) as r: train(r, [1])
        raise ValueError("later")
        """,
        1,
        (FINISHED, "", ""),
    ),
    "exit code 3 in with": (
        "with SummaryRecord(sys.argv[1]) as r: train(r, [1]); sys.exit(3)",
        3,
        (INTERRUPTED, "SystemExit", "3"),
    ),
    "exit code 0 in with": ("with SummaryRecord(sys.argv[1]) as r: train(r, [1]); sys.exit(0)", 0, (FINISHED, "", "")),
    "exit code 3": ("r = SummaryRecord(sys.argv[1]); train(r, [1]); sys.exit(3)", 3, (INTERRUPTED, "SystemExit", "3")),
    "exit code 0": ("r = SummaryRecord(sys.argv[1]); train(r, [1]); sys.exit()", 0, (FINISHED, "", "")),
    "exit code 3 in a function": (
        """
        def main():
            r = SummaryRecord(sys.argv[1])
            train(r, [1])
            sys.exit(3)
        main()
        """,
        3,
        (INTERRUPTED, "SystemExit", "3"),
    ),
    "exit with a message": (
        "r = SummaryRecord(sys.argv[1]); train(r, [1]); sys.exit('no data')",
        1,
        (INTERRUPTED, "SystemExit", "no data"),
    ),
    "SystemExit raised": (
        "r = SummaryRecord(sys.argv[1]); train(r, [1]); raise SystemExit(3)",
        3,
        (INTERRUPTED, "SystemExit", "3"),
    ),
    "SystemExit raised with 0": (
        "r = SummaryRecord(sys.argv[1]); train(r, [1]); raise SystemExit(0)",
        0,
        (FINISHED, "", ""),
    ),
    "SystemExit raised without a code": (
        "r = SummaryRecord(sys.argv[1]); train(r, [1]); raise SystemExit",
        0,
        (FINISHED, "", ""),
    ),
    "exit imported from sys": (
        "from sys import exit as leave; r = SummaryRecord(sys.argv[1]); train(r, [1]); leave(0)",
        0,
        (FINISHED, "", ""),
    ),
    "exit of an interactive session": (
        "r = SummaryRecord(sys.argv[1]); train(r, [1]); quit()",
        0,
        (FINISHED, "", ""),
    ),
    "SystemExit raised in a function": (
        """
        def main():
            r = SummaryRecord(sys.argv[1])
            train(r, [1])
            raise SystemExit(3)
        main()
        """,
        3,
        IN_A_FUNCTION,
    ),
    "sys.exit caught, then the end": (
        """
        r = SummaryRecord(sys.argv[1])
        try:
            sys.exit(3)
        except SystemExit:
            train(r, [1])
        """,
        0,
        (FINISHED, "", ""),
    ),
    "sys.exit caught, then SystemExit raised": (
        """
        r = SummaryRecord(sys.argv[1])
        try:
            sys.exit(0)
        except SystemExit:
            train(r, [1])
        raise SystemExit(3)
        """,
        3,
        (INTERRUPTED, "SystemExit", "3"),
    ),
    "sys.exit caught and kept, then SystemExit raised": (
        """
        r = SummaryRecord(sys.argv[1])
        try:
            sys.exit(0)
        except SystemExit as error:
            train(r, [1])
            kept = error
        raise SystemExit(int("3"))
        """,
        3,
        IN_A_FUNCTION,
    ),
    "Ctrl-C in with": (
        "with SummaryRecord(sys.argv[1]) as r: train(r, [1]); signal.raise_signal(signal.SIGINT)",
        -signal.SIGINT,
        (INTERRUPTED, "KeyboardInterrupt", ""),
    ),
    "Ctrl-C and never closed": (
        "r = SummaryRecord(sys.argv[1]); train(r, [1]); os.kill(os.getpid(), signal.SIGINT); time.sleep(9)",
        -signal.SIGINT,
        (INTERRUPTED, "KeyboardInterrupt", ""),
    ),
    "SIGTERM handled": (
        """
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with SummaryRecord(sys.argv[1]) as r:
            train(r, [1])
            signal.raise_signal(signal.SIGTERM)
        """,
        0,
        (INTERRUPTED, "SystemExit", "0"),
    ),
    "SIGTERM handled and never closed": (
        """
        def stop(number, frame):
            sys.exit(0)
        signal.signal(signal.SIGTERM, stop)
        r = SummaryRecord(sys.argv[1])
        train(r, [1])
        signal.raise_signal(signal.SIGTERM)
        """,
        0,
        (
            (INTERRUPTED, "SystemExit", "0")
            if sys.version_info >= (3, 12)
            else (INTERRUPTED, "", "SystemExit(0) in a signal handler")
        ),
    ),
    "SIGTERM handled by a flag": (
        "r = SummaryRecord(sys.argv[1]); train(r, [1]); r.close(interrupted_by='SIGTERM')",
        0,
        (INTERRUPTED, "", "SIGTERM"),
    ),
    "closed by the user at exit": (
        """
        import atexit
        r = SummaryRecord(sys.argv[1])
        atexit.register(r.close)
        train(r, [1])
        raise ValueError("unhandled")
        """,
        1,
        (FAILED, "ValueError", "unhandled"),
    ),
    "exception in a child of multiprocessing": (
        """
        def child():
            r = SummaryRecord(sys.argv[1])
            train(r, [1])
            raise ValueError("in the child")
        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join()
        sys.exit(process.exitcode)
        """,
        1,
        (FAILED, "ValueError", "in the child"),
    ),
    "exit code of a child of multiprocessing": (
        """
        def child():
            r = SummaryRecord(sys.argv[1])
            train(r, [1])
            sys.exit(3)
        if __name__ == "__main__":
            process = multiprocessing.get_context("spawn").Process(target=child)
            process.start()
            process.join()
            assert process.exitcode == 3
        """,
        0,
        (INTERRUPTED, "SystemExit", "3"),
    ),
    "end of a child of fork": (
        """
        if os.fork() == 0:
            r = SummaryRecord(sys.argv[1])
            train(r, [1])
            raise ValueError("in the child")
        os.wait()
        """,
        0,
        (FAILED, "ValueError", "in the child"),
    ),
    "exception in a thread": (
        """
        def run():
            with SummaryRecord(sys.argv[1]) as r:
                train(r, [1])
                raise ValueError("in the thread")
        threading.excepthook = lambda _: None
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        """,
        0,
        (FAILED, "ValueError", "in the thread"),
    ),
    "exception in a thread and never closed": (
        """
        def run():
            r = SummaryRecord(sys.argv[1])
            train(r, [1])
            raise ValueError("in the thread")
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        """,
        0,
        (FAILED, "ValueError", "in the thread"),
    ),
    "exception that another thread handles": (
        """
        r = SummaryRecord(sys.argv[1])
        def drop():
            global r
            try:
                raise KeyError
            except KeyError:
                del r
        train(r, [1])
        thread = threading.Thread(target=drop)
        thread.start()
        thread.join()
        """,
        0,
        (FINISHED, "", ""),
    ),
}
PRELUDE = """
import multiprocessing, signal
def read_end(directory):
    from toposcope.proto.summary_pb2 import Event
    content = next(Path(directory).iterdir()).read_bytes()
    start = end = 0
    while end < len(content):
        start, end = end, end + 16 + int.from_bytes(content[end : end + 8], "little")
    return Event.FromString(content[start + 12 : end - 4]).end.state
"""


def script_of(body: str) -> str:
    """Return the script that run_training() runs after its own lines."""
    return PRELUDE + textwrap.dedent(body)


def end_of(path: Path) -> RecordingEnd | None:
    """Return how a recording ended; None if its file has no end. Nothing follows the end."""
    *events, last = read_all_events(path)
    assert not any(event.HasField("end") for event in events)
    return last.end if last.HasField("end") else None


def written_end(path: Path) -> RecordingEnd:
    """Return how a recording ended; assert that its file has an end."""
    end = end_of(path)
    assert end is not None
    return end


@pytest.mark.parametrize("name", SCRIPTS)
def test_end_of_a_recording(tmp_path: Path, name: str) -> None:
    """The last record says how the training ended, and the process exits as it would without a recorder."""
    script, code, expected = SCRIPTS[name]
    run_training(tmp_path, script_of(script), tmp_path / "run", expected=code)

    (path,) = event_files(tmp_path / "run")
    end = written_end(path)
    assert (RecordingEnd.State.Name(end.state).removeprefix("STATE_"), end.error_type, end.error_text) == expected
    assert bool(end.traceback) == bool(end.error_type)


@pytest.mark.parametrize(
    ("death", "code"),
    [
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", -signal.SIGTERM),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("os._exit(0)", 0),
    ],
)
def test_a_killed_process_writes_no_end(tmp_path: Path, death: str, code: int) -> None:
    """Without an end, readers notice that heartbeats are missing."""
    script = f"r = SummaryRecord(sys.argv[1]); train(r, [1]); r.flush(); {death}"
    run_training(tmp_path, script_of(script), tmp_path / "run", expected=code)

    (path,) = event_files(tmp_path / "run")
    assert end_of(path) is None


def test_ends_of_nested_recorders(tmp_path: Path) -> None:
    """Each recorder has the end of its own with statement; threads do not affect each other."""
    script = """
        def work(number):
            try:
                with SummaryRecord(f"{sys.argv[1]}/thread-{number}") as r:
                    train(r, [1])
                    barrier.wait(30)
                    if number: raise ValueError(str(number))
            except ValueError:
                pass
        barrier = threading.Barrier(2)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        with SummaryRecord(sys.argv[1] + "/outer") as outer:
            try:
                with SummaryRecord(sys.argv[1] + "/inner") as inner:
                    raise ValueError("inner")
            except ValueError:
                train(outer, [1])
    """
    run_training(tmp_path, script_of(script), tmp_path)

    states = {}
    for path in tmp_path.glob("*/*.summary.*"):
        end = written_end(path)
        states[path.parent.name] = end.state
    failed, finished = RecordingEnd.STATE_FAILED, RecordingEnd.STATE_FINISHED
    assert states == {"thread-0": finished, "thread-1": failed, "outer": finished, "inner": failed}


def test_a_forked_child_writes_no_end_of_its_parent(tmp_path: Path) -> None:
    """A child that closes the inherited recorder, and fails, does not affect the recording of its parent."""
    script = """
        with SummaryRecord(sys.argv[1]) as r:
            train(r, [1])
            if os.fork() == 0:
                r.close()
                raise ValueError("in the child")
            os.wait()
            train(r, [2])
    """
    run_training(tmp_path, script_of(script), tmp_path / "run")

    (path,) = event_files(tmp_path / "run")
    end = written_end(path)
    assert end.state == RecordingEnd.STATE_FINISHED


def test_secrets_and_length_of_an_error(tmp_path: Path) -> None:
    """Secrets in text and traceback are replaced; the middle of a long traceback is left out."""
    script = """
        def recurse(depth, r):
            exec(f"def f{depth}(d, r): recurse(d, r)", globals())
            if depth == 200:
                raise ValueError("password=hunter22 " + "ä" * 5000)
            globals()[f"f{depth}"](depth + 1, r)
        with SummaryRecord(sys.argv[1]) as r:
            recurse(0, r)
    """
    run_training(tmp_path, script_of(script), tmp_path / "run", "--token", "s3cret", expected=1)

    (path,) = event_files(tmp_path / "run")
    end = written_end(path)
    content = path.read_bytes()
    assert b"hunter22" not in content
    assert b"s3cret" not in content
    assert end.error_text.startswith("password=*** ää")
    assert len(end.error_text.encode()) <= 2048
    assert 8000 < len(end.traceback.encode()) <= 8192
    assert end.traceback.startswith("Traceback (most recent call last)")
    assert "left out" in end.traceback
    assert end.traceback.endswith("ää\n")


def test_start_of_a_recording(tmp_path: Path) -> None:
    """The version event of each file says which process writes it, with secrets replaced in its command line."""
    script = """
        import platform
        with SummaryRecord(sys.argv[1], max_file_size=2000, heartbeat_seconds=7) as r:
            train(r, range(100))
        print(os.getpid(), platform.node())
    """
    ended = run_training(
        tmp_path, script_of(script), tmp_path / "run", "x" * 1000, "--api_key", "s3cret", "--y", "y" * 3000
    )

    process, host = ended.stdout.split()
    paths = event_files(tmp_path / "run")
    starts = [read_all_events(path)[0].start for path in paths]
    assert len(starts) > 2
    assert all(start == starts[0] for start in starts)
    assert (starts[0].process_id, starts[0].host, starts[0].rank) == (int(process), host, 0)
    assert starts[0].heartbeat_seconds == 7
    assert len(starts[0].command_line) == 2000
    assert "training.py" in starts[0].command_line
    assert "--api_key *** --y yyy" in starts[0].command_line
    assert [end_of(path) is not None for path in paths] == [False] * (len(paths) - 1) + [True]


def test_interrupted_close(tmp_path: Path) -> None:
    """If Ctrl-C interrupts close(), everything is written before the process exits, with the end of the close()."""
    script = """
        recorder = SummaryRecord(sys.argv[1])
        def write_slowly(descriptor, buffers):
            time.sleep(0.01)
            return os.write(descriptor, bytes(buffers[0])[:4096])
        os.writev = write_slowly
        train(recorder, range(100), "tensor")
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            recorder.close()
        except KeyboardInterrupt:
            print("interrupted")
    """
    ended = run_training(tmp_path, script_of(script), tmp_path / "run")

    (path,) = event_files(tmp_path / "run")
    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")
    assert [event.step for event in read_all_events(path)[1:-1]] == list(range(100))
    assert written_end(path).state == RecordingEnd.STATE_FINISHED


def test_exception_that_cannot_be_read(tmp_path: Path) -> None:
    """An exception whose own methods fail is recorded by its type."""
    script = """
        class Broken(Exception):
            def __str__(self):
                raise RuntimeError("broken")
        with SummaryRecord(sys.argv[1]) as recorder:
            raise Broken("\\udcff")
    """
    run_training(tmp_path, script_of(script), tmp_path / "run", expected=1)

    (path,) = event_files(tmp_path / "run")
    end = written_end(path)
    assert (end.state, end.error_type) == (RecordingEnd.STATE_FAILED, "Broken")
    assert end.error_text == "<the text of the exception cannot be read>"


# Started while another exception is handled, as when a training is tried again. Each child drops a recorder and keeps
# one, and closes neither.
CHILDREN = """
import concurrent.futures
KEPT = []
ENDS = {"return": None, "error": ValueError, "exit": SystemExit, "Ctrl-C": KeyboardInterrupt}
def work(kind, name):
    KEPT.append(SummaryRecord(f"{sys.argv[1]}/{kind} {name} kept"))
    dropped = SummaryRecord(f"{sys.argv[1]}/{kind} {name} dropped")
    train(KEPT[0], [1])
    train(dropped, [1])
    if ENDS[name] is not None:
        raise ENDS[name](3)
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[2])
    try:
        raise KeyError("handled")
    except KeyError:
        for name in ENDS:
            process = context.Process(target=work, args=("process", name))
            process.start()
            process.join()
        for name in "return", "error":
            pool = context.Pool(1)
            pool.apply_async(work, ("pool", name)).wait()
            pool.close()
            pool.join()
            with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as executor:
                executor.submit(work, "executor", name).exception()
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_ends_of_unclosed_recorders_in_children_of_multiprocessing(tmp_path: Path, method: str) -> None:
    """What ends a child ends both of its recorders; what ends a task of a pool ends the one that the task drops."""
    run_training(tmp_path, script_of(CHILDREN), tmp_path / "runs", method)

    ends = {}
    for path in (tmp_path / "runs").glob("*/*.summary.*"):
        end = written_end(path)
        ends[path.parent.name] = (RecordingEnd.State.Name(end.state).removeprefix("STATE_"), end.error_type)
    finished, failed = (FINISHED, ""), (FAILED, "ValueError")
    exited, interrupted = (INTERRUPTED, "SystemExit"), (INTERRUPTED, "KeyboardInterrupt")
    assert ends == {
        **dict.fromkeys(("process return dropped", "process return kept"), finished),
        **dict.fromkeys(("process error dropped", "process error kept"), failed),
        **dict.fromkeys(("process exit dropped", "process exit kept"), exited),
        **dict.fromkeys(("process Ctrl-C dropped", "process Ctrl-C kept"), interrupted),
        **dict.fromkeys(("pool return dropped", "pool return kept", "pool error kept"), finished),
        **dict.fromkeys(("executor return dropped", "executor return kept", "executor error kept"), finished),
        **dict.fromkeys(("pool error dropped", "executor error dropped"), failed),
    }


def test_an_exception_in_an_interactive_session_ends_no_recording(tmp_path: Path) -> None:
    session = """
from toposcope.recorder import SummaryRecord
before = SummaryRecord("before"); before.add_value("scalar", "x", 1.0); before.record(1)
undefined_name
before.add_value("scalar", "x", 1.0); before.record(2)
after = SummaryRecord("after"); after.add_value("scalar", "x", 1.0); after.record(1)
"""
    done = subprocess.run([sys.executable, "-iq"], input=session, cwd=tmp_path, text=True, capture_output=True)

    assert "NameError" in done.stderr
    for name in ("before", "after"):
        (path,) = event_files(tmp_path / name)
        assert written_end(path).state == RecordingEnd.STATE_FINISHED
