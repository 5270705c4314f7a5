"""The computation of the landscapes of one call: each is begun, measured stage by stage and published."""

import contextlib
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from toposcope.recorder import log
from toposcope.recorder.landscapes.landscape_progress import LandscapeProgress
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel, model_of
from toposcope.recorder.landscapes.plan.landscape_plan import LandscapePlan, PlannedLandscape
from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.planes.axes_of_kind import OF_THE_HESSIAN, axes_of_kind
from toposcope.recorder.landscapes.planes.curvature import curvatures_along, hessian_eigenvalues
from toposcope.recorder.landscapes.planes.hessian_axes import hessian_axes
from toposcope.recorder.landscapes.planes.plane import load_plane, plane_of
from toposcope.recorder.landscapes.progress import Progress
from toposcope.recorder.landscapes.publisher import PLAIN_MODE, Publisher
from toposcope.recorder.landscapes.surface.grid import grid_for
from toposcope.recorder.landscapes.surface.landscape_message import Curvature
from toposcope.recorder.landscapes.surface.refinement import PREVIEW_SAMPLES, Stage, stages
from toposcope.recorder.landscapes.sweep.job import (
    LandscapeJob,
    Training,
    is_saved,
    journal_path,
    load_axes,
    load_mode,
    save_job,
    save_mode,
)
from toposcope.recorder.landscapes.sweep.journal import Journal
from toposcope.recorder.landscapes.sweep.measuring import Request
from toposcope.recorder.landscapes.sweep.workers import Workers
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.hashing import hash_of

_AROUND_THE_MODEL = ("random", *OF_THE_HESSIAN)
_NOT_OF_CHECKPOINTS = (*_AROUND_THE_MODEL, "mindspore")
# A first picture that takes no longer is drawn by this process, before workers are there.
_SOON_SECONDS = 5.0


