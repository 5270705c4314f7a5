"""SummaryRecord, as a training loop uses it."""

import gc
import logging
import math
import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import SummaryRecord


def scalars(events: list[Event]) -> list[tuple[int, str, float]]:
    """Return step, tag and float32 of all values, in order."""
    return [(event.step, value.tag, value.scalar_value) for event in events for value in event.summary.value]


def run_python(script: str, *arguments: object) -> str:
    """Run script in a process of its own, warnings as errors, and return what it prints."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout


def test_values_are_recorded_in_order(tmp_path: Path, read_events) -> None:
    """A record() is one event with the values added since the last, in the order of adding."""
    with SummaryRecord(tmp_path / "runs" / "first") as recorder:
        for step in (1, 2):
            recorder.add_value("scalar", "loss", step / 2)
            recorder.add_value("scalar", "accuracy", np.float32(step))
            assert recorder.record(step) is True

    _, *events = read_events(recorder.log_dir)
    assert [event.step for event in events] == [1, 2]
    assert scalars(events) == [(1, "loss", 0.5), (1, "accuracy", 1.0), (2, "loss", 1.0), (2, "accuracy", 2.0)]


def test_file_begins_with_the_version_event(tmp_path: Path, read_events) -> None:
    """The first event says the version and the session; sessions differ."""
    heads = []
    for starts_attempt in (False, True):
        with SummaryRecord(tmp_path, starts_attempt=starts_attempt) as recorder:
            pass
        heads += read_events(recorder.log_dir)

    assert [head.version for head in heads] == ["MindSpore.Event:1"] * 2
    assert [(head.rotation, head.HasField("rotation")) for head in heads] == [(0, True)] * 2
    assert [head.HasField("starts_attempt") for head in heads] == [False, True]
    assert {len(head.session_id) for head in heads} == {16}
    assert heads[0].session_id != heads[1].session_id


def test_file_is_named_by_prefix_rank_and_suffix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """log_dir is the path of the file, whose name has the chosen ends and the launcher's rank."""
    monkeypatch.setenv("RANK", "5")
    with SummaryRecord(str(tmp_path), "xx_", "_yy") as recorder:
        directory, name = os.path.split(recorder.log_dir)

    assert directory == str(tmp_path)
    assert name.startswith("xx_.out.events.summary.")
    assert name.endswith("_yy")
    assert name.split(".")[5] == "5"


def test_scalar_keeps_its_double(tmp_path: Path, read_events) -> None:
    """What float32 cannot hold is in scalar_double; NaN and infinities survive."""
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
    tmp_path: Path, read_events, caplog: pytest.LogCaptureFixture
) -> None:
    """A tag added twice is written once, with its newest value; the log says so once a tag."""
    with SummaryRecord(tmp_path) as recorder:
        for step in (1, 2):
            for number in (1.0, np.float32(2.0), 3.0):
                recorder.add_value("scalar", "loss", number)
            recorder.record(step)

    assert scalars(read_events(recorder.log_dir)) == [(1, "loss", 3.0), (2, "loss", 3.0)]
    assert caplog.text.count("added twice") == 1


def test_integer_that_no_double_holds_is_warned_of_once(
    tmp_path: Path, read_events, caplog: pytest.LogCaptureFixture
) -> None:
    """The nearest double is recorded."""
    with SummaryRecord(tmp_path) as recorder:
        for step in (1, 2):
            recorder.add_value("scalar", "tokens", 2**53 + 1)
            recorder.record(step)

    assert [value.scalar_value for value in read_events(recorder.log_dir)[1].summary.value] == [2.0**53]
    assert caplog.text.count("rounded to the nearest double") == 1


def test_value_that_cannot_be_read_is_skipped_with_one_warning(
    tmp_path: Path, read_events, caplog: pytest.LogCaptureFixture
) -> None:
    """A tensor whose device fails stops neither the training nor the recording of other values; record() says False."""

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


