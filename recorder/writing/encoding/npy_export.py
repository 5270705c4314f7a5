"""Export of tensors as npy files next to the event files: `export_<seconds>/tensor/<quoted tag>_<step>.npy`.

In an object store the name of the directory ends with the recorder's token: recorders do not see those of others there.
"""

import itertools
import os

import numpy as np

from toposcope.recorder import log
from toposcope.recorder.stores.spool import name_token
from toposcope.recorder.values.arrays.arrays import Array

_MAX_NAME_BYTES = 255


class NpyExport:
    """A directory of npy files that belongs to one recorder. One thread writes; others may read the status."""

    def __init__(self, run: str, seconds: int) -> None:
        """Export into the directory *run*; *seconds* are those in the name of the event file."""
        self._run = run
        self._seconds = seconds
        self._directory = ""
        self._failed_tags: set[str] = set()
        self._unraised: Exception | None = None

    @property
    def has_failed(self) -> bool:
        """True while the latest tensor of some tag could not be exported."""
        return bool(self._failed_tags)

    def take_unraised(self) -> Exception | None:
        """Return why a tensor was not exported, or None if it has been returned before."""
        error, self._unraised = self._unraised, None
        return error

    def write(self, tag: str, step: int, array: Array) -> None:
        """Write one tensor to a file, atomically; bfloat16, which NumPy lacks, is exported as float32.

        A failed export is not retried, as the event file contains the tensor. It is logged, once per tag until an
        export of that tag succeeds.
        """
        from urllib.parse import quote  # Slow to import, and most recorders export nothing.

        name = f"{quote(tag, safe='', errors='backslashreplace')}_{step}.npy"
        try:
            if len(name) > _MAX_NAME_BYTES:
                raise ValueError(f"its file name has {len(name)} characters, more than {_MAX_NAME_BYTES}")
            self._write(name, array)
        except (OSError, ValueError) as error:
            self._report(tag, error)
        else:
            self._failed_tags.discard(tag)

    def _report(self, tag: str, error: Exception) -> None:
        if tag not in self._failed_tags:
            self._failed_tags.add(tag)
            self._unraised = error
            log.error("%s: %s is not exported: %s. The event file contains it.", self._run, tag, error)

    def _write(self, name: str, array: Array) -> None:
        self._directory = self._directory or self._create_directory()
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

    def _create_directory(self) -> str:
        """Create a directory that no other recorder exports into: other ranks may have started in the same second."""
        for seconds in itertools.count(self._seconds):
            export = os.path.join(self._run, f"export_{seconds}{name_token(self._run)}")
            try:
                os.makedirs(export)
                return os.path.join(export, "tensor")
            except FileExistsError:
                if not os.path.isdir(export):
                    raise
        raise AssertionError
