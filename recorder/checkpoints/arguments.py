"""Checks of what users pass to save and load checkpoints: ValueErrors, as MindSpore's API text says, but for a path."""

import os
from collections.abc import Mapping

from toposcope.recorder.checkpoints.checkpoint import Appended
from toposcope.recorder.checkpoints.encryption import KEY_BYTES, MODES
from toposcope.recorder.values.foreign import shown


def checked_path(parameter: str, path: object) -> str:
    """Return the whole path of a file; TypeError when it is no path."""
    if not isinstance(path, str | os.PathLike) or not isinstance(text := os.fspath(path), str):
        raise TypeError(f"{parameter} is the path of a file, a str or os.PathLike, not {shown(path)}.")
    return os.path.abspath(text)


def checked_key(parameter: str, key: object) -> bytes | None:
    """Return a key of AES or None."""
    if key is not None and (not isinstance(key, bytes) or len(key) not in KEY_BYTES):
        # The key itself is nobody's business.
        what = f"{len(key)} of them" if isinstance(key, bytes) else f"a {type(key).__name__}"
        raise ValueError(f"{parameter} is None or 16, 24 or 32 bytes, not {what}.")
    return key


def checked_mode(parameter: str, mode: object) -> str:
    """Return a mode of encryption."""
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueError(f"{parameter} is 'AES-GCM' or 'AES-CBC', not {shown(mode)}.")
    return mode


def checked_appended(parameter: str, appended: object) -> dict[str, Appended]:
    """Return values to be saved beside the tensors, by name."""
    if not isinstance(appended, Mapping):
        raise ValueError(f"{parameter} is a dict, not {shown(appended)}.")
    for name, value in appended.items():
        if not isinstance(name, str) or not isinstance(value, int | float | bool | str):
            raise ValueError(f"{parameter} maps str to int, float, bool or str, not {shown(name)} to {shown(value)}.")
    return dict(appended)
