"""Checkpoints of a run in an object store, copied to a folder in which all workers can map them into memory."""

import hashlib
import os
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from toposcope.recorder.landscapes.plan.landscape_plan import CHECKPOINTS


def default_folder(address: str) -> Path:
    """Return the folder for the checkpoints of an address in the user's cache."""
    from platformdirs import user_cache_path

    name = hashlib.sha256(address.rstrip("/").encode()).hexdigest()[:16]
    return user_cache_path("toposcope", appauthor=False) / "checkpoints" / name


def fetch_checkpoints(address: str, folder: Path) -> None:
    """Copy the checkpoints of a run, with their metadata, into a folder; those that are there already stay.

    Args:
        address: of the run in an object store, "s3://bucket/runs/first" for example.
        folder: is created. Losses measured in it stay, so that a computation can be resumed.

    Raises:
        ModuleNotFoundError: obstore is not installed.
        FileNotFoundError: the address has no checkpoints.
        ValueError: the address, or what the environment says about the store, is not valid.
        OSError: the store cannot be read, or the folder cannot be written.
    """
    try:
        import obstore
        from obstore.exceptions import BaseError
        from obstore.store import from_url
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{address!r} is in an object store, which needs obstore: pip install 'toposcope[store]'", name="obstore"
        ) from None
    try:
        store: Any = from_url(address)
        found = [each for page in obstore.list(store, CHECKPOINTS) for each in page if _is_checkpoint(each["path"])]
        if not found:
            raise FileNotFoundError(f"{address!r} has no checkpoints: expected objects in {address}/{CHECKPOINTS}")
        for each in found:
            target = folder / each["path"]
            if not _is_same(target, each["size"], each["last_modified"]):
                _write(target, obstore.get(store, each["path"]), each["last_modified"])
    except BaseError as error:
        raise OSError(f"{address!r} cannot be read: {str(error).partition(chr(10))[0]}") from None


def _is_checkpoint(key: str) -> bool:
    """Return whether an object is directly in the folder of checkpoints: measured losses are below it."""
    return PurePosixPath(key).parent == PurePosixPath(CHECKPOINTS)


def _is_same(path: Path, size: int, modified: datetime) -> bool:
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    return (status.st_size, status.st_mtime) == (size, modified.timestamp())


def _write(path: Path, content: Any, modified: datetime) -> None:
    """Write a file in parts under a temporary name, then rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part_file = path.with_name(f"{path.name}.part")
    with part_file.open("wb") as file:
        for part in content.stream():
            file.write(part)
    os.utime(part_file, (modified.timestamp(), modified.timestamp()))
    part_file.replace(path)
