"""Replacements for `cython` and for functions in C, with which the scan runs uncompiled."""

from contextlib import nullcontext
from types import SimpleNamespace

import google_crc32c

cython = SimpleNamespace(compiled=False, nogil=nullcontext())


def has_crc32c() -> bool:
    """Return whether crc32c_of() can be called."""
    return True


def crc32c_of(data: memoryview, at: int, end: int) -> int:
    """Return the crc32c of data[at:end]."""
    crc: int = google_crc32c.value(bytes(data[at:end]))
    return crc
