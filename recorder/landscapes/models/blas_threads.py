"""BLAS limited to one thread, because the last bits of its products depend on the number of threads."""

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any


class BlasThreads:
    """The BLAS libraries that this process has loaded, of NumPy, SciPy and others."""

    def __init__(self) -> None:
        """Find them with threadpoolctl; without that package there are none."""
        try:
            controller: Any = import_module("threadpoolctl").ThreadpoolController()
        except ImportError:
            controller = None
        self._libraries = None if controller is None else controller.select(user_api="blas")

    def one(self) -> AbstractContextManager[Any]:
        """Return a context in which they use one thread."""
        if self._libraries is None:
            return nullcontext()
        limited: AbstractContextManager[Any] = self._libraries.limit(limits=1)
        return limited
