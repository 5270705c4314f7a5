"""Opens the files that a list of embeddings names: only those in the logdir, or in the folder of the run."""

import os
from collections.abc import Iterable

from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.places.place import OpenFile, is_gone, reason_of


class UnreadableError(ValueError):
    """A file cannot be read; the message is a sentence without its full stop that names the file."""


def open_file(directory: str, path: str, tops: Iterable[str]) -> OpenFile:
    """Open a file.

    Args:
        directory: of the list. It is as untrusted as the path.
        path: as the list has it: relative to the directory, or absolute.
        tops: directories in which the file may be, after links are followed.

    Raises:
        UnreadableError: it is in none of them, does not exist, or is no regular file.
        OSError: it cannot be opened at present.
    """
    try:
        real = os.path.realpath(os.path.join(directory, path))
        top = next((top for top in map(os.path.realpath, tops) if real.startswith(top.rstrip(os.sep) + os.sep)), None)
        if top is None:
            raise UnreadableError(f"{path!r} is outside the logdir, where nothing is read")
        return LocalDisk(top).open(real)
    except OSError as error:
        if is_gone(error) or isinstance(error, IsADirectoryError | PermissionError):
            raise UnreadableError(f"{path!r} cannot be opened: {reason_of(error)}") from None
        raise
    except ValueError as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{path!r} is no path: {error}") from None
