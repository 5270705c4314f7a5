"""Validation of arguments: each function returns the validated argument or raises the documented error."""

import math
import operator
import os
import re
import sys
from typing import SupportsIndex, cast

import numpy as np

from toposcope.recorder.stores.spool import is_remote, local_path
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr
from toposcope.recorder.values.scalar import scalar_from

_FILE_NAME_PART = re.compile(r"\w+[0-9a-zA-Z_.]*", re.ASCII)
_INT64 = range(-(2**63), 2**63)

MIN_HEARTBEAT_SECONDS = 0.01
"""More heartbeats would take CPU time from the training."""


def checked_directory(parameter: str, directory: object) -> str:
    """Return the absolute path of directory, which is created with its parents if it does not exist.

    For an address in an object store, "s3://bucket/prefix" for example, it is a folder from which files are uploaded.

    Raises:
        TypeError: directory is neither a str nor a path of str.
        ValueError: directory is blank, contains a null character, or is an invalid address.
        NotADirectoryError: directory exists and is not a directory.
        ModuleNotFoundError: an address needs a package that is not installed.
        OSError: directory cannot be created.
    """
    path = _checked_path(parameter, directory)
    os.makedirs(path, exist_ok=True)
    return path


def checked_local_directory(parameter: str, directory: object) -> str:
    """Return what checked_directory() returns for a directory that is also read, which no address may name.

    Raises:
        ValueError: directory is an address in an object store; see checked_directory() for others.
    """
    if isinstance(directory, str) and is_remote(directory):
        raise ValueError(f"{parameter} must be a local directory, as it is read: {directory!r} is in an object store.")
    return checked_directory(parameter, directory)


def checked_future_directory(parameter: str, directory: object) -> str:
    """Return the absolute path of directory, which exists or can be created later; nothing is created.

    Raises:
        TypeError: directory is neither a str nor a path of str.
        ValueError: directory is blank or contains a null character.
        NotADirectoryError: directory, or one of its parents, exists and is not a directory.
        PermissionError: this process must not create it.
    """
    path = parent = _checked_path(parameter, directory)
    while not os.path.lexists(parent):
        parent = os.path.dirname(parent)
    if not os.path.isdir(parent):
        raise NotADirectoryError(f"{parameter} {path!r} cannot be created: {parent!r} is not a directory.")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(f"{parameter} {path!r} cannot be created: {parent!r} is not writable.")
    return path


def _checked_path(parameter: str, directory: object) -> str:
    path = os.fspath(directory) if isinstance(directory, str | os.PathLike) else None
    if not isinstance(path, str):
        raise TypeError(f"{parameter} must be a str or an os.PathLike, not {short_repr(directory)}.")
    if not path.strip():
        raise ValueError(f"{parameter} must name a directory; {path!r} is blank.")
    if "\0" in path:
        raise ValueError(f"{parameter} must name a directory; {short_repr(path)} contains a null character.")
    path = local_path(path)
    if os.path.exists(path) and not os.path.isdir(path):
        raise NotADirectoryError(f"{parameter} {path!r} exists and is not a directory.")
    return path


def checked_file_name_part(parameter: str, text: object) -> str:
    """Return a prefix or suffix of file names; TypeError if not a str, ValueError if a character is not allowed."""
    name_part = checked_text(parameter, text)
    if not _FILE_NAME_PART.fullmatch(name_part):
        raise ValueError(
            f"{parameter} must consist of ASCII letters, digits, '_' and '.' and not start with '.'; got {text!r}."
        )
    return name_part


def checked_suffix(text: object) -> str:
    """Return the suffix of event files; ValueError if it is the suffix of lineage files."""
    suffix = checked_file_name_part("file_suffix", text)
    if suffix.endswith("_lineage"):
        raise ValueError(f"file_suffix must not end with '_lineage', the suffix of lineage files; got {suffix!r}.")
    return suffix


def checked_bool(parameter: str, flag: object) -> bool:
    """Return flag; TypeError if it is not a bool."""
    if not isinstance(flag, bool):
        raise TypeError(f"{parameter} must be True or False, not {short_repr(flag)}.")
    return flag