@dataclass
class Computation:
    """Landscapes of one run; see SummaryLandscape."""

    plan: LandscapePlan
    workers: Workers
    axes: str
    seed: int
    levels: int | None
    eigenvalues: int
    told: Callable[[Progress], object] | None
    _files: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _seconds_a_sample: float = math.nan

    def run(self, result: Any) -> None:
        """Compute the landscapes with what callback_fn has returned."""
        model = model_of(result, self.plan.num_samples, self.workers.device)
        with self.workers.holding(model), self._files:
            for note in model.notes:
                log.warn("%s", note)
            if self.eigenvalues and not model.has_hvp:
                raise ValueError(
                    f"eigenvalues are 0 for a {model.network_name}, which tells no products with a Hessian."
                )
            # All files are looked for before anything is measured.
            sets = [_checkpoints(planned, model) for planned in self.plan.landscapes]
            begun = [
                self._begin(planned, checkpoints, model)
                for planned, checkpoints in zip(self.plan.landscapes, sets, strict=True)
            ]
            publisher = self._files.enter_context(Publisher(model))
            self._measure_all(begun, model, publisher)
            if self.eigenvalues:
                for landscape in begun:
                    landscape.curvature = self._curvature(landscape, model)
                    publisher.publish(landscape, landscape.stages[-1])

    def _begin(self, planned: PlannedLandscape, checkpoints: CheckpointSet, model: LandscapeModel) -> LandscapeProgress:
        kind = self.axes if not planned.is_final or self.axes in OF_THE_HESSIAN else "random"
        own = planned.own
        job = LandscapeJob(
            ckpt_dir=own.ckpt_dir,
            points=own.points,
            others=_others(planned),
            landscape_size=self.plan.landscape_size,
            num_samples=self.plan.num_samples,
            recalibrates=model.has_statistics and kind in _NOT_OF_CHECKPOINTS,
            identity={
                "axes": kind,
                "checkpoints": hash_of("".join(checkpoints.hashes).encode()),
                "layout": hash_of(repr(model.layout).encode()),
                "samples": model.data_hash,
                "seed": str(self.seed),
                "loss": f"{self._loss_now(checkpoints, model):.5g}",
            },
        )
        if is_saved(job):
            plane = load_plane(job.folder)
        else:
            axes = self._axes(kind, checkpoints, model)
            plane = plane_of(axes, checkpoints, job.trainings, self.seed)
            save_job(job, axes, plane)
        # A path is nearly a point on a plane that has nothing to do with it.
        has_path = not planned.is_final
        path = plane.coordinates if has_path and kind not in _AROUND_THE_MODEL else None
        grid = grid_for(path, self.plan.landscape_size, self.levels, is_line=kind == "interpolate")
        journal = self._files.enter_context(Journal(journal_path(job)))
        return LandscapeProgress(
            planned, job, checkpoints, plane, grid, journal, stages(grid, plane.coordinates, has_path, model.samples)
        )

    def _axes(self, kind: str, checkpoints: CheckpointSet, model: LandscapeModel) -> Axes:
        if kind not in OF_THE_HESSIAN:
            return axes_of_kind(kind, checkpoints, self.seed)
        if not model.has_hvp:
            raise ValueError(f"axes {kind!r} need products with a Hessian, which a {model.network_name} tells not.")
        origin = checkpoints.rows[-1]
        model.load(origin)
        loss, is_saddle = model.loss().mean, kind == "saddle"
        return hessian_axes(origin, model.layout, model.hvp, loss, is_saddle=is_saddle, seed=self.seed)[0]

    def _loss_now(self, checkpoints: CheckpointSet, model: LandscapeModel) -> float:
        """Return the loss of the last checkpoint on some samples: it tells a changed network from the one before."""
        samples = min(PREVIEW_SAMPLES, model.samples)
        begin = time.perf_counter()
        model.load(checkpoints.rows[-1])
        loss = model.loss(0, samples).mean
        self._seconds_a_sample = (time.perf_counter() - begin) / samples
        return loss

    def _measure_all(self, begun: list[LandscapeProgress], model: LandscapeModel, publisher: Publisher) -> None:
        """Measure level by level, so that all landscapes become finer together."""
        for number in range(len(begun[0].stages)):  # All have as many levels.
            for landscape in begun:
                stage = landscape.stages[number]
                if wanted := landscape.left(stage):
                    self._measure(landscape, stage, wanted, begun, model)
                if wanted or stage is landscape.stages[-1]:
                    publisher.publish(landscape, stage)

    def _measure(
        self,
        landscape: LandscapeProgress,
        stage: Stage,
        wanted: list[Request],
        begun: list[LandscapeProgress],
        model: LandscapeModel,
    ) -> None:
        mode = PLAIN_MODE if stage.samples < model.samples else self._mode(landscape, begun, model)
        sweep = self.workers.here
        if stage is not landscape.stages[0] or len(wanted) * stage.samples * self._seconds_a_sample > _SOON_SECONDS:
            sweep = self.workers.for_work(_samples_left(begun) * self._seconds_a_sample)
        begin, before = time.perf_counter(), landscape.known
        for measurement in sweep.run(landscape.job.folder, mode, wanted):
            landscape.take(measurement)
            if measurement.sums is None:
                tag = landscape.planned.own.tag
                log.warn("%s: no loss at %s: %s", tag, measurement.place, measurement.error)
            samples = (landscape.known - before) * stage.samples
            self._seconds_a_sample = (time.perf_counter() - begin) / samples
            self._tell(landscape, stage, begun)

    def _mode(self, landscape: LandscapeProgress, begun: list[LandscapeProgress], model: LandscapeModel) -> str:
        """Return how the network is run: as before, for the same bits, or as is fastest for what is left."""
        if (mode := load_mode(landscape.job)) is None:
            model.load(landscape.checkpoints.rows[-1])
            mode = model.tune(math.ceil(_samples_left(begun) / model.samples))
            save_mode(landscape.job, mode)
        return mode

    def _tell(self, landscape: LandscapeProgress, stage: Stage, begun: list[LandscapeProgress]) -> None:
        if self.told is not None:
            self.told(
                Progress(
                    landscape.planned.own.tag,
                    stage.level,
                    landscape.grid.levels,
                    sum(each.known for each in begun),
                    sum(each.total for each in begun),
                    sum(each.holes for each in begun),
                    _samples_left(begun) * self._seconds_a_sample,
                )
            )

    def _curvature(self, landscape: LandscapeProgress, model: LandscapeModel) -> Curvature:
        """Return the curvature of the loss at the last checkpoint."""
        parameters = model.layout.parameter_count
        model.load(landscape.checkpoints.rows[-1])
        found = hessian_eigenvalues(model.hvp, parameters, largest=self.eigenvalues, seed=self.seed)
        directions = np.asarray(load_axes(landscape.job).directions[:, :parameters])
        return Curvature(found.values, found.residuals, curvatures_along(model.hvp, directions))


def _samples_left(begun: list[LandscapeProgress]) -> int:
    return sum(landscape.samples_left for landscape in begun)


def _checkpoints(planned: PlannedLandscape, model: LandscapeModel) -> CheckpointSet:
    return CheckpointSet.open_together([(run.ckpt_dir, run.points) for run in planned.runs], model.layout)


def _others(planned: PlannedLandscape) -> tuple[Training, ...]:
    own, *others = planned.runs
    return tuple(Training(_relative(other.ckpt_dir, own.ckpt_dir), other.points) for other in others)


def _relative(path: str, folder: str) -> str:
    try:
        return os.path.relpath(path, folder)
    except ValueError:  # On another drive of Windows.
        return os.path.abspath(path)
