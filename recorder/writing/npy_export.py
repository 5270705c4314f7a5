"""Tensors exported as npy files, beside the event files: `export_<seconds>/tensor/<quoted tag>_<step>.npy`."""

import itertools
import os
import urllib.parse

import numpy as np

from toposcope.recorder import log
from toposcope.recorder.values.arrays import Array

_NAME_BYTES = 255


class NpyExport:
    """A directory of npy files of its own. One thread writes; another may ask how it goes."""

    def __init__(self, run: str, seconds: int) -> None:
        """Export into the directory *run*, beside an event file whose name says *seconds*."""
        self._run = run
        self._seconds = seconds
        self._directory = ""
        self._failing: set[str] = set()
        self._unraised: Exception | None = None

    @property
    def fails(self) -> bool:
        """True while tensors of a tag cannot be exported."""
        return bool(self._failing)

    def take_unraised(self) -> Exception | None:
        """Return why a tensor was not exported, or None when it was returned before."""
        error, self._unraised = self._unraised, None
        return error

    def write(self, tag: str, step: int, array: Array) -> None:
        """Write the file of one tensor, which appears at once and whole.

        What cannot be written is not tried again: the event file has it. The log says so, once a tag until one of its
        tensors is exported again. A bfloat16, which NumPy has not, is exported as float32.
        """
        name = f"{urllib.parse.quote(tag, safe='', errors='backslashreplace')}_{step}.npy"
        try:
            if len(name) > _NAME_BYTES:
                raise ValueError(f"the name of its file has {len(name)} characters, more than {_NAME_BYTES}")
            self._write(name, array)
        except (OSError, ValueError) as error:
            self._complain(tag, error)
        else:
            self._failing.discard(tag)

    def _complain(self, tag: str, error: Exception) -> None:
        if tag not in self._failing:
            self._failing.add(tag)
            self._unraised = error
            log.complain("%s: %s is not exported: %s. The event file has it.", self._run, tag, error)

    def _write(self, name: str, array: Array) -> None:
        self._directory = self._directory or self._claimed()
        os.makedirs(self._directory, exist_ok=True)
        part = os.path.join(self._directory, ".part")
        try:
            with open(part, "wb") as file:
                np.save(file, array.numbers(), allow_pickle=False)
            os.replace(part, os.path.join(self._directory, name))
        except BaseException:
            if os.path.exists(part):
                os.unlink(part)
            raise

    def _claimed(self) -> str:
        """Create a directory that no other recorder exports into: ranks may have begun in the same second."""
        for seconds in itertools.count(self._seconds):
            claimed = os.path.join(self._run, f"export_{seconds}")
            try:
                os.makedirs(claimed)
                return os.path.join(claimed, "tensor")
            except FileExistsError:
                if not os.path.isdir(claimed):
                    raise
        raise AssertionError
