"""Suppressed output while a network is traced or compiled: PyTorch's warnings then are not about the user's code."""

import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any

_LOGGERS = ("torch._export", "torch.export", "torch._subclasses", "torch.fx", "torch._dynamo", "torch._guards")


@contextmanager
def suppress_output() -> Iterator[None]:
    """Suppress warnings, log lines of PyTorch's tracers, and what this thread prints to stderr, within the block."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    # torch.export prints the partial graph when it fails.
    with warnings.catch_warnings(), redirect_stderr(_Muted(sys.stderr)):
        warnings.simplefilter("ignore")
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
