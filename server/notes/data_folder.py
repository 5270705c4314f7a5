"""Where what users say is kept: the data folder, and in it the folder of one logdir."""

import hashlib
import os
import sys
from pathlib import Path


def default_data_folder() -> Path:
    """Return the folder for data of the user that must not be lost."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "toposcope"


def notes_folder(data_folder: Path, logdir: str) -> Path:
    """Return the folder of the notes on runs of a logdir, by whatever path it is reached."""
    return data_folder / "notes" / hashed(os.path.realpath(logdir))


def hashed(name: str) -> str:
    """Return a file name for any name: two names never have the same."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
