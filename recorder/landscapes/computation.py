"""The computation of the landscapes of one call: each is planned, measured stage by stage and published."""

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
_NOT_FROM_CHECKPOINTS = (*_AROUND_THE_MODEL, "mindspore")
# A first picture that takes no longer than this is measured in this process, before workers have started.
_PREVIEW_SECONDS = 5.0


@dataclass
class Computation:
    """Landscapes of one run; see SummaryLandscape."""

    plan: LandscapePlan
    workers: Workers
    axes: str
    seed: int
    levels: int | None
    eigenvalues: int
    mode: str | None
    """The mode of all losses; None: the fastest one."""
    progress: Callable[[Progress], object] | None
    _files: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _seconds_per_sample: float = math.nan

    def run(self, result: Any) -> None:
        """Compute the landscapes with what callback_fn has returned."""
        model = model_of(result, self.plan.num_samples, self.workers.device)
        with self.workers.holding(model), self._files:
            for note in model.notes:
                log.warn("%s", note)
            if self.eigenvalues and not model.has_hvp:
                raise ValueError(
                    f"eigenvalues must be 0: a {model.network_name} does not provide Hessian-vector products."
                )
            if self.mode is not None:
                model.use(self.mode)  # It raises ValueError before anything is measured.
                model.use(PLAIN_MODE)
            # All files are opened before anything is measured.
            sets = [_checkpoints(planned, model) for planned in self.plan.landscapes]
            landscapes = [
                self._start(planned, checkpoints, model)
                for planned, checkpoints in zip(self.plan.landscapes, sets, strict=True)
            ]
            publisher = self._files.enter_context(Publisher(model))
            self._measure_all(landscapes, model, publisher)
            if self.eigenvalues:
                for landscape in landscapes:
                    landscape.curvature = self._curvature(landscape, model)
                    publisher.publish(landscape, landscape.stages[-1])

    def _start(self, planned: PlannedLandscape, checkpoints: CheckpointSet, model: LandscapeModel) -> LandscapeProgress:
        kind = self.axes if not planned.is_final or self.axes in OF_THE_HESSIAN else "random"
        own = planned.main_run
        job = LandscapeJob(
            ckpt_dir=own.ckpt_dir,
            points=own.points,
            others=_others(planned),
            landscape_size=self.plan.landscape_size,
            num_samples=self.plan.num_samples,
            recalibrates=model.has_statistics and kind in _NOT_FROM_CHECKPOINTS,
            identity={
                "axes": kind,
                "checkpoints": hash_of("".join(checkpoints.hashes).encode()),
                "layout": hash_of(repr(model.layout).encode()),
                "samples": model.data_hash,
                "seed": str(self.seed),
                "loss": f"{self._identifying_loss(checkpoints, model):.5g}",
                **({} if self.mode is None else {"mode": self.mode}),
            },
        )
        if is_saved(job):
            plane = load_plane(job.folder)
        else:
            axes = self._axes(kind, checkpoints, model)
            plane = plane_of(axes, checkpoints, job.trainings, self.seed)
            save_job(job, axes, plane)
        # On a plane that is not made from the path, the path is nearly a point.
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
            raise ValueError(
                f"axes {kind!r} need Hessian-vector products, which a {model.network_name} does not provide."
            )
        origin = checkpoints.rows[-1]
        model.load(origin)
        loss, is_saddle = model.losses().sums.mean, kind == "saddle"
        return hessian_axes(origin, model.layout, model.hvp, loss, is_saddle=is_saddle, seed=self.seed)[0]

    def _identifying_loss(self, checkpoints: CheckpointSet, model: LandscapeModel) -> float:
        """Return the loss of the last checkpoint on some samples, which identifies the network in the job."""
        samples = min(PREVIEW_SAMPLES, model.samples)
        begin = time.perf_counter()
        model.load(checkpoints.rows[-1])
        loss = model.losses(0, samples).sums.mean
        self._seconds_per_sample = (time.perf_counter() - begin) / samples
        return loss

    def _measure_all(self, landscapes: list[LandscapeProgress], model: LandscapeModel, publisher: Publisher) -> None:
        """Measure level by level, so that all landscapes are refined together."""
        for number in range(len(landscapes[0].stages)):  # All have the same number of stages.
            for landscape in landscapes:
                stage = landscape.stages[number]
                if requests := landscape.unmeasured(stage):
                    self._measure(landscape, stage, requests, landscapes, model)
                if requests or stage is landscape.stages[-1]:
                    publisher.publish(landscape, stage)

    def _measure(
        self,
        landscape: LandscapeProgress,
        stage: Stage,
        requests: list[Request],
        landscapes: list[LandscapeProgress],
        model: LandscapeModel,
    ) -> None:
        mode = PLAIN_MODE if stage.samples < model.samples else self._mode(landscape, landscapes, model)
        sweep = self.workers.this_process
        if (
            stage is not landscape.stages[0]
            or len(requests) * stage.samples * self._seconds_per_sample > _PREVIEW_SECONDS
        ):
            sweep = self.workers.for_work(_samples_left(landscapes) * self._seconds_per_sample)
        begin, before = time.perf_counter(), landscape.measured
        for measurement in sweep.run(landscape.job.folder, mode, requests):
            landscape.add(measurement)
            if measurement.sums is None:
                tag = landscape.planned.main_run.tag
                log.warn("%s: no loss at %s: %s", tag, measurement.place, measurement.error)
            samples = (landscape.measured - before) * stage.samples
            self._seconds_per_sample = (time.perf_counter() - begin) / samples
            self._report(landscape, stage, landscapes)

    def _mode(self, landscape: LandscapeProgress, landscapes: list[LandscapeProgress], model: LandscapeModel) -> str:
        """Return the saved mode of a job, for the same bits, or else that of the user, or the fastest one."""
        if (mode := load_mode(landscape.job)) is None:
            model.load(landscape.checkpoints.rows[-1])
            mode = self.mode or model.tune(math.ceil(_samples_left(landscapes) / model.samples))
            save_mode(landscape.job, mode)
        return mode

    def _report(self, landscape: LandscapeProgress, stage: Stage, landscapes: list[LandscapeProgress]) -> None:
        if self.progress is not None:
            self.progress(
                Progress(
                    landscape.planned.main_run.tag,
                    stage.level,
                    landscape.grid.levels,
                    sum(each.measured for each in landscapes),
                    sum(each.total for each in landscapes),
                    sum(each.holes for each in landscapes),
                    _samples_left(landscapes) * self._seconds_per_sample,
                )
            )

    def _curvature(self, landscape: LandscapeProgress, model: LandscapeModel) -> Curvature:
        """Return the curvature of the loss at the last checkpoint."""
        parameters = model.layout.parameter_count
        model.load(landscape.checkpoints.rows[-1])
        eigenvalues = hessian_eigenvalues(model.hvp, parameters, largest=self.eigenvalues, seed=self.seed)
        directions = np.asarray(load_axes(landscape.job).directions[:, :parameters])
        return Curvature(eigenvalues.values, eigenvalues.residuals, curvatures_along(model.hvp, directions))


def _samples_left(landscapes: list[LandscapeProgress]) -> int:
    return sum(landscape.samples_left for landscape in landscapes)


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
