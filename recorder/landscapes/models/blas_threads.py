"""Threads of BLAS: one, because the last bits of its products depend on how many there are."""

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any


class BlasThreads:
    """The libraries of BLAS that this process has loaded, of NumPy, SciPy and others."""

    def __init__(self) -> None:
        """Find them, with threadpoolctl; without that package none is found."""
        try:
            found: Any = import_module("threadpoolctl").ThreadpoolController()
        except ImportError:
            found = None
        self._libraries = None if found is None else found.select(user_api="blas")

    def one(self) -> AbstractContextManager[Any]:
        """Return a context in which they compute with one thread."""
        if self._libraries is None:
            return nullcontext()
        limited: AbstractContextManager[Any] = self._libraries.limit(limits=1)
        return limited
