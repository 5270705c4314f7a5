"""Checkpoints: the files that the TrainingCheckPoints of a training save."""

import glob
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from xgboost.callback import TrainingCheckPoint


class Checkpoints:
    """Finds the files that TrainingCheckPoints have saved, which they report to nobody."""

    def __init__(self, callbacks: Iterable[Any]) -> None:
        """Look for files of those of the callbacks of a training that are TrainingCheckPoints."""
        self._callbacks = [each for each in callbacks if isinstance(each, TrainingCheckPoint)]
        self._seen: dict[str, int] = {}
        for each in self._callbacks:
            self._seen |= _times(_pattern(each, "*"))

    def saved_in(self, iteration: int) -> list[str]:
        """Return the names of the files saved in an iteration of this training, counted from 0."""
        names = []
        for each in self._callbacks:
            if getattr(each, "_epoch", 1) != 1:  # The iterations since it saved a file, with the one that saved it.
                continue
            for path, time in _times(_pattern(each, str(iteration + getattr(each, "_start", 0)))).items():
                if self._seen.get(path) != time:
                    self._seen[path] = time
                    names.append(os.path.basename(path))
        return names


def _pattern(callback: Any, number: str) -> str:
    """Return the pattern of the paths of a callback, which contain the number of the iteration in the whole model."""
    directory, name = getattr(callback, "_path", ""), getattr(callback, "_name", "model")
    return f"{glob.escape(os.path.join(directory, name))}_{number}.*"


def _times(pattern: str) -> dict[str, int]:
    times: dict[str, int] = {}
    for path in glob.glob(pattern):
        with suppress(OSError):
            times[path] = os.stat(path).st_mtime_ns
    return times
