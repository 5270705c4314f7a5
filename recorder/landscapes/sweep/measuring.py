"""measure(): the function that workers run, with the model that stays in each worker process."""

import os
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Sequence
from importlib import import_module
from multiprocessing import parent_process
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel, model_of
from toposcope.recorder.landscapes.models.unit_losses import UnitLosses
from toposcope.recorder.landscapes.sweep.job import LandscapeJob, load_axes, load_job
from toposcope.recorder.landscapes.sweep.journal import Measurement, Place
from toposcope.recorder.landscapes.sweep.reference_losses import ReferenceLosses
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet


class Request(NamedTuple):
    """A loss to measure."""

    place: Place
    coordinates: tuple[float, ...]
    """On the plane; unused for the real loss of a checkpoint."""


class Task(NamedTuple):
    """Losses of one landscape to measure, about a second of work, as plain data."""

    folder: str
    """The job's folder, which the worker can read."""
    model: str
    """The path of a pickled callback_fn, or the name of a model in this process."""
    device: int | None
    mode: str
    """The mode of the model, with the same bits in every process."""
    attempt: int
    """The number of the attempt: Dask would return the cached result of an equal call."""
    requests: tuple[Request, ...]


class ModelError(RuntimeError):
    """callback_fn raised, or its result cannot be measured; the text contains the reason or the worker's traceback."""


# In a process, one thread measures at a time: callback_fn may return the same network twice.
_measuring = threading.Lock()
_residents: dict[tuple[int, str, int | None], "_Resident"] = {}
_watching: set[int] = set()


def keep_model(name: str, device: int | None, model: LandscapeModel) -> None:
    """Store a model for the tasks in this process that name it."""
    _residents[os.getpid(), name, device] = _Resident(model)


def drop_model(name: str, device: int | None) -> None:
    """Remove a model and restore its network."""
    with _measuring:
        if (resident := _residents.pop((os.getpid(), name, device), None)) is not None:
            resident.model.restore()


def measure(task: Task) -> list[Measurement]:
    """Return the measurements of a task, with a hole for each loss that raised.

    Raises:
        ModelError: there is no model, or its samples differ from those of the job.
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
    """A model, its current job, and the losses that others are compared with."""

    def __init__(self, model: LandscapeModel) -> None:
        self.model = model
        self._folder = ""
        self._job: LandscapeJob
        self._checkpoints: CheckpointSet | None = None
        self._references: defaultdict[str, ReferenceLosses] = defaultdict(lambda: ReferenceLosses(self._losses))
        """The reference losses, by the folder of the job: landscapes are refined in turns."""

    def hold(self, folder: str) -> None:
        """Load the axes of a job into the model, unless they are loaded."""
        if folder != self._folder:
            job = load_job(folder)
            if job.identity.get("samples", self.model.data_hash) != self.model.data_hash:
                raise ModelError(
                    "callback_fn has returned other samples than in the process that computes the landscape. It must "
                    "return the same samples in the same order each time: use shuffle=False, or a seeded generator."
                )
            self._job, self._checkpoints, self._folder = job, None, ""
            self.model.hold(*load_axes(job))
            self._folder = folder

    def measurement(self, request: Request) -> Measurement:
        """Move the model and measure its loss."""
        begin = time.perf_counter()
        place = request.place
        try:
            losses = self._losses(place, request.coordinates)
        except Exception as error:  # The user's network may raise anything; other places may succeed.
            return Measurement(place, None, time.perf_counter() - begin, f"{type(error).__name__}: {error}")
        difference = self._references[self._folder].difference(*request, losses, self.model.mode)
        return Measurement(place, losses.sums, time.perf_counter() - begin, difference=difference)

    def _losses(self, place: Place, coordinates: Sequence[float]) -> UnitLosses:
        if place.kind == "real":
            self.model.load(self._checkpoint(place.j))
        else:
            self.model.move(coordinates)
            if self._job.recalibrates:
                self.model.recalibrate()
        return self.model.losses(0, place.samples)

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
        except Exception:  # Of any class, possibly one that the other process cannot unpickle.
            raise ModelError(traceback.format_exc()) from None
        _residents[key] = _Resident(model)
    return _residents[key]


def _end_with_parent() -> None:
    """End a worker of multiprocessing when its parent process is killed; effective once a process."""
    parent = parent_process()
    if parent is not None and os.getpid() not in _watching:
        _watching.add(os.getpid())
        threading.Thread(target=_await_end, args=(parent,), daemon=True, name="toposcope-parent").start()


def _await_end(parent: object) -> None:
    # The result of parent_process() has no public class.
    parent.join()  # type: ignore[attr-defined]
    os._exit(1)
