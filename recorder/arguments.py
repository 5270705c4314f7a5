"""Checks of what users pass to the recorder: each returns the argument ready for use or raises the documented error."""

import math
import operator
import os
import re
import sys
from typing import SupportsIndex, cast

import numpy as np

from toposcope.recorder.values.foreign import UnreadableValueError, shown
from toposcope.recorder.values.scalar import scalar_from

_FILE_NAME_PART = re.compile(r"\w+[0-9a-zA-Z_.]*", re.ASCII)
_INT64 = range(-(2**63), 2**63)


def checked_directory(parameter: str, directory: object) -> str:
    """Return directory as an absolute path, created with its parents when missing.

    Raises:
        TypeError: not a str or a path of str.
        ValueError: blank.
        NotADirectoryError: it exists and is no directory.
        OSError: it cannot be created.
    """
    path = os.fspath(directory) if isinstance(directory, str | os.PathLike) else None
    if not isinstance(path, str):
        raise TypeError(f"{parameter} is a str or an os.PathLike, not {shown(directory)}.")
    if not path.strip():
        raise ValueError(f"{parameter} names a directory; {path!r} is blank.")
    if "\0" in path:
        raise ValueError(f"{parameter} names a directory; {shown(path)} holds a null character.")
    path = os.path.abspath(path)
    if os.path.exists(path) and not os.path.isdir(path):
        raise NotADirectoryError(f"{parameter} {path!r} exists and is not a directory.")
    os.makedirs(path, exist_ok=True)
    return path


def checked_file_name_part(parameter: str, text: object) -> str:
    """Return a prefix or suffix of file names; TypeError when no str, ValueError when it has other characters."""
    name_part = checked_text(parameter, text)
    if not _FILE_NAME_PART.fullmatch(name_part):
        raise ValueError(f"{parameter} is of ASCII letters, digits, '_' and '.', not beginning with '.': not {text!r}.")
    return name_part


def checked_suffix(text: object) -> str:
    """Return the suffix of an event file; ValueError when it would make it look like a lineage file."""
    suffix = checked_file_name_part("file_suffix", text)
    if suffix.endswith("_lineage"):
        raise ValueError(f"file_suffix {suffix!r} ends with '_lineage', which marks the files of lineage.")
    return suffix


def checked_bool(parameter: str, flag: object) -> bool:
    """Return flag; TypeError when it is no bool."""
    if not isinstance(flag, bool):
        raise TypeError(f"{parameter} is True or False, not {shown(flag)}.")
    return flag


def checked_seconds(parameter: str, seconds: object) -> float:
    """Return a duration; TypeError when it is no number, ValueError when it is not positive and finite."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError(f"{parameter} is a number of seconds, not {shown(seconds)}.")
    if not 0 < seconds <= sys.float_info.max:
        raise ValueError(f"{parameter} is a positive and finite number of seconds, not {seconds!r}.")
    return float(seconds)


def checked_file_size(max_file_size: object) -> int | None:
    """Return the largest size of a file in bytes, None for any; TypeError when no int, ValueError when not positive."""
    if max_file_size is None:
        return None
    return checked_integer("max_file_size", max_file_size, lowest=1)


def checked_export_options(export_options: object) -> bool:
    """Say whether tensors are exported as npy files.

    Raises:
        TypeError: not None and no dict of str to str or None.
        ValueError: another key than "tensor_format", or another format than "npy".
    """
    if export_options is None:
        return False
    if not isinstance(export_options, dict) or not all(isinstance(key, str) for key in export_options):
        raise TypeError(f"export_options is a dict with str keys or None, not {shown(export_options)}.")
    if unknown := [key for key in export_options if key != "tensor_format"]:
        raise ValueError(f"export_options has the one key 'tensor_format'; not {unknown[0]!r}.")
    tensor_format = export_options.get("tensor_format")
    if not isinstance(tensor_format, str | None):
        raise TypeError(f"export_options['tensor_format'] is 'npy' or None, not {shown(tensor_format)}.")
    if tensor_format not in ("npy", None):
        raise ValueError(f"export_options['tensor_format'] is 'npy' or None, not {tensor_format!r}.")
    return tensor_format == "npy"


def checked_name(name: object) -> str:
    """Return the name of a value as a plain str; TypeError when it is no str or empty."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"name is a non-empty str, not {shown(name)}.")
    return str.__str__(name)


def checked_integer(parameter: str, number: object, lowest: int = _INT64[0], highest: int = _INT64[-1]) -> int:
    """Return any object's integer; TypeError when it has none or is a bool, ValueError when it is out of range."""
    try:
        integer = None if isinstance(number, bool | np.bool_) else operator.index(cast(SupportsIndex, number))
    except Exception:  # A tensor may raise anything.
        integer = None
    if integer is None:
        raise TypeError(f"{parameter} is an integer, not {shown(number)}.")
    if not lowest <= integer <= highest:
        raise ValueError(f"{parameter} is an integer from {lowest} to {highest}, not {shown(number)}.")
    return integer


def checked_number(parameter: str, number: object) -> float:
    """Return a finite number; TypeError when it is none or a bool, ValueError when it is not finite."""
    try:
        value = None if isinstance(number, bool) else scalar_from(number).value
    except (TypeError, ValueError, UnreadableValueError):
        value = None
    if value is None:
        raise TypeError(f"{parameter} is a number, not {shown(number)}.")
    if not math.isfinite(value):
        raise ValueError(f"{parameter} is a finite number, not {shown(number)}.")
    return value


def checked_text(parameter: str, text: object) -> str:
    """Return text; TypeError when it is no str."""
    if not isinstance(text, str):
        raise TypeError(f"{parameter} is a str, not {shown(text)}.")
    return text


def checked_filter(plugin_filter: object) -> None:
    """Raise TypeError when plugin_filter cannot be called."""
    if not callable(plugin_filter):
        raise TypeError(f"plugin_filter is a function of a plugin's name, not {shown(plugin_filter)}.")
