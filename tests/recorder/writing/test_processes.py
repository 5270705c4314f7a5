"""Recording with forks, threads and signals, and at the end of the process."""

import functools
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from support.trainings import (
    SLOW_SECONDS,
    ReadEvents,
    add_all_kinds,
    event_files,
    lost_in,
    read_sessions,
    run_training,
    steps_in,
)

from toposcope.recorder import SummaryRecord


def test_forks_in_the_middle_of_recording(tmp_path: Path, read_events: ReadEvents) -> None:
    """However children end, they write no records of their parent; recorders that they create work."""
    script = """
        import itertools, signal

        def live(number):
            signal.alarm(30)
            outcomes = train(recorder, range(10), "tensor")
            recorder.flush()
            recorder.close()
            if number % 4 == 0:
                with SummaryRecord(f"{sys.argv[1]}/child-{number}") as child_recorder:
                    outcomes += [not recorded for recorded in train(child_recorder, range(20), "tensor")]
            if any(outcomes):
                os._exit(99)
            if number % 4 == 1:
                raise RuntimeError("a child fails")
            if number % 4 == 2:
                os._exit(2)
            sys.exit(number % 4)

        recorder = SummaryRecord(sys.argv[1] + "/parent", max_file_size=1 << 20, flush_seconds=1e-3)
        ended = threading.Event()
        def record():
            for step in itertools.count():
                train(recorder, [step], "tensor" if step % 10 == 0 else "scalar")
                if step % 10 == 0:
                    recorder.flush()
                if ended.is_set():
                    return print(step + 1)
        training = threading.Thread(target=record)
        training.start()
        for number in range(24):
            child = os.fork()
            if child == 0:
                live(number)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), end=" ")
            sys.stdout.flush()
        ended.set()
        training.join()
        recorder.close()
    """
    ended = run_training(tmp_path, script, tmp_path)

    *codes, steps = map(int, ended.stdout.split())
    assert codes == [0, 1, 2, 3] * 6
    assert ended.stderr.count("RuntimeError: a child fails") == 6
    assert ended.stderr.count("belongs to the parent process") == 1  # Once for all children.
    assert steps_in(tmp_path / "parent", read_events) == list(range(steps))
    for number in range(0, 24, 4):
        assert steps_in(tmp_path / f"child-{number}", read_events) == list(range(20))
    assert len(list(tmp_path.glob("child-*/*"))) == 6


def test_several_processes_record_to_one_directory(tmp_path: Path, read_events: ReadEvents) -> None:
    """Spawned processes and their parent, which rotate in the same seconds, write separate and complete files."""
    script = """
        import multiprocessing

        def record(directory, barrier):
            recorder = SummaryRecord(directory, max_file_size=20_000, flush_seconds=1e-3)
            train(recorder, range(100), "tensor")
            barrier.wait(60)
            train(recorder, range(100, 200), "tensor")
            recorder.close()

        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            barrier = context.Barrier(3)
            processes = [context.Process(target=record, args=(sys.argv[1], barrier)) for _ in range(2)]
            for process in processes:
                process.start()
            record(sys.argv[1], barrier)
            for process in processes:
                process.join()
            print([process.exitcode for process in processes])
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    assert ended.stdout == "[0, 0]\n"
    assert ended.stderr == ""
    sessions = read_sessions(tmp_path / "run", read_events)
    assert [[event.step for event in events] for events in sessions] == [list(range(200))] * 3


# Threads.


def run_threads(*targets: Callable[[], None]) -> None:
    """Run each target in a thread and wait until all have returned."""
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SLOW_SECONDS)
    assert not any(thread.is_alive() for thread in threads)


def test_threads_record_all_plugins_to_rotating_files(tmp_path: Path, read_events: ReadEvents) -> None:
    """Eight threads lose none of their values, and record none of each other's."""
    barrier = threading.Barrier(8)

    def record(number: int) -> None:
        barrier.wait(SLOW_SECONDS)
        for step in range(25):
            add_all_kinds(recorder, step, number)
            assert recorder.record(step)

    with SummaryRecord(tmp_path, max_file_size=30_000, flush_seconds=1e-3) as recorder:
        run_threads(*(functools.partial(record, number) for number in range(8)))

    assert len(event_files(tmp_path)) > 8
    steps: dict[str, list[int]] = defaultdict(list)
    (events,) = read_sessions(tmp_path, read_events)
    for event in events:
        (number,) = {value.tag.partition("/")[2] for value in event.summary.value}
        assert len(event.summary.value) == 5
        steps[number].append(event.step)
    assert steps == {str(number): list(range(25)) for number in range(8)}


def test_several_recorders_in_one_process(tmp_path: Path, read_events: ReadEvents) -> None:
    """Four concurrent recorders in one directory write separate and complete files."""

    def record(number: int) -> None:
        with SummaryRecord(tmp_path, f"run{number}", max_file_size=30_000, flush_seconds=1e-3) as recorder:
            for step in range(25):
                add_all_kinds(recorder, step, number)
                assert recorder.record(step)

    run_threads(*(functools.partial(record, number) for number in range(4)))

    sessions = read_sessions(tmp_path, read_events)
    assert [[event.step for event in events] for events in sessions] == [list(range(25))] * 4
    tags = [{value.tag for event in events for value in event.summary.value} for events in sessions]
    assert sorted(len(session_tags) for session_tags in tags) == [5] * 4
    assert len(set().union(*tags)) == 20


