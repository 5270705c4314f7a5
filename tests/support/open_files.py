"""The files that this process has open."""

from pathlib import Path

import psutil


def files_open_in(folder: Path) -> list[str]:
    """Return the paths of the open files below a folder; other tests may have others open."""
    return [file.path for file in psutil.Process().open_files() if Path(file.path).is_relative_to(folder)]
