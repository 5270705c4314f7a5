"""Atomic writes: a file appears under its name complete, or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yield the path of a temporary file in the same directory, which is renamed to *path* after the block.

    The content is synced to disk before the file is renamed. If the block raises an error, the temporary file is
    deleted; a process that is killed may leave it behind. Its name starts with a dot and ends with ".part".
    """
    directory, name = os.path.split(path)
    part = os.path.join(directory, f".{name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        _sync(part)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise
    _sync(directory)


def _sync(path: str) -> None:
    """Sync a file or a directory to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
