"""Validation of the arguments for saving and loading: ValueErrors, as in MindSpore's API, except for paths."""

import os
from collections.abc import Mapping

from toposcope.recorder.checkpoints.checkpoint import Appended
from toposcope.recorder.checkpoints.files.encryption import KEY_BYTES, MODES
from toposcope.recorder.stores.spool import is_remote, local_path
from toposcope.recorder.values.arrays.foreign_values import short_repr

_SLASHES_OF_BUCKET = 2


def checked_path(parameter: str, path: object) -> str:
    """Return the absolute path of a file that is read.

    Raises:
        TypeError: it is not a path.
        ValueError: it is an address in an object store.
    """
    text = _checked_text(parameter, path)
    if is_remote(text):
        raise ValueError(f"{parameter} must be a local path, as it is read: {text!r} is in an object store.")
    return os.path.abspath(text)


def checked_target(parameter: str, path: object) -> str:
    """Return the absolute path of a file that is written.

    For an address in an object store, "s3://bucket/best.ckpt" for example, it is a file that is uploaded.

    Raises:
        TypeError: it is not a path.
        ValueError: it is an invalid address.
        ModuleNotFoundError: an address needs a package that is not installed.
        OSError: the folder of an address cannot be created.
    """
    text = _checked_text(parameter, path)
    if not is_remote(text):
        return os.path.abspath(text)
    target = local_path(text)
    if text.rstrip("/").count("/") == _SLASHES_OF_BUCKET:
        raise ValueError(f"{parameter} must name a file in a bucket: {text!r} is a bucket.")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    return target


def _checked_text(parameter: str, path: object) -> str:
    if not isinstance(path, str | os.PathLike) or not isinstance(text := os.fspath(path), str):
        raise TypeError(f"{parameter} must be the path of a file, a str or os.PathLike, not {short_repr(path)}.")
    return text


def checked_key(parameter: str, key: object) -> bytes | None:
    """Return an AES key or None; ValueError if it is neither."""
    if key is not None and (not isinstance(key, bytes) or len(key) not in KEY_BYTES):
        # The message must not contain the key.
        actual = f"{len(key)} bytes" if isinstance(key, bytes) else f"a {type(key).__name__}"
        raise ValueError(f"{parameter} must be None or 16, 24 or 32 bytes, not {actual}.")
    return key


def checked_mode(parameter: str, mode: object) -> str:
    """Return a mode of encryption; ValueError if it is unknown."""
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueError(f"{parameter} must be 'AES-GCM' or 'AES-CBC', not {short_repr(mode)}.")
    return mode


def checked_appended(parameter: str, appended: object) -> dict[str, Appended]:
    """Return values to be saved in addition to the tensors; ValueError if their types are not supported."""
    if not isinstance(appended, Mapping):
        raise ValueError(f"{parameter} must be a dict, not {short_repr(appended)}.")
    for name, value in appended.items():
        if not isinstance(name, str) or not isinstance(value, int | float | bool | str):
            raise ValueError(
                f"{parameter} must map str to int, float, bool or str, not {short_repr(name)} to {short_repr(value)}."
            )
    return dict(appended)
