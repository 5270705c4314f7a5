"""Manifest: the checkpoints that trainings with one prefix have saved in a directory, over restarts."""

import json
import math
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from toposcope.recorder import log
from toposcope.recorder.checkpoints.files.atomic_file import atomic_file
from toposcope.recorder.checkpoints.keeping.retention import SavedCheckpoint


class Manifest(NamedTuple):
    """What a directory has of a prefix."""

    saved: list[SavedCheckpoint]
    """In order of time; those that exist as they were saved."""
    best: str | None
    """Path of the best one, None: unknown."""
    best_value: float | None


def manifest_path(directory: str, prefix: str) -> str:
    """Return the path of the manifest of a prefix, a hidden file."""
    return os.path.join(directory, f".{prefix}.manifest.json")


def read_manifest(path: str) -> Manifest:
    """Return a manifest; an empty one if there is none, or if it cannot be read.

    Files that are gone, or that are no longer those that were saved, are left out: they must not be deleted.
    """
    directory = os.path.dirname(path)
    try:
        with open(path, encoding="utf-8") as file:
            content: dict[str, Any] = json.load(file)
        entries = {os.path.join(directory, os.path.basename(each["name"])): each for each in content["files"]}
        # Before any of this process, whose clock is another one.
        saved = [SavedCheckpoint(path, -math.inf) for path, each in entries.items() if _identity(path) == each["file"]]
        best, value = os.path.join(directory, os.path.basename(content["best"] or "")), content["best_value"]
    except FileNotFoundError:
        return Manifest([], None, None)
    except (OSError, ValueError, TypeError, KeyError) as error:
        log.warn("%s is not used: checkpoints of earlier starts are kept: %s", path, error)
        return Manifest([], None, None)
    has_best = any(each.path == best for each in saved)
    return Manifest(saved, best if has_best else None, float(value) if has_best else None)


def write_manifest(path: str, manifest: Manifest) -> None:
    """Replace a manifest; a failure is logged, as the next one may succeed."""
    content = {
        "files": list(_entries(manifest.saved)),
        "best": None if manifest.best is None else os.path.basename(manifest.best),
        "best_value": manifest.best_value,
    }
    try:
        with atomic_file(path) as part, open(part, "w", encoding="utf-8") as file:
            json.dump(content, file)
    except OSError as error:
        log.warn("%s cannot be written: after a restart earlier checkpoints may be kept: %s", path, error)


def _entries(saved: Iterable[SavedCheckpoint]) -> Iterable[dict[str, Any]]:
    for each in saved:
        if (identity := _identity(each.path)) is not None:
            yield {"name": os.path.basename(each.path), "file": identity}


def _identity(path: str) -> list[int] | None:
    """Return what distinguishes a file from others of its name; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns]
