"""Checks of what users pass to the recorder: each returns the argument ready for use or raises the documented error."""

import math
import operator
import os
import re
import reprlib

_FILE_NAME_PART = re.compile(r"\w+[0-9a-zA-Z_.]*", re.ASCII)
_INT64 = range(-(2**63), 2**63)


def checked_directory(log_dir: object) -> str:
    """Return log_dir as an absolute path, created with its parents when missing.

    Raises:
        TypeError: not a str or a path of str.
        ValueError: blank.
        NotADirectoryError: it exists and is no directory.
        OSError: it cannot be created.
    """
    path = os.fspath(log_dir) if isinstance(log_dir, str | os.PathLike) else None
    if not isinstance(path, str):
        raise TypeError(f"log_dir is a str or an os.PathLike, not {reprlib.repr(log_dir)}.")
    if not path.strip():
        raise ValueError(f"log_dir names a directory; {path!r} is blank.")
    path = os.path.abspath(path)
    if os.path.exists(path) and not os.path.isdir(path):
        raise NotADirectoryError(f"log_dir {path!r} exists and is not a directory.")
    os.makedirs(path, exist_ok=True)
    return path


def checked_file_name_part(parameter: str, text: object) -> str:
    """Return a prefix or suffix of file names; TypeError when no str, ValueError when it has other characters."""
    if not isinstance(text, str):
        raise TypeError(f"{parameter} is a str, not {reprlib.repr(text)}.")
    if not _FILE_NAME_PART.fullmatch(text):
        raise ValueError(f"{parameter} is of ASCII letters, digits, '_' and '.', not beginning with '.': not {text!r}.")
    return text


def checked_suffix(text: object) -> str:
    """Return the suffix of an event file; ValueError when it would make it look like a lineage file."""
    suffix = checked_file_name_part("file_suffix", text)
    if suffix.endswith("_lineage"):
        raise ValueError(f"file_suffix {suffix!r} ends with '_lineage', which marks the files of lineage.")
    return suffix


def checked_bool(parameter: str, flag: object) -> bool:
    """Return flag; TypeError when it is no bool."""
    if not isinstance(flag, bool):
        raise TypeError(f"{parameter} is True or False, not {reprlib.repr(flag)}.")
    return flag


def checked_seconds(parameter: str, seconds: object) -> float:
    """Return a duration; TypeError when it is no number, ValueError when it is not positive and finite."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError(f"{parameter} is a number of seconds, not {reprlib.repr(seconds)}.")
    if not 0 < seconds < math.inf:
        raise ValueError(f"{parameter} is a positive and finite number of seconds, not {seconds!r}.")
    return float(seconds)


def checked_absent(parameter: str, value: object) -> None:
    """Raise ValueError when a parameter is used that this version does not support yet."""
    if value is not None:
        raise ValueError(f"{parameter} is not supported yet and must be None, not {reprlib.repr(value)}.")


def checked_name(name: object) -> str:
    """Return the name of a value as a plain str; TypeError when it is no str or empty."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"name is a non-empty str, not {reprlib.repr(name)}.")
    return str.__str__(name)


def checked_step(step: object) -> int:
    """Return step as an int; TypeError when it is no integer or a bool, ValueError when it needs more than 64 bits."""
    if isinstance(step, bool) or not hasattr(step, "__index__"):
        raise TypeError(f"step is an integer, not {reprlib.repr(step)}.")
    number = operator.index(step)
    if number not in _INT64:
        raise ValueError(f"step is an integer of 64 bits; {reprlib.repr(step)} is too large.")
    return number
