"""Tensors exported as npy files, beside the event files: `<directory>/tensor/<quoted tag>_<step>.npy`."""

import os
import urllib.parse

import numpy as np

from toposcope.recorder.values.arrays import Array
from toposcope.recorder.writing.faults import Faults

_NAME_BYTES = 255


class NpyExport:
    """A directory of npy files. One thread writes; another may ask for faults."""

    def __init__(self, directory: str) -> None:
        self._directory = os.path.join(directory, "tensor")
        self.faults = Faults(directory, "tensors")

    def write(self, tag: str, step: int, array: Array) -> None:
        """Write the file of one tensor, which appears at once and whole; what cannot be written is lost and reported.

        A bfloat16, which NumPy has not, is exported as float32.

        Raises:
            ValueError: tag is too long for the name of a file.
        """
        name = f"{urllib.parse.quote(tag, safe='', errors='backslashreplace')}_{step}.npy"
        if len(name) > _NAME_BYTES:
            raise ValueError(f"the name of its npy file has {len(name)} characters, more than {_NAME_BYTES}")
        try:
            self._write(name, array)
        except OSError as error:
            self.faults.note(error)
            self.faults.lose(1)
        else:
            self.faults.clear()
        self.faults.log()

    def _write(self, name: str, array: Array) -> None:
        os.makedirs(self._directory, exist_ok=True)
        part = os.path.join(self._directory, f".{os.getpid()}.part")
        try:
            with open(part, "wb") as file:
                np.save(file, array.numbers(), allow_pickle=False)
            os.replace(part, os.path.join(self._directory, name))
        except OSError:
            if os.path.exists(part):
                os.unlink(part)
            raise
