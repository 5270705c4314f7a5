"""Whether files can be written to a folder, as far as that is known without writing."""

import os

from toposcope.server.places.place import reason_of


def why_unwritable(folder: str) -> str | None:
    """Return why files cannot be written to a folder, or why it cannot be created; None: they can, as far as is known.

    Nothing is written: that a disk is full is not found.
    """
    path = os.path.abspath(folder)
    while True:
        try:
            is_read_only = os.statvfs(path).f_flag & os.ST_RDONLY
            break
        except (FileNotFoundError, NotADirectoryError):
            path = os.path.dirname(path)
        except OSError as error:
            return reason_of(error)
    if not os.path.isdir(path):
        return f"{path!r} is not a directory"
    if is_read_only:
        return "the file system is read-only"
    return None if os.access(path, os.W_OK | os.X_OK) else f"no permission to write to {path!r}"
