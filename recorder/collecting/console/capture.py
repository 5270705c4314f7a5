"""ConsoleCapture: records what Python writes to stdout and stderr."""

import sys
import threading
from collections.abc import Callable
from typing import Any

from toposcope.proto.summary_pb2 import ConsoleOutput
from toposcope.proto.wire import text_bytes
from toposcope.recorder import log
from toposcope.recorder.collecting.console.allowance import Allowance
from toposcope.recorder.collecting.console.pending_output import PendingOutput
from toposcope.recorder.collecting.console.screen import Line, Screen
from toposcope.recorder.collecting.console.wrapped_write import WrappedWrite
from toposcope.recorder.ends.fork import make_inert_in_children
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.secrets.hiding import hide_secrets

_SECONDS = 1.0
_END_SECONDS = 5.0
_MAX_LINE = 4_000
_STREAMS: dict[str, int] = {"stdout": ConsoleOutput.STREAM_STDOUT, "stderr": ConsoleOutput.STREAM_STDERR}
_PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----"


class ConsoleCapture:
    """Sees the texts that are written to sys.stdout and sys.stderr, and records them as lines from its own thread.

    Of a line that is rewritten, as by a progress bar, the last state is recorded. While more is written than Allowance
    permits, the oldest lines are left out and counted. What other programs or libraries in C write is not seen.

    A write costs the writing thread less than a microsecond more, and waits for nothing.
    """

    def __init__(self, recorder: SummaryRecord) -> None:
        """Start capturing; a stream whose attributes cannot be set is left out, with one log line."""
        self._recorder = recorder
        self._pending = PendingOutput()
        self._screens: dict[int, Screen] = {stream: Screen() for stream in _STREAMS.values()}
        self._allowance = Allowance()
        self._dropped_lines = 0
        self._is_in_private_key = False
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toposcope-console", daemon=True)
        self._thread.start()
        self._wrapped = [
            wrapped
            for name, stream in _STREAMS.items()
            if (wrapped := _wrapped(name, getattr(sys, name), self._pending.adder(stream))) is not None
        ]
        make_inert_in_children(self)

    def end(self) -> None:
        """Restore the streams and record the rest."""
        self._pending.is_open = False
        for wrapped in self._wrapped:
            wrapped.restore()
        self._ends.set()
        self._thread.join(_END_SECONDS)

    def become_inert(self) -> None:
        """Stop capturing, after a fork."""
        self._pending.become_inert()

    def _run(self) -> None:
        self._pending.ignored_thread = threading.get_ident()  # Its log lines would be recorded, and cause others.
        try:
            while not self._ends.wait(_SECONDS):
                self._record(is_last=False)
            self._record(is_last=True)
        except Exception as error:
            self._pending.is_open = False
            log.warn("The output is no longer recorded: %s: %s", type(error).__name__, error)

    def _record(self, is_last: bool) -> None:
        """Record what was written since the last call."""
        for write in self._pending.take():
            self._screens[write.stream].write(write.wall_time, write.text)
        self._dropped_lines += self._pending.take_dropped_lines()
        lines = [
            (line, stream)
            for stream, screen in self._screens.items()
            for line in (screen.take_all() if is_last else screen.take_finished())
        ]
        lines.sort(key=lambda item: item[0].wall_time)
        count = self._allowance.newest([len(line.text) for line, _ in lines], is_last)
        self._dropped_lines += len(lines) - count
        lines = lines[len(lines) - count :]
        if lines or (is_last and self._dropped_lines):
            message = self._message(lines)
            is_recorded = self._recorder.record_apart(0, {}, {"console": message})
            self._dropped_lines = 0 if is_recorded else self._dropped_lines + len(lines)

    def _message(self, lines: list[tuple[Line, int]]) -> ConsoleOutput:
        message = ConsoleOutput()
        texts = self._without_secrets([line.text for line, _ in lines])
        for (line, stream), text in zip(lines, texts, strict=True):
            shown = text_bytes(text[:_MAX_LINE]).decode()
            message.lines.add(wall_time=line.wall_time, stream=stream, text=shown)
        if self._dropped_lines:
            message.dropped_lines = self._dropped_lines
        return message

    def _without_secrets(self, texts: list[str]) -> list[str]:
        """Hide secrets in lines; a private key may start in earlier ones."""
        before = [_PRIVATE_KEY] if self._is_in_private_key else []
        shown = hide_secrets("\n".join([*before, *texts])).split("\n")[len(before) :]
        for text in texts:
            if "-----BEGIN " in text and "PRIVATE KEY-----" in text:
                self._is_in_private_key = True
            elif "-----END " in text:
                self._is_in_private_key = False
        return shown


def _wrapped(name: str, stream: Any, see: Callable[[str], None]) -> WrappedWrite | None:
    if stream is None or (name == "stderr" and stream is sys.stdout):
        return None
    try:
        return WrappedWrite(stream, see)
    except (AttributeError, TypeError) as error:
        log.warn("What is written to %s is not recorded: %s", name, error)
        return None