def test_value_that_cannot_be_read_raises_when_asked_to(tmp_path: Path) -> None:
    """With raise_exception add_value() raises what the value raised."""

    class Broken:
        def __array__(self, *_: object, **__: object) -> None:
            raise RuntimeError("device is lost")

    recorder = SummaryRecord(tmp_path, raise_exception=True)
    with recorder, pytest.raises(RuntimeError, match="device is lost"):
        recorder.add_value("tensor", "broken", Broken())


def test_step_is_any_integer(tmp_path: Path, read_events) -> None:
    """NumPy's integers are steps, negative ones too."""
    with SummaryRecord(tmp_path) as recorder:
        for step in (-(2**63), np.int32(-1), 2**63 - 1):
            recorder.add_value("scalar", "loss", 0.0)
            recorder.record(step)

    assert [event.step for event in read_events(recorder.log_dir)[1:]] == [-(2**63), -1, 2**63 - 1]


def test_wall_time_is_when_the_values_were_recorded(tmp_path: Path, read_events) -> None:
    """Not when they were added, not when they were written."""
    with SummaryRecord(tmp_path, flush_seconds=1e6) as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        before = time.time()
        recorder.record(1)
        after = time.time()

    assert before <= read_events(recorder.log_dir)[1].wall_time <= after


def test_record_without_values_writes_nothing(tmp_path: Path, read_events) -> None:
    """There is no empty event."""
    with SummaryRecord(tmp_path) as recorder:
        assert recorder.record(1) is True

    assert len(read_events(recorder.log_dir)) == 1


def test_filter_drops_values_of_a_plugin(tmp_path: Path, read_events) -> None:
    """Filtered values are gone; they are not recorded by the next call."""
    asked = []
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "dropped", 1.0)
        assert recorder.record(1, plugin_filter=lambda plugin: asked.append(plugin) is not None)
        recorder.add_value("scalar", "kept", 1.0)
        recorder.record(2, None, lambda plugin: plugin == "scalar")

    assert asked == ["scalar"]
    assert scalars(read_events(recorder.log_dir)) == [(2, "kept", 1.0)]


def test_values_wait_when_a_step_is_refused(tmp_path: Path, read_events) -> None:
    """A wrong step raises and loses nothing."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        with pytest.raises(TypeError, match="step"):
            recorder.record("1")
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
        ({"starts_attempt": None}, TypeError),
    ],
)
def test_wrong_arguments_leave_nothing_behind(tmp_path: Path, arguments: dict, error: type[Exception]) -> None:
    """A constructor that raises names the parameter and creates no file."""
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
def test_wrong_values_raise_at_the_call(
    tmp_path: Path, plugin: object, name: object, value: object, error: type[Exception]
) -> None:
    """A programming error shows where it was made."""
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
def test_wrong_arguments_of_record(tmp_path: Path, arguments: dict, error: type[Exception]) -> None:
    """record() names the argument that is wrong."""
    with SummaryRecord(tmp_path) as recorder, pytest.raises(error, match=next(iter(arguments))):
        recorder.record(**{"step": 1, **arguments})


def test_modes(tmp_path: Path) -> None:
    """There are two modes."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.set_mode("train")
        recorder.set_mode("eval")
        with pytest.raises(ValueError, match="'test'"):
            recorder.set_mode("test")


def test_unwritable_directory_is_an_error_at_the_start(tmp_path: Path) -> None:
    """A directory in which no file can be created shows before the training begins."""
    with pytest.raises(OSError, match="summary"):
        SummaryRecord(Path("/proc/self"))


def test_flushed_values_are_seen_by_another_process(tmp_path: Path) -> None:
    """After flush() any process finds everything in the file, while the recorder stays open."""
    with SummaryRecord(tmp_path, flush_seconds=1e6) as recorder:
        recorder.add_value("scalar", "loss", 0.1)
        recorder.record(1)
        recorder.flush()

        seen = run_python("import sys; print(open(sys.argv[1], 'rb').read().hex())", recorder.log_dir)

        assert b"loss".hex() in seen


