"""SummaryRecord in training loops."""

import copy
import gc
import logging
import math
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.written_events import ReadEvents

from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import SummaryRecord


def scalars(events: list[Event]) -> list[tuple[int, str, float]]:
    """Return step, tag and float32 of all values, in order."""
    return [(event.step, value.tag, value.scalar_value) for event in events for value in event.summary.value]


def run_python(script: str, *arguments: object) -> str:
    """Run script in a separate process, with warnings as errors, and return its output."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout


def test_values_are_recorded_in_order(tmp_path: Path, read_events: ReadEvents) -> None:
    """Each record() writes one event with the values added since the last one, in order."""
    with SummaryRecord(tmp_path / "runs" / "first") as recorder:
        for step in (1, 2):
            recorder.add_value("scalar", "loss", step / 2)
            recorder.add_value("scalar", "accuracy", np.float32(step))
            assert recorder.record(step) is True

    _, *events = read_events(recorder.log_dir)
    assert [event.step for event in events] == [1, 2]
    assert scalars(events) == [(1, "loss", 0.5), (1, "accuracy", 1.0), (2, "loss", 1.0), (2, "accuracy", 2.0)]


def test_file_starts_with_the_version_event(tmp_path: Path, read_events: ReadEvents) -> None:
    """The first event contains the version and a session id, which differs between sessions."""
    heads = []
    resumes = (False, True, 0, 41)
    for resume in resumes:
        with SummaryRecord(tmp_path, resume=resume) as recorder:
            pass
        heads += read_events(recorder.log_dir)

    assert [head.version for head in heads] == ["MindSpore.Event:1"] * 4
    assert [(head.rotation, head.HasField("rotation")) for head in heads] == [(0, True)] * 4
    assert [head.HasField("starts_attempt") for head in heads] == [resume is True for resume in resumes]
    assert [head.resume_step if head.HasField("resume_step") else None for head in heads] == [None, None, 0, 41]
    assert {len(head.session_id) for head in heads} == {16}
    assert heads[0].session_id != heads[1].session_id


def test_file_name_contains_prefix_rank_and_suffix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name has the given prefix and suffix, and the rank set by the launcher; log_dir is the path of the file."""
    monkeypatch.setenv("RANK", "5")
    with SummaryRecord(str(tmp_path), "xx_", "_yy") as recorder:
        directory, name = os.path.split(recorder.log_dir)

    assert directory == str(tmp_path)
    assert name.startswith("xx_.out.events.summary.")
    assert name.endswith("_yy")
    assert name.split(".")[5] == "5"


def test_scalars_are_stored_exactly(tmp_path: Path, read_events: ReadEvents) -> None:
    """scalar_double is present if float32 is not exact; NaN and infinities are preserved."""
    numbers = {"tenth": 0.1, "half": 0.5, "large": 1e300, "nan": math.nan, "inf": -math.inf, "int": 2**24 + 1}
    with SummaryRecord(tmp_path) as recorder:
        for tag, number in numbers.items():
            recorder.add_value("scalar", tag, number)
        recorder.record(1)

    values = {value.tag: value for value in read_events(recorder.log_dir)[1].summary.value}
    doubles = {tag: value.scalar_double for tag, value in values.items() if value.HasField("scalar_double")}
    assert doubles == {"tenth": 0.1, "large": 1e300, "int": 2**24 + 1}
    assert math.isnan(values["nan"].scalar_value)
    assert (values["inf"].scalar_value, values["large"].scalar_value) == (-math.inf, math.inf)


