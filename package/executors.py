"""Executors that a text names: processes of this machine, or the workers of a cluster of Dask or Ray."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

FORMS = "processes, processes:N, dask://HOST:PORT, ray or ray://HOST:PORT"
_CONNECT_SECONDS = 15
_MAX_PROCESSES = 1024


@dataclass(frozen=True)
class Workers:
    """Workers that run tasks."""

    executor: Executor
    count: Callable[[], int]
    """Returns how many tasks run at once at present."""
    lost: tuple[type[BaseException], ...]
    """What a future raises when the worker that ran its task ended: the task can be submitted again."""


@contextlib.contextmanager
def workers_on(text: str) -> Iterator[Workers]:
    """Start or connect to the workers that a text names, and release them when the block ends.

    Args:
        text: "processes" (one for each processor), "processes:N", "dask://HOST:PORT" (a scheduler of Dask's
            distributed), "ray" (the cluster of the variable RAY_ADDRESS, or else this machine) or "ray://HOST:PORT" (a
            server of Ray's client). The workers of a cluster need this package.

    Raises:
        ValueError: the text has none of these forms.
        ModuleNotFoundError: the library of the cluster is not installed; the message names it.
        ConnectionError: the cluster cannot be reached.
    """
    kind, _, rest = text.partition(":")
    if kind == "processes":
        context = _processes(_process_count(text, rest))
    elif kind == "dask" and len(rest) > 2 and rest.startswith("//"):
        context = _dask(text, f"tcp:{rest}")
    elif text == "ray" or (kind == "ray" and len(rest) > 2 and rest.startswith("//")):
        context = _ray(text)
    else:
        raise ValueError(f"{text!r} does not name workers: expected {FORMS}")
    with context as workers:
        yield workers


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _process_count(text: str, number: str) -> int:
    if text == "processes":
        return processors()
    if not number.isascii() or not number.isdigit() or not 1 <= int(number[:9]) <= _MAX_PROCESSES:
        raise ValueError(f"{text!r} is no number of processes: expected processes:N with N from 1 to {_MAX_PROCESSES}")
    return int(number)


@contextlib.contextmanager
def _processes(count: int) -> Iterator[Workers]:
    executor = _Processes(count)
    try:
        yield Workers(executor, lambda: count, (BrokenProcessPool,))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


class _Processes(Executor):
    """A pool of processes that is replaced when one of them died, which breaks the pool."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")  # Children of fork hang if this process has threads.
        return ProcessPoolExecutor(self._count, context, _begin_process)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Run function(*arguments, **named) in one of the processes."""
        try:
            return self._pool.submit(function, *arguments, **named)
        except BrokenProcessPool:
            self._pool.shutdown(wait=False)
            self._pool = self._new_pool()
            return self._pool.submit(function, *arguments, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _begin_process() -> None:
    """Leave Ctrl-C to the process that submits, and end when that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def _dask(text: str, address: str) -> Iterator[Workers]:
    try:
        import distributed
        from distributed.scheduler import KilledWorker
    except ModuleNotFoundError:
        raise ModuleNotFoundError(f"{text!r} needs Dask: pip install distributed", name="distributed") from None
    library: Any = distributed  # Its calls have no types.
    try:
        client: Any = library.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConnectionError(f"{text!r} cannot be reached: {error}") from None
    with client:
        yield Workers(client.get_executor(pure=False), lambda: sum(client.ncores().values()), (KilledWorker,))


@contextlib.contextmanager
def _ray(text: str) -> Iterator[Workers]:
    try:
        import ray
    except ModuleNotFoundError:
        raise ModuleNotFoundError(f"{text!r} needs Ray: pip install ray", name="ray") from None
    try:
        ray.init(None if text == "ray" else text, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ConnectionError(f"{text!r} cannot be reached: {error}") from None
    try:
        lost = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError)
        yield Workers(_Ray(ray), lambda: int(ray.cluster_resources().get("CPU", 0)), lost)
    finally:
        ray.shutdown()


class _Ray(Executor):
    """Runs each call as a task of Ray, which repeats those whose worker died."""

    def __init__(self, ray: Any) -> None:
        self._call = ray.remote(_call)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Run function(*arguments, **named) in a worker."""
        future: Future[Any] = self._call.remote(function, arguments, named).future()
        return future


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return function(*arguments, **named)
