"""Workers: the lanes on which the losses of a call are measured, as its arguments and the work that is left suggest."""

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
from toposcope.recorder.landscapes.sweep.sweep import Here, Lane, Sweep
from toposcope.recorder.landscapes.sweep.worker_pool import WorkerPool
from toposcope.recorder.values.foreign import shown

# What a process costs to start, several times over; and the most that are started unasked.
_WORTH_PROCESSES_SECONDS, _MOST_PROCESSES = 30.0, 8


def checked_device_ids(device_ids: object) -> list[int] | None:
    """Return the devices; TypeError when they are no list of integers, ValueError when one is negative or none is."""
    if device_ids is None:
        return None
    if not isinstance(device_ids, list | tuple):
        raise TypeError(f"device_ids is a list of integers or None, not {shown(device_ids)}.")
    if not device_ids:
        raise ValueError("device_ids names one device or more; None leaves the choice to us.")
    return [checked_integer("a device id", device, 0) for device in device_ids]


def checked_executor(executor: object) -> Executor | None:
    """Return the executor.

    Raises:
        TypeError: it is no Executor of concurrent.futures.
        ValueError: it forks: a child of a process with PyTorch's threads hangs.
    """
    if executor is None:
        return None
    if not isinstance(executor, Executor):
        raise TypeError(f"executor is an Executor of concurrent.futures or None, not {shown(executor)}.")
    context: Any = getattr(executor, "_mp_context", None)
    if isinstance(executor, ProcessPoolExecutor) and context is not None and context.get_start_method() == "fork":
        raise ValueError(
            "executor forks its processes, which hang where PyTorch has threads: "
            "ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('spawn')) does not."
        )
    return executor


class Workers:
    """The lanes of a call: here first, then those that pay."""

    def __init__(
        self,
        ckpt_dir: str,
        callback_fn: Callable[[], Any],
        device_ids: list[int] | None,
        executor: Executor | None,
    ) -> None:
        self._callback_fn = callback_fn
        self._device_ids, self._executor = device_ids, executor
        # Unique: processes of another call keep the models of theirs under such a name.
        self.path = Path(ckpt_dir) / FOLDER / f"callback_{uuid.uuid4().hex}.pickle"
        self.device = device_ids[0] if device_ids else None
        self._here = Lane(Here(), str(self.path), self.device, ahead=1, task_seconds=0)
        self.here = Sweep([self._here])
        """Measures in this process."""
        self._chosen: Sweep | None = None

    @contextlib.contextmanager
    def holding(self, model: LandscapeModel) -> Iterator[None]:
        """Let this process measure with model meanwhile, and end all other workers afterwards."""
        keep_model(str(self.path), self.device, model)
        is_done = False
        try:
            yield
            is_done = True
        finally:
            if self._chosen is not None:
                self._chosen.close(at_once=not is_done)
            self.path.unlink(missing_ok=True)
            drop_model(str(self.path), self.device)

    def for_work(self, seconds: float) -> Sweep:
        """Return what measures the losses of this call, *seconds* of work in this process.

        It is chosen once: by the arguments of the call, or, without any, by the work that is left.

        Raises:
            TypeError: callback_fn cannot be sent to other processes.
            ImportError: cloudpickle, which sends it, is not installed.
        """
        if self._chosen is None:
            self._chosen = Sweep(self._lanes(seconds))
        return self._chosen

    def _lanes(self, seconds: float) -> list[Lane]:
        if self._executor is not None:
            self._send()
            return [Lane.of(self._executor, str(self.path))]
        if self._device_ids is not None and len(self._device_ids) > 1:
            self._send()
            return [self._process(device) for device in self._device_ids]
        others = min(_processors(), _MOST_PROCESSES) - 1
        if self._device_ids is not None or seconds < _WORTH_PROCESSES_SECONDS or others < 1:
            return [self._here]
        try:
            self._send()
        except (TypeError, ImportError) as error:
            log.warn("Losses take %.0f s in this process alone, without workers: %s", seconds, error)
            return [self._here]
        return [*(self._process(None) for _ in range(others)), self._here]

    def _process(self, device: int | None) -> Lane:
        return Lane(WorkerPool(), str(self.path), device, renew=WorkerPool)

    def _send(self) -> None:
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
        # Readable by its owner alone: whoever can write it has workers run what he likes.
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(descriptor, "wb") as file:
            file.write(content)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
