"""The files beside a run into which media are written."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.values.wrapped import Text

NewFile = Callable[[str, str], Path]
"""Takes a kind ("table") and a suffix (".csv"), and returns the path of a file that does not exist yet."""


def is_file(source: Any) -> bool:
    """Return whether source is the path of a file or an open file; FileNotFoundError if there is no such file."""
    if isinstance(source, str | os.PathLike):
        if not os.path.isfile(source):
            raise FileNotFoundError(f"There is no file {short_repr(os.fspath(source))}.")
        return True
    return hasattr(source, "read")


def copied(source: Any, new_file: NewFile, kind: str, suffix: str) -> Path:
    """Copy a file, open or named, and return the path of the copy."""
    if hasattr(source, "read"):
        path = new_file(kind, suffix)
        content = source.read()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path
    path = new_file(kind, Path(source).suffix or suffix)
    shutil.copyfile(source, path)
    return path


def file_text(kind: str, path: Path, caption: str | None, facts: str = "") -> Text:
    """Return a text that names a file."""
    about = ", ".join(part for part in (facts, caption) if part)
    return Text(f"{kind}: `{path}`" + (f" ({about})" if about else ""))
