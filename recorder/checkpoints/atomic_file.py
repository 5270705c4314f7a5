"""Files that appear under their name at once and whole, or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yield the path of a part to be written, in the same directory, which becomes *path* when the block ends well.

    The content is on the disk before the name is. A block that raises leaves nothing behind; a process that is killed
    may leave the part, whose name begins with a dot and ends with ".part".
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
    """Bring a file, or the names in a directory, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
