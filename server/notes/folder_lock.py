"""A lock on a folder, held by one thread of one process at a time."""

import errno
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE_SECONDS = 5.0
_RETRY_SECONDS = 0.01
_here = threading.Lock()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder that exists.

    Where the system has no flock (Windows) only this process is kept out.

    Raises:
        OSError: the lock file cannot be opened or locked; TimeoutError: somebody holds it for seconds.
    """
    ends = time.monotonic() + _PATIENCE_SECONDS
    if not _here.acquire(timeout=_PATIENCE_SECONDS):
        raise _timeout()
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            while not _try_lock(descriptor):
                if time.monotonic() > ends:
                    raise _timeout()
                time.sleep(_RETRY_SECONDS)
            yield
        finally:
            os.close(descriptor)  # Which unlocks it.
    finally:
        _here.release()


def _timeout() -> TimeoutError:
    return TimeoutError(errno.ETIMEDOUT, "another server holds its lock")


def _try_lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
