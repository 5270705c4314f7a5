"""WorkerPool: a pool of one worker process, whose death affects no other and which never runs the main module."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_starting = threading.Lock()


class WorkerPool(Executor):
    """Runs tasks in one process, spawned with the first task, because forking is unsafe with PyTorch's threads.

    A process spawned by multiprocessing first imports the user's main module, and so would train again if that has no
    `if __name__ == "__main__"`. This one does not: objects of that module are pickled by value. It uses one thread, and
    ignores Ctrl-C, which the parent process handles.
    """

    def __init__(self) -> None:
        self._context = _WorkerContext()
        self._pool = ProcessPoolExecutor(1, self._context, initializer=_ignore_interrupts)

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Run a function of an importable module; the future raises BrokenProcessPool if the process has died."""
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the process; with cancel_futures, in the middle of a task."""
        if cancel_futures:
            for process in self._context.processes:
                process.kill()
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


class _WorkerContext(SpawnContext):
    """A context of spawned processes that stores the processes it has started."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[_Worker] = []

    # The name is multiprocessing's, where it is a class.
    def Process(self, *arguments: Any, **named: Any) -> "_Worker":  # type: ignore[override]  # noqa: N802
        process = _Worker(*arguments, **named)
        self.processes.append(process)
        return process


class _Worker(SpawnProcess):
    """A process that does not import the main module."""

    # The name is multiprocessing's.
    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        # multiprocessing inspects the current main module and passes on the current environment.
        with _starting:
            main, before = sys.modules["__main__"], {name: os.environ.get(name) for name in _THREADS}
            sys.modules["__main__"] = ModuleType("__main__")
            os.environ.update(dict.fromkeys(_THREADS, "1"))
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                sys.modules["__main__"] = main
                for name, value in before.items():
                    if value is None:
                        del os.environ[name]
                    else:
                        os.environ[name] = value


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
