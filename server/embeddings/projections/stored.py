"""Projections on disk, beside the index: after a restart, an embedding is shown without reading its vectors again."""

import contextlib
import hashlib
import os
import threading
import zipfile
from collections.abc import Hashable
from pathlib import Path

import numpy as np

from toposcope.server.embeddings.projections.pca import Projection
from toposcope.server.places.private_folders import make_private

MAX_BYTES = 256 << 20


class StoredProjections:
    """Projections by key, in a folder that may be deleted at any time.

    Args:
        folder: is created when the first projection is stored; several servers may use it.
        most_bytes: of all files; the least recently used ones are deleted.
    """

    def __init__(self, folder: Path, most_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes

    def load(self, key: Hashable) -> Projection | None:
        """Return what was stored with an equal key; None if nothing was, or it cannot be read."""
        path = self._path(key)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                found = Projection(
                    stored["positions"], stored["explained"], int(stored["left_out"]), int(stored["dimensions"])
                )
            os.utime(path)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        return found

    def store(self, key: Hashable, projection: Projection) -> None:
        """Store a projection, unless the disk does not take it."""
        if projection.positions.nbytes > self._most_bytes:
            return
        path = self._path(key)
        part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
        try:
            make_private(self._folder)
            with part.open("wb") as file:
                np.savez(file, **projection._asdict())
            part.replace(path)
            self._evict()
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()

    def _path(self, key: Hashable) -> Path:
        return self._folder / f"{hashlib.blake2b(repr(key).encode(), digest_size=16).hexdigest()}.npz"

    def _evict(self) -> None:
        with os.scandir(self._folder) as entries:
            files = sorted(((entry.stat(), entry.path) for entry in entries), key=lambda each: -each[0].st_mtime)
        total = 0
        for status, path in files:
            total += status.st_size
            if total > self._most_bytes:
                os.unlink(path)