# The process ends.


def test_terminated_process(tmp_path: Path, read_events: ReadEvents) -> None:
    """After SIGTERM at most the events that were not flushed are missing."""
    script = """
        import signal
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e6)
        train(recorder, range(100), "tensor")
        recorder.flush()
        train(recorder, range(100, 200), "tensor")
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    """
    run_training(tmp_path, script, tmp_path / "run", expected=-15)

    assert steps_in(tmp_path / "run", read_events) == list(range(100))


def test_signal_handler_records(tmp_path: Path, read_events: ReadEvents) -> None:
    """A handler that records and flushes may interrupt any call of the training without a deadlock."""
    script = """
        import itertools, signal
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e-3)
        handled = itertools.count()

        def handle(*_):
            recorder.add_value("scalar", "handled", float(next(handled)))
            recorder.record(1)
            recorder.flush()

        signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        for step in itertools.count():
            recorder.add_value("scalar", "trained", float(step))
            recorder.add_value("tensor", "trained", np.ones(10))
            recorder.record(0)
            if step % 10 == 0:
                recorder.flush()
            if next(handled) >= 600:
                break
        signal.setitimer(signal.ITIMER_REAL, 0)
        recorder.close()
        print(step + 1)
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    (events,) = read_sessions(tmp_path / "run", read_events)
    trained = [
        v.scalar_value for e in events for v in e.summary.value if v.tag == "trained" and not v.HasField("tensor")
    ]
    assert trained == list(range(int(ended.stdout)))


def test_recording_at_exit(tmp_path: Path, read_events: ReadEvents) -> None:
    """Exit handlers, finalizers and daemon threads may record, flush and close; values added too late are reported."""
    script = """
        import atexit

        def use():
            train(recorder, [next(steps)])
            recorder.flush()

        class Model:
            def __del__(self):
                use()
                if self in closing:
                    recorder.close()
                use()
            def __eq__(self, other):
                return self is other
            __hash__ = None

        steps = iter(range(10**9))
        closing = []
        atexit.register(use)
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e6)
        atexit.register(use)
        use()
        model = Model()
        model.itself = model
        del model
        gc.collect()
        model = Model()
        def forever():
            while True:
                recorder.add_value("scalar", "other", 0.0)
                recorder.record(0)
                time.sleep(0.001)
        threading.Thread(target=forever, daemon=True).start()
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    (events,) = read_sessions(tmp_path / "run", read_events)
    steps = [event.step for event in events if event.summary.value[0].tag == "loss"]
    assert steps == [0, 1, 2, 3]
    assert ended.stderr.count("dropped values: the recorder is closed") == 1
    assert all("closed" in line or lost_in(line) for line in ended.stderr.splitlines())


def test_recorder_closed_by_a_finalizer(tmp_path: Path, read_events: ReadEvents) -> None:
    """Nothing is lost if the finalizer of an object in a cycle closes the recorder, in whatever thread it runs."""
    script = """
        import gc, time

        class Training:
            def __init__(self, number):
                self.recorder = SummaryRecord(f"{sys.argv[1]}/{number}", flush_seconds=1e6)
                self.itself = self
                train(self.recorder, range(20))

            def __del__(self):
                self.recorder.close()
                self.recorder.close()

        for number in range(20):
            Training(number)
        # A collection does nothing while another one, in a recorder's thread, waits for a recorder to close.
        while gc.collect() >= 0 and "toposcope-writer" in [thread.name for thread in threading.enumerate()]:
            time.sleep(1e-3)
        print("closed")
    """
    ended = run_training(tmp_path, script, tmp_path)

    assert ended.stdout == "closed\n"
    assert [steps_in(tmp_path / str(number), read_events) for number in range(20)] == [list(range(20))] * 20


def test_recorder_created_while_objects_are_collected(tmp_path: Path) -> None:
    """A garbage collection may start threads, and wait for them, at any time while a recorder is created."""
    script = """
        def start_thread(*_):
            if sys._getframe(1).f_globals["__name__"] == "threading":
                return  # It may hold the lock that every thread needs to start.
            if not starting.acquire(blocking=False):
                return  # The thread that is started causes collections too.
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()
            starting.release()

        starting = threading.Lock()
        gc.callbacks.append(start_thread)
        for number in range(1, 30):
            gc.set_threshold(number)  # So that collections are at other places each time.
            SummaryRecord(f"{sys.argv[1]}/{number}").close()
        gc.callbacks.clear()
        print("closed")
    """
    assert run_training(tmp_path, script, tmp_path / "run").stdout == "closed\n"


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_child_of_multiprocessing_that_does_not_close(tmp_path: Path, read_events: ReadEvents, method: str) -> None:
    """The recorder is closed at the end of such a child, although atexit handlers are not called there."""
    script = """
        import multiprocessing

        def work(directory):
            global recorder
            recorder = SummaryRecord(directory, flush_seconds=1e6)
            train(recorder, range(100))

        if __name__ == "__main__":
            child = multiprocessing.get_context(sys.argv[2]).Process(target=work, args=(sys.argv[1],))
            child.start()
            child.join()
            print(child.exitcode)
    """
    ended = run_training(tmp_path, script, tmp_path / "run", method)

    assert ended.stdout == "0\n"
    assert steps_in(tmp_path / "run", read_events) == list(range(100))
