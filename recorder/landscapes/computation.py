"""The computation of the landscapes of one call: each is begun, measured stage by stage and published."""

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from toposcope.recorder import log
from toposcope.recorder.landscapes.landscape_plan import LandscapePlan, PlannedLandscape
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel, model_of
from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.planes.axes_of_kind import axes_of_kind
from toposcope.recorder.landscapes.planes.curvature import curvatures_along, hessian_eigenvalues
from toposcope.recorder.landscapes.planes.hessian_axes import hessian_axes
from toposcope.recorder.landscapes.planes.plane import Plane, load_plane, plane_of
from toposcope.recorder.landscapes.progress import Progress
from toposcope.recorder.landscapes.surface.grid import Grid, grid_for
from toposcope.recorder.landscapes.surface.refinement import PREVIEW_SAMPLES, Stage, level_losses, path_losses, stages
from toposcope.recorder.landscapes.surface.truth import NO_CURVATURE, Curvature, Setting, message_of
from toposcope.recorder.landscapes.sweep.hashing import hash_of
from toposcope.recorder.landscapes.sweep.job import (
    VERSION,
    LandscapeJob,
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
from toposcope.recorder.summary_record import SummaryRecord

_PLAIN_MODE = "eager"
_AROUND_THE_MODEL = ("random", "hessian")
_NOT_OF_CHECKPOINTS = (*_AROUND_THE_MODEL, "mindspore")
# A first picture that takes no longer is drawn by this process, before workers are there.
_SOON_SECONDS = 5.0


@dataclass
class Begun:
    """A landscape that is being measured."""

    planned: PlannedLandscape
    job: LandscapeJob
    checkpoints: CheckpointSet
    plane: Plane
    grid: Grid
    journal: Journal
    stages: list[Stage]
    curvature: Curvature = NO_CURVATURE
    known: int = 0
    """Losses, holes among them."""
    samples_left: int = 0
    """Behind the losses that are not known yet."""
    holes: int = 0

    @property
    def total(self) -> int:
        """Losses that are wanted."""
        return sum(len(stage.requests) for stage in self.stages)


@dataclass
class Computation:
    """Landscapes of one run; see SummaryLandscape."""

    ckpt_dir: str
    output: str
    plan: LandscapePlan
    workers: Workers
    axes: str
    seed: int
    levels: int | None
    eigenvalues: int
    told: Callable[[Progress], object] | None
    _files: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _writer: SummaryRecord | None = None
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
            sets = [self._checkpoints(planned, model) for planned in self.plan.landscapes]
            begun = [
                self._begin(planned, checkpoints, model)
                for planned, checkpoints in zip(self.plan.landscapes, sets, strict=True)
            ]
            self._measure_all(begun, model)
            if self.eigenvalues:
                for landscape in begun:
                    landscape.curvature = self._curvature(landscape, model)
                    self._publish(landscape, landscape.stages[-1], model)

    def _checkpoints(self, planned: PlannedLandscape, model: LandscapeModel) -> CheckpointSet:
        return CheckpointSet.open(self.ckpt_dir, planned.points, model.layout)

    def _begin(self, planned: PlannedLandscape, checkpoints: CheckpointSet, model: LandscapeModel) -> Begun:
        kind = self.axes if not planned.is_final or self.axes == "hessian" else "random"
        job = LandscapeJob(
            ckpt_dir=self.ckpt_dir,
            points=planned.points,
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
            plane = plane_of(axes, checkpoints, self.seed)
            save_job(job, axes, plane)
        # A path is nearly a point on a plane that has nothing to do with it.
        path = plane.coordinates if plane.has_path and kind not in _AROUND_THE_MODEL else None
        grid = grid_for(path, self.plan.landscape_size, self.levels, is_line=kind == "interpolate")
        journal = self._files.enter_context(Journal(journal_path(job)))
        planned_stages = stages(grid, plane.coordinates, plane.has_path, model.samples)
        begun = Begun(planned, job, checkpoints, plane, grid, journal, planned_stages)
        requests = [request for stage in planned_stages for request in stage.requests]
        left = [request.place.samples for request in requests if request.place not in journal.measured]
        begun.known, begun.samples_left = len(requests) - len(left), sum(left)
        return begun

    def _axes(self, kind: str, checkpoints: CheckpointSet, model: LandscapeModel) -> Axes:
        if kind != "hessian":
            return axes_of_kind(kind, checkpoints, self.seed)
        if not model.has_hvp:
            raise ValueError(f"axes 'hessian' need products with a Hessian, which a {model.network_name} tells not.")
        origin = checkpoints.rows[-1]
        model.load(origin)
        return hessian_axes(origin, model.layout, model.hvp, model.loss().mean, seed=self.seed)[0]

    def _loss_now(self, checkpoints: CheckpointSet, model: LandscapeModel) -> float:
        """Return the loss of the last checkpoint on some samples: it tells a changed network from the one before."""
        samples = min(PREVIEW_SAMPLES, model.samples)
        begin = time.perf_counter()
        model.load(checkpoints.rows[-1])
        loss = model.loss(0, samples).mean
        self._seconds_a_sample = (time.perf_counter() - begin) / samples
        return loss

    def _measure_all(self, begun: list[Begun], model: LandscapeModel) -> None:
        """Measure level by level, so that all landscapes become finer together."""
        for number in range(len(begun[0].stages)):  # All have as many levels.
            for landscape in begun:
                stage = landscape.stages[number]
                wanted = [request for request in stage.requests if request.place not in landscape.journal.measured]
                if wanted:
                    self._measure(landscape, stage, wanted, begun, model)
                if wanted or stage is landscape.stages[-1]:
                    self._publish(landscape, stage, model)

    def _measure(
        self, landscape: Begun, stage: Stage, wanted: list[Request], begun: list[Begun], model: LandscapeModel
    ) -> None:
        mode = _PLAIN_MODE if stage.samples < model.samples else self._mode(landscape, begun, model)
        sweep = self.workers.here
        if stage is not landscape.stages[0] or len(wanted) * stage.samples * self._seconds_a_sample > _SOON_SECONDS:
            sweep = self.workers.for_work(_samples_left(begun) * self._seconds_a_sample)
        begin, before = time.perf_counter(), landscape.known
        for measurement in sweep.run(landscape.job.folder, mode, wanted):
            landscape.journal.append(measurement)
            landscape.known += 1
            landscape.samples_left -= stage.samples
            if measurement.sums is None:
                landscape.holes += 1
                log.warn("%s: no loss at %s: %s", landscape.planned.tag, measurement.place, measurement.error)
            samples = (landscape.known - before) * stage.samples
            self._seconds_a_sample = (time.perf_counter() - begin) / samples
            self._tell(landscape, stage, begun)

    def _mode(self, landscape: Begun, begun: list[Begun], model: LandscapeModel) -> str:
        """Return how the network is run: as before, for the same bits, or as is fastest for what is left."""
        if (mode := load_mode(landscape.job)) is None:
            model.load(landscape.checkpoints.rows[-1])
            mode = model.tune(math.ceil(_samples_left(begun) / model.samples))
            save_mode(landscape.job, mode)
        return mode

    def _tell(self, landscape: Begun, stage: Stage, begun: list[Begun]) -> None:
        if self.told is not None:
            self.told(
                Progress(
                    landscape.planned.tag,
                    stage.level,
                    landscape.grid.levels,
                    sum(each.known for each in begun),
                    sum(each.total for each in begun),
                    sum(each.holes for each in begun),
                    _samples_left(begun) * self._seconds_a_sample,
                )
            )

    def _publish(self, landscape: Begun, stage: Stage, model: LandscapeModel) -> None:
        """Write what is known of a landscape, at step 0 as MindSpore does; readers take the newest."""
        plane, journal, job = landscape.plane, landscape.journal, landscape.job
        number, samples = len(plane.coordinates), stage.samples
        provenance = {
            "axes": plane.hash,
            "checkpoints": job.identity["checkpoints"],
            "samples": model.data_hash,
            "mode": f"evaluation, float32, {_PLAIN_MODE if samples < model.samples else load_mode(job)}",
            "network": model.network_name,
            "version": f"toposcope {_version()}, losses {VERSION}",
        }
        buffers = "recalibrated" if job.recalibrates else "moved" if model.has_statistics else "none"
        message = message_of(
            Setting(landscape.planned.points, self.plan.unit, self.plan.step_per_epoch, buffers, provenance),
            plane,
            landscape.grid,
            level_losses(journal, landscape.grid, stage),
            stage.level,
            samples,
            (path_losses(journal, "real", number, samples), path_losses(journal, "plane", number, samples)),
            landscape.curvature,
        )
        if self._writer is None:
            recorder = SummaryRecord(self.output, raise_exception=True, collects_operators=False)
            self._writer = self._files.enter_context(recorder)
        self._writer.add_value("landscape", landscape.planned.tag, message)
        self._writer.record(0)
        self._writer.flush()

    def _curvature(self, landscape: Begun, model: LandscapeModel) -> Curvature:
        """Return the curvature of the loss at the last checkpoint."""
        parameters = model.layout.parameter_count
        model.load(landscape.checkpoints.rows[-1])
        found = hessian_eigenvalues(model.hvp, parameters, largest=self.eigenvalues, seed=self.seed)
        directions = np.asarray(load_axes(landscape.job).directions[:, :parameters])
        return Curvature(found.values, found.residuals, curvatures_along(model.hvp, directions))


def _samples_left(begun: list[Begun]) -> int:
    return sum(landscape.samples_left for landscape in begun)


def _version() -> str:
    try:
        return version("toposcope")
    except PackageNotFoundError:  # It runs from a folder of sources.
        return "unknown"
