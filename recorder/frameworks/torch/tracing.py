"""Tracing and compiling of networks: by one thread at a time, and without PyTorch's warnings."""

import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any

from toposcope.recorder.ends.fork import make_inert_in_children

_LOGGERS = ("torch._export", "torch.export", "torch._subclasses", "torch.fx", "torch._dynamo", "torch._guards")


class _OneAtATime:
    """A lock: PyTorch's caches of fake tensors, and the levels of its loggers, are those of the process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        make_inert_in_children(self, is_lock=True)

    def become_inert(self) -> None:
        self.lock = threading.RLock()


_one_at_a_time = _OneAtATime()


@contextmanager
def tracing() -> Iterator[None]:
    """Let no other thread trace within the block, and suppress what PyTorch says about it.

    Warnings, log lines of PyTorch's tracers, and what this thread prints to stderr are suppressed: they are not about
    the user's code.
    """
    # torch.export prints the partial graph when it fails.
    with _one_at_a_time.lock, warnings.catch_warnings(), redirect_stderr(_Muted(sys.stderr)):
        warnings.simplefilter("ignore")
        loggers = [logging.getLogger(name) for name in _LOGGERS]
        levels = [logger.level for logger in loggers]
        try:
            for logger in loggers:
                logger.setLevel(logging.CRITICAL + 1)
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)


class _Muted:
    """A text stream that discards what this thread writes and passes on what other threads write."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._thread = threading.get_ident()

    def write(self, text: str) -> int:
        if threading.get_ident() == self._thread or self._stream is None:
            return len(text)
        written: int = self._stream.write(text)
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
