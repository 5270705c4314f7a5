"""What Python writes to stdout and stderr, in real processes."""

import io
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from support.run_events import lines_in, output_in

from toposcope.proto.summary_pb2 import ConsoleOutput
from toposcope.recorder import SummaryRecord
from toposcope.recorder.collecting.console import allowance
from toposcope.recorder.collecting.console.capture import ConsoleCapture
from toposcope.recorder.collecting.console.pending_output import PendingOutput
from toposcope.recorder.collecting.console.wrapped_write import WrappedWrite

PROGRAM = """
    import os, sys
    from toposcope.recorder import SummaryRecord
    from toposcope.recorder.collecting.console.capture import ConsoleCapture
    recorder = SummaryRecord("run")
"""


def run(directory: Path, script: str) -> "subprocess.CompletedProcess[str]":
    """Run a program with a recorder."""
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM) + textwrap.dedent(script)]
    return subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True, timeout=200)


def test_both_streams_are_captured(tmp_path: Path) -> None:
    """In order, with their streams and times; what is written still arrives, and the streams are restored."""
    process = run(
        tmp_path,
        """
        import logging
        logging.basicConfig(format="%(message)s")
        before = sys.stdout, sys.stderr
        capture = ConsoleCapture(recorder)
        print("one", 2)
        logging.warning("logged")
        sys.stdout.writelines(["three\\n", "four"])
        assert (sys.stdout.isatty(), sys.stdout.fileno(), sys.stdout.encoding) == (False, 1, "utf-8")
        assert (sys.stdout, sys.stderr) == before
        capture.end()
        recorder.close()
        assert "write" not in vars(sys.stdout)
        print("after")
        """,
    )

    (output,) = output_in(tmp_path / "run")
    stdout, stderr = ConsoleOutput.STREAM_STDOUT, ConsoleOutput.STREAM_STDERR
    assert [(line.stream, line.text) for line in output.lines] == [
        (stdout, "one 2"),
        (stderr, "logged"),
        (stdout, "three"),
        (stdout, "four"),
    ]
    assert sorted(line.wall_time for line in output.lines) == [line.wall_time for line in output.lines]
    assert (process.stdout, process.stderr) == ("one 2\nthree\nfourafter\n", "logged\n")


def test_a_flood_is_bounded(tmp_path: Path) -> None:
    """A million lines: all are printed, few are recorded, the last ones among them; the rest is counted."""
    process = run(
        tmp_path,
        """
        import json, resource, time
        def flood():
            start = time.process_time()
            for number in range(1_000_000):
                print(f"line {number}")
            return time.process_time() - start
        capture = ConsoleCapture(recorder)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        captured = flood()
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        capture.end()
        recorder.close()
        print(json.dumps([captured, (after - before) / 1024]), file=sys.stderr)
        """,
    )
    _, growth = json.loads(process.stderr)

    assert process.stdout.count("\n") == 1_000_000
    lines = lines_in(tmp_path / "run")
    assert len(lines) + sum(output.dropped_lines for output in output_in(tmp_path / "run")) == 1_000_000
    assert len(lines) < allowance.LINES + allowance.LAST_LINES + 300 * allowance.LINES_PER_SECOND
    assert lines[-allowance.LAST_LINES :] == [f"line {1_000_000 - allowance.LAST_LINES + i}" for i in range(500)]
    assert growth < 60


def test_a_forked_process_writes_without_being_captured(tmp_path: Path) -> None:
    """Also if another thread of the parent prints while it forks."""
    process = run(
        tmp_path,
        """
        import threading
        capture = ConsoleCapture(recorder)
        ends = threading.Event()
        def work():
            while not ends.is_set():
                print("parent", file=sys.stderr)
        thread = threading.Thread(target=work)
        thread.start()
        for _ in range(20):
            if (child := os.fork()) == 0:
                os.write(1, b"child\\n")
                print("child", end="\\n", flush=True)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        ends.set()
        thread.join()
        capture.end()
        recorder.close()
        """,
    )

    assert process.stdout == "child\n" * 40
    assert set(lines_in(tmp_path / "run")) == {"parent"}


def test_our_own_log_lines_cause_no_others(tmp_path: Path) -> None:
    """While nothing can be written, what the recorder logs is not recorded again and again."""
    process = run(
        tmp_path,
        """
        import shutil, time
        from toposcope.recorder.collecting.console import capture as module
        module._SECONDS = 0.01
        def fail(*arguments):
            raise OSError("no space left")
        capture = ConsoleCapture(recorder)
        recorder.record_apart = fail
        print("one")
        capture._thread.join(60)
        capture.end()
        recorder.close()
        """,
    )

    assert process.stdout == "one\n"
    assert process.stderr.splitlines() == ["The output is no longer recorded: OSError: no space left"]


