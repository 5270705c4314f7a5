"""The folder for data that users enter, and in it the folders of what belongs to one logdir."""

import hashlib
from pathlib import Path

from platformdirs import user_data_path

from toposcope.server.places.addresses import resolved


def default_data_folder() -> Path:
    """Return the folder for the user's data that must not be lost."""
    return user_data_path("toposcope", appauthor=False)


def logdir_folder(data_folder: Path, kind: str, logdir: str) -> Path:
    """Return the folder of one kind of data of a logdir, the same for every path that leads to the logdir."""
    return data_folder / kind / hashed(resolved(logdir))


def hashed(name: str) -> str:
    """Return a file name that is unique for any name."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