def test_newest_of_duplicates_is_recorded_with_one_warning(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """A tag added twice is written once, with its newest value, and logged once."""
    with SummaryRecord(tmp_path) as recorder:
        for step in (1, 2):
            for number in (1.0, np.float32(2.0), 3.0):
                recorder.add_value("scalar", "loss", number)
            recorder.record(step)

    assert scalars(read_events(recorder.log_dir)) == [(1, "loss", 3.0), (2, "loss", 3.0)]
    assert caplog.text.count("added twice") == 1


def test_rounded_integer_is_logged_once(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """An integer that no double represents is recorded as the nearest double."""
    with SummaryRecord(tmp_path) as recorder:
        for step in (1, 2):
            recorder.add_value("scalar", "tokens", 2**53 + 1)
            recorder.record(step)

    assert [value.scalar_value for value in read_events(recorder.log_dir)[1].summary.value] == [2.0**53]
    assert caplog.text.count("rounded to the nearest double") == 1


def test_value_that_cannot_be_read_is_skipped_with_one_warning(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """A tensor whose device fails does not affect the training or other values; record() returns False."""

    class Broken:
        shape = ()

        def item(self) -> float:
            raise RuntimeError("device is lost")

    with SummaryRecord(tmp_path) as recorder:
        for step in (1, 2):
            recorder.add_value("scalar", "broken", Broken())
            recorder.add_value("scalar", "loss", 1.0)
            assert recorder.record(step) is False
        recorder.add_value("scalar", "loss", 1.0)
        assert recorder.record(3)

    assert scalars(read_events(recorder.log_dir)) == [(step, "loss", 1.0) for step in (1, 2, 3)]
    assert caplog.text.count("device is lost") == 1


def test_value_that_cannot_be_read_raises_with_raise_exception(tmp_path: Path) -> None:
    """With raise_exception add_value() raises the error of the value."""

    class Broken:
        def __array__(self, *_: object, **__: object) -> None:
            raise RuntimeError("device is lost")

    recorder = SummaryRecord(tmp_path, raise_exception=True)
    with recorder, pytest.raises(RuntimeError, match="device is lost"):
        recorder.add_value("tensor", "broken", Broken())


def test_step_may_be_any_integer(tmp_path: Path, read_events: ReadEvents) -> None:
    """Steps may be negative, and integers of NumPy."""
    with SummaryRecord(tmp_path) as recorder:
        for step in (-(2**63), np.int32(-1), 2**63 - 1):
            recorder.add_value("scalar", "loss", 0.0)
            recorder.record(step)

    assert [event.step for event in read_events(recorder.log_dir)[1:]] == [-(2**63), -1, 2**63 - 1]


def test_wall_time_is_the_time_of_the_record_call(tmp_path: Path, read_events: ReadEvents) -> None:
    """It is not the time of add_value() or of the write."""
    with SummaryRecord(tmp_path, flush_seconds=1e6) as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        before = time.time()
        recorder.record(1)
        after = time.time()

    assert before <= read_events(recorder.log_dir)[1].wall_time <= after


def test_record_without_values_writes_nothing(tmp_path: Path, read_events: ReadEvents) -> None:
    """No empty event is written."""
    with SummaryRecord(tmp_path) as recorder:
        assert recorder.record(1) is True

    assert len(read_events(recorder.log_dir)) == 1


def test_filter_drops_values_of_a_plugin(tmp_path: Path, read_events: ReadEvents) -> None:
    """Filtered values are dropped, not recorded by the next call."""
    plugins: list[str] = []

    def drop(plugin: str) -> bool:
        plugins.append(plugin)
        return False

    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "dropped", 1.0)
        assert recorder.record(1, plugin_filter=drop)
        recorder.add_value("scalar", "kept", 1.0)
        recorder.record(2, None, lambda plugin: plugin == "scalar")

    assert plugins == ["scalar"]
    assert scalars(read_events(recorder.log_dir)) == [(2, "kept", 1.0)]


def test_invalid_step_loses_no_values(tmp_path: Path, read_events: ReadEvents) -> None:
    """The values are recorded by the next call with a valid step."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        with pytest.raises(TypeError, match="step"):
            recorder.record("1")  # type: ignore[arg-type]
        recorder.record(1)

    assert scalars(read_events(recorder.log_dir)) == [(1, "loss", 1.0)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"log_dir": 1}, TypeError),
        ({"log_dir": " "}, ValueError),
        ({"file_prefix": None}, TypeError),
        ({"file_suffix": "-"}, ValueError),
        ({"network": object()}, TypeError),
        ({"max_file_size": 0}, ValueError),
        ({"export_options": {"format": "npy"}}, ValueError),
        ({"raise_exception": 1}, TypeError),
        ({"flush_seconds": 0}, ValueError),
        ({"resume": None}, TypeError),
        ({"resume": 1.0}, TypeError),
        ({"resume": -1}, ValueError),
    ],
)
def test_invalid_arguments_create_no_file(tmp_path: Path, arguments: dict[str, Any], error: type[Exception]) -> None:
    """The message of the constructor names the parameter, and no file is created."""
    with pytest.raises(error, match=next(iter(arguments))):
        SummaryRecord(**{"log_dir": tmp_path / "run", **arguments})

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("plugin", "name", "value", "error"),
    [
        ("Scalar", "x", 1.0, ValueError),
        (None, "x", 1.0, ValueError),
        ("scalar", "", 1.0, TypeError),
        ("scalar", 3, 1.0, TypeError),
        ("scalar", "x", "1", TypeError),
        ("scalar", "x", None, TypeError),
        ("scalar", "x", np.zeros(3), ValueError),
        ("scalar", "x", 10**400, ValueError),
    ],
)
def test_invalid_values_are_rejected_by_add_value(
    tmp_path: Path, plugin: Any, name: Any, value: object, error: type[Exception]
) -> None:
    """Programming errors are raised immediately, not when the value is written."""
    with SummaryRecord(tmp_path) as recorder, pytest.raises(error):
        recorder.add_value(plugin, name, value)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"step": True}, TypeError),
        ({"step": 2**63}, ValueError),
        ({"train_network": 1}, TypeError),
        ({"plugin_filter": "scalar"}, TypeError),
    ],
)
def test_invalid_arguments_of_record(tmp_path: Path, arguments: dict[str, Any], error: type[Exception]) -> None:
    """The message of record() names the argument."""
    with SummaryRecord(tmp_path) as recorder, pytest.raises(error, match=next(iter(arguments))):
        recorder.record(**{"step": 1, **arguments})


def test_modes(tmp_path: Path) -> None:
    """Other modes than "train" and "eval" are rejected."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.set_mode("train")
        recorder.set_mode("eval")
        with pytest.raises(ValueError, match="'test'"):
            recorder.set_mode("test")


def test_unwritable_directory_is_an_error_of_the_constructor(tmp_path: Path) -> None:
    """If no file can be created, the constructor raises an OSError."""
    with pytest.raises(OSError, match="summary"):
        SummaryRecord(Path("/proc/self"))


def test_flushed_values_are_visible_to_other_processes(tmp_path: Path) -> None:
    """After flush() any process can read the values, while the recorder is still open."""
    with SummaryRecord(tmp_path, flush_seconds=1e6) as recorder:
        recorder.add_value("scalar", "loss", 0.1)
        recorder.record(1)
        recorder.flush()

        content = run_python("import sys; print(open(sys.argv[1], 'rb').read().hex())", recorder.log_dir)

        assert b"loss".hex() in content


def test_closed_recorder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A closed recorder records nothing, logs that once, cannot be entered, and may be closed again."""
    recorder = SummaryRecord(tmp_path)
    recorder.close()
    recorder.close()
    recorder.flush()

    for step in (1, 2):
        recorder.add_value("scalar", "loss", 1.0)
        assert recorder.record(step) is False
    with pytest.raises(ValueError, match="closed"):
        recorder.__enter__()
    assert caplog.text.count("the recorder is closed") == 1


def test_each_thread_records_its_own_values(tmp_path: Path, read_events: ReadEvents) -> None:
    """Threads that share a recorder record only their own values, and none is lost."""
    with SummaryRecord(tmp_path) as recorder:
        barrier = threading.Barrier(8)

        def train(number: int) -> None:
            barrier.wait()
            for step in range(200):
                recorder.add_value("scalar", f"loss/{number}", float(step))
                recorder.add_value("scalar", f"rate/{number}", 0.5)
                recorder.record(step)

        threads = [threading.Thread(target=train, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    events = read_events(recorder.log_dir)[1:]
    for number in range(8):
        of_thread = [event for event in events if event.summary.value[0].tag == f"loss/{number}"]
        assert [event.step for event in of_thread] == list(range(200))
        assert {tuple(value.tag for value in event.summary.value) for event in of_thread} == {
            (f"loss/{number}", f"rate/{number}")
        }


def test_recorders_created_in_the_same_second_write_separate_files(tmp_path: Path, read_events: ReadEvents) -> None:
    """Two recorders in one directory do not write to each other's file."""
    with SummaryRecord(tmp_path) as first, SummaryRecord(tmp_path) as second:
        for recorder, number in ((first, 1.0), (second, 2.0)):
            recorder.add_value("scalar", "loss", number)
            recorder.record(1)

    assert first.log_dir < second.log_dir
    assert scalars(read_events(first.log_dir)) == [(1, "loss", 1.0)]
    assert scalars(read_events(second.log_dir)) == [(1, "loss", 2.0)]


def test_deleted_recorder_is_closed(tmp_path: Path, read_events: ReadEvents) -> None:
    """A recorder without references writes its values, and its thread ends."""
    recorder = SummaryRecord(tmp_path, flush_seconds=1e6)
    recorder.add_value("scalar", "loss", 1.0)
    recorder.record(1)
    path = recorder.log_dir
    del recorder
    gc.collect()

    assert scalars(read_events(path)) == [(1, "loss", 1.0)]
    assert "toposcope-writer" not in [thread.name for thread in threading.enumerate()]


def test_recorder_is_closed_at_exit(tmp_path: Path, read_events: ReadEvents) -> None:
    """The recorder is closed at the end of the process, also after an exception."""
    script = """
        import sys
        from toposcope.recorder import SummaryRecord
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e6)
        recorder.add_value("scalar", "loss", 1.0)
        recorder.record(7)
        sys.exit("the training failed" if len(sys.argv) > 2 else None)
    """
    run_python(script, tmp_path / "success")
    with pytest.raises(subprocess.CalledProcessError):
        run_python(script, tmp_path / "failure", "fail")

    for run in tmp_path.iterdir():
        (file,) = run.iterdir()
        assert scalars(read_events(file)) == [(7, "loss", 1.0)]


def test_next_record_raises_the_fault(tmp_path: Path) -> None:
    """With raise_exception record() raises the error of a failed write in the background."""
    script = """
        import contextlib, logging, os, resource, sys
        logging.disable()
        from toposcope.recorder import SummaryRecord
        recorder = SummaryRecord(sys.argv[1], raise_exception=True, flush_seconds=1e-3)
        recorder.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
        try:
            for step in range(10**9):
                recorder.add_value("scalar", "loss", 0.1)
                recorder.record(step)
        except OSError as error:
            print("raised")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        with contextlib.suppress(OSError):  # A value that was recorded before the error may be lost.
            recorder.close()
        print(step, recorder.record(1))
    """
    raised, rest = run_python(script, tmp_path).splitlines()

    assert raised == "raised"
    assert rest.endswith("False")


def test_import_loads_no_heavy_packages() -> None:
    """Importing the recorder does not import the server, plotting or any framework."""
    script = """
        import sys
        import toposcope.recorder
        heavy = {"fastapi", "uvicorn", "plotly", "torch", "tensorboard", "tensorboardX", "toposcope.server"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert run_python(script) == "[]\n"


def test_no_signal_handler_is_installed(tmp_path: Path) -> None:
    """Signal handlers belong to the training."""
    script = """
        import signal, sys
        before = [signal.getsignal(number) for number in signal.valid_signals()]
        from toposcope.recorder import SummaryRecord
        SummaryRecord(sys.argv[1]).close()
        print(before == [signal.getsignal(number) for number in signal.valid_signals()])
    """
    assert run_python(script, tmp_path) == "True\n"


def test_log_messages_contain_the_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """If a process has several recorders, the log identifies them by their files."""
    with SummaryRecord(tmp_path) as recorder, caplog.at_level(logging.WARNING):
        for _ in range(2):
            recorder.add_value("scalar", "loss", 1.0)

    assert recorder.log_dir in caplog.text


def test_values_that_were_never_recorded_are_named_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Of all threads, when the recorder is closed or dropped; not if an error ended the step."""
    recorder = SummaryRecord(tmp_path / "closed")
    recorder.add_value("scalar", "recorded", 1.0)
    recorder.record(1)
    recorder.add_value("scalar", "loss", 1.0)
    thread = threading.Thread(target=lambda: recorder.add_value("histogram", "weights", [1.0, 2.0]))
    thread.start()
    thread.join()
    recorder.close()
    recorder.close()
    dropped = SummaryRecord(tmp_path / "dropped")
    dropped.add_value("text", "note", "lost")
    del dropped
    failed = SummaryRecord(tmp_path / "failed")
    failed.add_value("scalar", "loss", 1.0)
    failed.__exit__(ValueError, ValueError("bad"), None)

    messages = [record.getMessage() for record in caplog.records if "never recorded" in record.getMessage()]
    assert [message.partition("recorded: ")[2].partition(".")[0] for message in messages] == [
        "'loss', 'weights'",
        "'note'",
    ]


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy, copy.copy])
def test_a_copy_is_refused_with_what_to_do(tmp_path: Path, copied: Any) -> None:
    """Files belong to one process."""
    with SummaryRecord(tmp_path) as recorder, pytest.raises(TypeError, match="create one in each process"):
        copied({"recorder": recorder} if copied is not copy.copy else recorder)


def test_forked_processes_say_once_that_they_record_nothing(tmp_path: Path) -> None:
    """Not each worker in each epoch."""
    script = """
        import logging, os, sys
        from toposcope.recorder import SummaryRecord
        logging.basicConfig(stream=sys.stdout)
        recorder = SummaryRecord(sys.argv[1])
        for _ in range(3):
            if os.fork() == 0:
                recorder.add_value("scalar", "loss", 1.0)
                recorder.record(1)
                sys.stdout.flush()
                os._exit(0)
            os.wait()
    """
    assert run_python(script, tmp_path).count("record() dropped values") == 1