def checked_seconds(parameter: str, seconds: object, lowest: float = 0) -> float:
    """Return a duration; TypeError if it is not a number, ValueError if it is not positive and finite or too short."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError(f"{parameter} must be a number of seconds, not {short_repr(seconds)}.")
    if not 0 < seconds <= sys.float_info.max:
        raise ValueError(f"{parameter} must be a positive, finite number of seconds, not {seconds!r}.")
    if seconds < lowest:
        raise ValueError(f"{parameter} must be at least {lowest} seconds, not {seconds!r}.")
    return float(seconds)


def checked_backlog(policy: object) -> str:
    """Return on_backlog; TypeError if it is not a str, ValueError if it is neither "wait" nor "drop"."""
    if checked_text("on_backlog", policy) not in ("wait", "drop"):
        raise ValueError(f"on_backlog must be 'wait' or 'drop', not {policy!r}.")
    return str(policy)


def checked_file_size(max_file_size: object) -> int | None:
    """Return the maximum file size in bytes, None for no limit; TypeError if not an int, ValueError if not positive."""
    if max_file_size is None:
        return None
    return checked_integer("max_file_size", max_file_size, lowest=1)


def checked_export_options(export_options: object) -> bool:
    """Return whether tensors are exported as npy files.

    Raises:
        TypeError: export_options is neither None nor a dict of str to str or None.
        ValueError: a key other than "tensor_format", or a format other than "npy".
    """
    if export_options is None:
        return False
    if not isinstance(export_options, dict) or not all(isinstance(key, str) for key in export_options):
        raise TypeError(f"export_options must be a dict with str keys or None, not {short_repr(export_options)}.")
    if unknown := [key for key in export_options if key != "tensor_format"]:
        raise ValueError(f"export_options has only the key 'tensor_format'; got {unknown[0]!r}.")
    tensor_format = export_options.get("tensor_format")
    if not isinstance(tensor_format, str | None):
        raise TypeError(f"export_options['tensor_format'] must be 'npy' or None, not {short_repr(tensor_format)}.")
    if tensor_format not in ("npy", None):
        raise ValueError(f"export_options['tensor_format'] must be 'npy' or None, not {tensor_format!r}.")
    return tensor_format == "npy"


def checked_name(name: object, parameter: str = "name") -> str:
    """Return the name of a value as a plain str; TypeError if it is empty or not a str."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"{parameter} must be a non-empty str, not {short_repr(name)}.")
    return str.__str__(name)


def checked_integer(parameter: str, number: object, lowest: int = _INT64[0], highest: int = _INT64[-1]) -> int:
    """Return number as an int; TypeError if it is a bool or not an integer, ValueError if it is out of range."""
    try:
        integer = None if isinstance(number, bool | np.bool_) else operator.index(cast(SupportsIndex, number))
    except Exception:  # Tensors may raise anything.
        integer = None
    if integer is None:
        raise TypeError(f"{parameter} must be an integer, not {short_repr(number)}.")
    if not lowest <= integer <= highest:
        raise ValueError(f"{parameter} must be an integer from {lowest} to {highest}, not {short_repr(number)}.")
    return integer


def checked_number(parameter: str, number: object) -> float:
    """Return number as a float; TypeError if it is a bool or not a number, ValueError if it is not finite."""
    try:
        value = None if isinstance(number, bool) else scalar_from(number).value
    except (TypeError, ValueError, UnreadableValueError):
        value = None
    if value is None:
        raise TypeError(f"{parameter} must be a number, not {short_repr(number)}.")
    if not math.isfinite(value):
        raise ValueError(f"{parameter} must be a finite number, not {short_repr(number)}.")
    return value


def checked_text(parameter: str, text: object) -> str:
    """Return text; TypeError if it is not a str."""
    if not isinstance(text, str):
        raise TypeError(f"{parameter} must be a str, not {short_repr(text)}.")
    return text


def checked_filter(plugin_filter: object) -> None:
    """Raise TypeError if plugin_filter is not callable."""
    if not callable(plugin_filter):
        raise TypeError(f"plugin_filter must be a function of the plugin's name, not {short_repr(plugin_filter)}.")