class Stream(io.StringIO):
    """A stream that counts."""


def test_a_wrapper_that_was_added_later_stays() -> None:
    """It continues to call ours, which passes everything on and sees nothing more."""
    stream, seen, later = Stream(), list[str](), list[str]()
    wrapped = WrappedWrite(stream, seen.append)
    ours = stream.write

    def write(text: str) -> int:
        later.append(text)
        return ours(text)

    stream.write = write  # type: ignore[method-assign]
    stream.write("x")
    wrapped.restore()
    stream.write("y")

    assert vars(stream)["write"] is write
    assert (stream.getvalue(), seen, later) == ("xy", ["x"], ["x", "y"])


def test_a_wrapper_that_was_there_before_is_restored() -> None:
    """As an attribute of the stream."""
    stream, before = Stream(), list[str]()
    outer = WrappedWrite(stream, before.append)
    outer_write = stream.write
    WrappedWrite(stream, list[str]().append).restore()
    assert stream.write is outer_write
    outer.restore()

    assert "write" not in vars(stream)


def test_overlapping_captures_leave_the_stream_as_it_was() -> None:
    """In whichever order they end; none sees what is written after its end."""
    stream, seen = Stream(), [list[str](), list[str](), list[str]()]
    wrappers = [WrappedWrite(stream, each.append) for each in seen]
    for number, text in ((0, "a"), (2, "b"), (1, "c")):
        stream.write(text)
        wrappers[number].restore()
    stream.write("d")

    assert (stream.getvalue(), seen) == ("abcd", [["a"], ["a", "b", "c"], ["a", "b"]])
    assert "write" not in vars(stream)


def test_an_error_of_ours_does_not_reach_print() -> None:
    """An error of the stream does."""

    def fail(text: str) -> None:
        raise RuntimeError(text)

    stream = Stream()
    wrapped = WrappedWrite(stream, fail)
    print("x", file=stream)
    assert stream.getvalue() == "x\n"
    stream.close()
    with pytest.raises(ValueError, match="closed file"):
        print("y", file=stream)
    wrapped.restore()


def test_a_missing_stream_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a console sys.stdout is None; a stream may refuse attributes, which is logged."""

    class Slots:
        __slots__ = ()

        def write(self, text: str) -> int:
            return len(text)

    with SummaryRecord(tmp_path) as recorder:
        monkeypatch.setattr(sys, "stdout", None)
        monkeypatch.setattr(sys, "stderr", Slots())
        capture = ConsoleCapture(recorder)
        print("x", file=sys.stderr)
        capture.end()

    assert lines_in(tmp_path) == []
    assert [record.getMessage()[:40] for record in caplog.records] == ["What is written to stderr is not recorded"[:40]]


def test_a_private_key_of_several_lines_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if its lines are recorded one after the other."""
    stream: Any = Stream()
    monkeypatch.setattr(sys, "stdout", stream)
    with SummaryRecord(tmp_path) as recorder:
        capture = ConsoleCapture(recorder)
        for line in (
            "-----BEGIN PRIVATE KEY-----",
            "MIIEvQIBADANBg",
            "kqhkiG9w0BAQ",
            "-----END PRIVATE KEY-----",
            "after",
        ):
            print(line)
            capture._record(is_last=False)
        capture.end()

    expected = ["-----BEGIN PRIVATE KEY-----", "***", "***", "-----END PRIVATE KEY-----", "after"]
    assert lines_in(tmp_path) == expected


def test_a_very_long_text_is_cut_at_a_line() -> None:
    """Half of a line could contain half of a secret."""
    pending = PendingOutput()
    add = pending.adder(1)
    add("x" * 60_000 + "\n" + "y" * 60_000 + "\nlast")
    add("z" * 200_000)

    assert [write.text[-4:] for write in pending.take()] == ["last", ""]
    assert pending.take_dropped_lines() == 2


def test_a_line_is_dropped_with_its_line_break() -> None:
    """print() writes the line break separately; alone it would be an empty line."""
    pending = PendingOutput()
    add = pending.adder(1)
    for number in range(8_000):
        add(f"line {number}")
        add("\n")
    writes = [write.text for write in pending.take()]
    assert writes[0].startswith("line ")
    assert pending.take_dropped_lines() == 8_000 - len(writes) // 2
