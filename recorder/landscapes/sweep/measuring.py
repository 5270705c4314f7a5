"""Measuring: the function that workers run, and the model that stays with each of them."""

import os
import threading
import time
import traceback
from importlib import import_module
from multiprocessing import parent_process
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel, model_of
from toposcope.recorder.landscapes.sweep.job import LandscapeJob, load_axes, load_job
from toposcope.recorder.landscapes.sweep.journal import Measurement, Place
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet


class Request(NamedTuple):
    """A loss that is wanted."""

    place: Place
    coordinates: tuple[float, ...]
    """On the plane; without meaning for the real loss of a checkpoint."""


class Task(NamedTuple):
    """Losses of one landscape, a second's work or so; all of it is plain data."""

    folder: str
    """Of the job: the worker sees the same files."""
    model: str
    """Which model: the path of a pickled callback_fn, or the name under which this process keeps one."""
    device: int | None
    mode: str
    """How the model computes losses; one mode gives the same bits everywhere."""
    attempt: int
    """Dask remembers the results of equal calls: another attempt is another call."""
    requests: tuple[Request, ...]


class ModelError(RuntimeError):
    """callback_fn raised, or what it returned cannot be measured: the text says why, or has the worker's traceback."""


# One thread at a time measures in a process: callback_fn may return the same network twice.
_measuring = threading.Lock()
_residents: dict[tuple[int, str, int | None], "_Resident"] = {}
_watching: set[int] = set()


def keep_model(name: str, device: int | None, model: LandscapeModel) -> None:
    """Let the tasks of this process that name the model have it."""
    _residents[os.getpid(), name, device] = _Resident(model)


def drop_model(name: str, device: int | None) -> None:
    """Forget a model, whose weights are then as they were when it was taken."""
    with _measuring:
        if (resident := _residents.pop((os.getpid(), name, device), None)) is not None:
            resident.model.restore()


def measure(task: Task) -> list[Measurement]:
    """Return the losses of a task, a hole for each that raised.

    Raises:
        ModelError: there is no model, or it has other samples than the job.
        OSError: the folder of the job cannot be read.
    """
    _end_with_parent()
    with _measuring:
        resident = _resident(task)
        resident.hold(task.folder)
        if resident.model.mode != task.mode:
            resident.model.use(task.mode)
        return [resident.measurement(request) for request in task.requests]


class _Resident:
    """A model, and the plane that it holds."""

    def __init__(self, model: LandscapeModel) -> None:
        self.model = model
        self._folder = ""
        self._job: LandscapeJob
        self._checkpoints: CheckpointSet | None = None

    def hold(self, folder: str) -> None:
        """Hold the axes of a job, unless they are held."""
        if folder != self._folder:
            job = load_job(folder)
            if job.identity.get("samples", self.model.data_hash) != self.model.data_hash:
                raise ModelError(
                    "callback_fn has returned other samples here than in the process that computes the landscape. "
                    "It returns the same ones each time, in the same order: shuffle=False, or a generator with a seed."
                )
            self._job, self._checkpoints, self._folder = job, None, ""
            self.model.hold(*load_axes(job))
            self._folder = folder

    def measurement(self, request: Request) -> Measurement:
        """Move the model and measure its loss."""
        begin = time.perf_counter()
        place = request.place
        try:
            if place.kind == "real":
                self.model.load(self._checkpoint(place.j))
            else:
                self.model.move(request.coordinates)
                if self._job.recalibrates:
                    self.model.recalibrate()
            sums = self.model.loss(0, place.samples)
        except Exception as error:  # The user's network may raise anything; other places may do better.
            return Measurement(place, None, time.perf_counter() - begin, f"{type(error).__name__}: {error}")
        return Measurement(place, sums, time.perf_counter() - begin)

    def _checkpoint(self, number: int) -> npt.NDArray[np.float32]:
        if self._checkpoints is None:
            self._checkpoints = self._job.checkpoints(self.model.layout)
        return self._checkpoints.rows[number]


def _resident(task: Task) -> _Resident:
    key = os.getpid(), task.model, task.device
    if key not in _residents:
        try:
            with open(task.model, "rb") as file:
                callback_fn: Any = import_module("cloudpickle").load(file)
            job = load_job(task.folder)
            model = model_of(callback_fn(), job.num_samples, task.device)
        except Exception:  # Of any class; perhaps one that the other process could not unpickle.
            raise ModelError(traceback.format_exc()) from None
        _residents[key] = _Resident(model)
    return _residents[key]


def _end_with_parent() -> None:
    """Have a worker of multiprocessing end when the process that gave it work was killed; once a process."""
    parent = parent_process()
    if parent is not None and os.getpid() not in _watching:
        _watching.add(os.getpid())
        threading.Thread(target=_await_end, args=(parent,), daemon=True, name="toposcope-parent").start()


def _await_end(parent: object) -> None:
    # What parent_process() returns has no public class to name.
    parent.join()  # type: ignore[attr-defined]
    os._exit(1)