def test_closing_twice_is_harmless(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A closed recorder records nothing, says so once, and cannot be entered."""
    recorder = SummaryRecord(tmp_path)
    recorder.close()
    recorder.close()
    recorder.flush()

    for step in (1, 2):
        recorder.add_value("scalar", "loss", 1.0)
        assert recorder.record(step) is False
    with pytest.raises(ValueError, match="closed"):
        recorder.__enter__()
    assert caplog.text.count("closed") == 1


def test_each_thread_records_its_own_values(tmp_path: Path, read_events) -> None:
    """Threads that share a recorder do not take each other's values, and lose none."""
    with SummaryRecord(tmp_path) as recorder:
        everyone = threading.Barrier(8)

        def train(number: int) -> None:
            everyone.wait()
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
        own = [event for event in events if event.summary.value[0].tag == f"loss/{number}"]
        assert [event.step for event in own] == list(range(200))
        assert {tuple(value.tag for value in event.summary.value) for event in own} == {
            (f"loss/{number}", f"rate/{number}")
        }


def test_recorders_of_one_second_have_files_of_their_own(tmp_path: Path, read_events) -> None:
    """Two recorders in one directory at the same time do not touch each other's file."""
    with SummaryRecord(tmp_path) as first, SummaryRecord(tmp_path) as second:
        for recorder, number in ((first, 1.0), (second, 2.0)):
            recorder.add_value("scalar", "loss", number)
            recorder.record(1)

    assert first.log_dir < second.log_dir
    assert scalars(read_events(first.log_dir)) == [(1, "loss", 1.0)]
    assert scalars(read_events(second.log_dir)) == [(1, "loss", 2.0)]


def test_dropped_recorder_writes_what_it_has(tmp_path: Path, read_events) -> None:
    """A recorder that nobody refers to any more is closed, and its thread ends."""
    recorder = SummaryRecord(tmp_path, flush_seconds=1e6)
    recorder.add_value("scalar", "loss", 1.0)
    recorder.record(1)
    path = recorder.log_dir
    del recorder
    gc.collect()

    assert scalars(read_events(path)) == [(1, "loss", 1.0)]
    assert "toposcope-writer" not in [thread.name for thread in threading.enumerate()]


def test_process_that_does_not_close_loses_nothing(tmp_path: Path, read_events) -> None:
    """The end of the process closes the recorder, also when an exception ends it."""
    script = """
        import sys
        from toposcope.recorder import SummaryRecord
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e6)
        recorder.add_value("scalar", "loss", 1.0)
        recorder.record(7)
        sys.exit("the training failed" if len(sys.argv) > 2 else None)
    """
    run_python(script, tmp_path / "well")
    with pytest.raises(subprocess.CalledProcessError):
        run_python(script, tmp_path / "badly", "fail")

    for run in tmp_path.iterdir():
        (file,) = run.iterdir()
        assert scalars(read_events(file)) == [(7, "loss", 1.0)]


def test_next_record_raises_the_fault(tmp_path: Path) -> None:
    """With raise_exception a fault that happened in the background is raised by record()."""
    script = """
        import logging, os, resource, sys
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
        recorder.close()
        print(step, recorder.record(1))
    """
    raised, rest = run_python(script, tmp_path).splitlines()

    assert raised == "raised"
    assert rest.endswith("False")


def test_import_is_light() -> None:
    """A training process does not load the server, plotting or any framework with the recorder."""
    script = """
        import sys
        import toposcope.recorder
        heavy = {"fastapi", "uvicorn", "plotly", "torch", "tensorboard", "tensorboardX", "toposcope.server"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert run_python(script) == "[]\n"


def test_no_signal_handler_is_installed(tmp_path: Path) -> None:
    """Signals are the training's affair."""
    script = """
        import signal, sys
        before = [signal.getsignal(number) for number in signal.valid_signals()]
        from toposcope.recorder import SummaryRecord
        SummaryRecord(sys.argv[1]).close()
        print(before == [signal.getsignal(number) for number in signal.valid_signals()])
    """
    assert run_python(script, tmp_path) == "True\n"


def test_log_lines_name_the_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With several recorders in a process a reader of the log knows which one speaks."""
    with SummaryRecord(tmp_path) as recorder, caplog.at_level(logging.WARNING):
        for _ in range(2):
            recorder.add_value("scalar", "loss", 1.0)

    assert recorder.log_dir in caplog.text
