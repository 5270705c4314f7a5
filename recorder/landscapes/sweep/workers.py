"""Workers: the lanes on which the losses of a call are measured, chosen by its arguments or by the amount of work."""

import contextlib
import os
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel
from toposcope.recorder.landscapes.sweep.job import FOLDER
from toposcope.recorder.landscapes.sweep.measuring import drop_model, keep_model
from toposcope.recorder.landscapes.sweep.sweep import InlineExecutor, Lane, Sweep
from toposcope.recorder.landscapes.sweep.worker_pool import WorkerPool
from toposcope.recorder.values.arrays.foreign_values import short_repr

# Work that justifies starting processes, several times the cost of a start; and the limit if there are no arguments.
_MIN_SECONDS_FOR_PROCESSES, _MAX_PROCESSES = 30.0, 8


def checked_device_ids(device_ids: object) -> list[int] | None:
    """Return the devices; TypeError if they are no list of integers, ValueError if it is empty or one is negative."""
    if device_ids is None:
        return None
    if not isinstance(device_ids, list | tuple):
        raise TypeError(f"device_ids is a list of integers or None, not {short_repr(device_ids)}.")
    if not device_ids:
        raise ValueError("device_ids contains at least one device; None for an automatic choice.")
    return [checked_integer("a device id", device, 0) for device in device_ids]


def checked_executor(executor: object) -> Executor | None:
    """Return the executor.

    Raises:
        TypeError: it is not an Executor of concurrent.futures.
        ValueError: it forks, and a forked child of a process with PyTorch's threads hangs.
    """
    if executor is None:
        return None
    if not isinstance(executor, Executor):
        raise TypeError(f"executor is an Executor of concurrent.futures or None, not {short_repr(executor)}.")
    context: Any = getattr(executor, "_mp_context", None)
    if isinstance(executor, ProcessPoolExecutor) and context is not None and context.get_start_method() == "fork":
        raise ValueError(
            "executor forks its processes, which hang if PyTorch has threads: use "
            "ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('spawn'))."
        )
    return executor


class Workers:
    """The lanes of a call: first this process, then those that are worth starting."""

    def __init__(
        self,
        ckpt_dir: str,
        callback_fn: Callable[[], Any],
        device_ids: list[int] | None,
        executor: Executor | None,
    ) -> None:
        self._callback_fn = callback_fn
        self._device_ids, self._executor = device_ids, executor
        # Unique: worker processes store their models under this name.
        self.path = Path(ckpt_dir) / FOLDER / f"callback_{uuid.uuid4().hex}.pickle"
        self.device = device_ids[0] if device_ids else None
        self._inline_lane = Lane(InlineExecutor(), str(self.path), self.device, ahead=1, task_seconds=0)
        self.this_process = Sweep([self._inline_lane])
        """The sweep of this process."""
        self._chosen: Sweep | None = None

    @contextlib.contextmanager
    def holding(self, model: LandscapeModel) -> Iterator[None]:
        """Measure with model in this process within the block, and end all other workers after it."""
        keep_model(str(self.path), self.device, model)
        is_complete = False
        try:
            yield
            is_complete = True
        finally:
            if self._chosen is not None:
                self._chosen.close(kills=not is_complete)
            self.path.unlink(missing_ok=True)
            drop_model(str(self.path), self.device)

    def for_work(self, seconds: float) -> Sweep:
        """Return the sweep for the losses of this call, which are *seconds* of work in this process.

        It is chosen once: by the arguments of the call, or without any by the amount of work.

        Raises:
            TypeError: callback_fn cannot be sent to other processes.
            ImportError: cloudpickle, which pickles it, is not installed.
        """
        if self._chosen is None:
            self._chosen = Sweep(self._lanes(seconds))
        return self._chosen

    def _lanes(self, seconds: float) -> list[Lane]:
        if self._executor is not None:
            self._pickle_callback()
            return [Lane.of(self._executor, str(self.path))]
        if self._device_ids is not None and len(self._device_ids) > 1:
            self._pickle_callback()
            return [self._process(device) for device in self._device_ids]
        others = min(_processors(), _MAX_PROCESSES) - 1
        if self._device_ids is not None or seconds < _MIN_SECONDS_FOR_PROCESSES or others < 1:
            return [self._inline_lane]
        try:
            self._pickle_callback()
        except (TypeError, ImportError) as error:
            log.warn("Losses are measured in this process alone, which takes %.0f s: %s", seconds, error)
            return [self._inline_lane]
        return [*(self._process(None) for _ in range(others)), self._inline_lane]

    def _process(self, device: int | None) -> Lane:
        return Lane(WorkerPool(), str(self.path), device, renew=WorkerPool)

    def _pickle_callback(self) -> None:
        try:
            cloudpickle = import_module("cloudpickle")
        except ImportError:
            raise ImportError(
                "Workers in other processes need cloudpickle: pip install toposcope[landscape]."
            ) from None
        try:
            content: bytes = cloudpickle.dumps(self._callback_fn)
        except Exception as error:  # Of any class.
            raise TypeError(f"callback_fn cannot be sent to other processes: {error}") from error
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Accessible by its owner alone: unpickling it runs code.
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(descriptor, "wb") as file:
            file.write(content)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
