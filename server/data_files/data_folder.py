"""The folder for data that users enter, and in it the folders of what belongs to one logdir."""

import hashlib
from pathlib import Path

from platformdirs import user_data_path

from toposcope.server.data_files.json_files import JsonFiles
from toposcope.server.data_files.json_folder import JsonFolder
from toposcope.server.data_files.timed_files import TimedFiles
from toposcope.server.places.addresses import is_remote, resolved


def default_data_folder() -> Path:
    """Return the folder for the user's data that must not be lost."""
    return user_data_path("toposcope", appauthor=False)


def data_files(data_folder: Path | str, kind: str, logdir: str, largest_file: int) -> JsonFiles:
    """Return the files of one kind of data of a logdir, the same for every path that leads to the logdir.

    Args:
        data_folder: a directory, or the address of an object store.
        kind: notes, views or links.
        logdir: its path or address.
        largest_file: a file of more bytes is damaged.
    """
    if isinstance(data_folder, str) and is_remote(data_folder):
        from toposcope.server.data_files.json_store import JsonStore

        return JsonStore(f"{data_folder.rstrip('/')}/{kind}/{hashed(resolved(logdir))}", largest_file)
    folder = Path(data_folder) / kind / hashed(resolved(logdir))
    return TimedFiles(JsonFolder(folder, resolved(logdir), largest_file))


def hashed(name: str) -> str:
    """Return a file name that is unique for any name."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
