"""LandscapeProgress: a landscape while it is being measured."""

from dataclasses import dataclass

from toposcope.recorder.landscapes.plan.landscape_plan import PlannedLandscape
from toposcope.recorder.landscapes.planes.plane import Plane
from toposcope.recorder.landscapes.surface.grid import Grid
from toposcope.recorder.landscapes.surface.landscape_message import NO_CURVATURE, Curvature
from toposcope.recorder.landscapes.surface.refinement import Stage
from toposcope.recorder.landscapes.sweep.job import LandscapeJob
from toposcope.recorder.landscapes.sweep.journal import Journal, Measurement
from toposcope.recorder.landscapes.sweep.measuring import Request
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet


@dataclass
class LandscapeProgress:
    """What a landscape is measured from, and how many of its losses are measured."""

    planned: PlannedLandscape
    job: LandscapeJob
    checkpoints: CheckpointSet
    plane: Plane
    grid: Grid
    journal: Journal
    stages: list[Stage]
    curvature: Curvature = NO_CURVATURE
    measured: int = 0
    """Measured losses, including holes."""
    samples_left: int = 0
    """Samples to evaluate for the losses that are not measured yet."""
    holes: int = 0

    def __post_init__(self) -> None:
        """Count the losses in the journal."""
        unmeasured = [request for stage in self.stages for request in self.unmeasured(stage)]
        self.measured = self.total - len(unmeasured)
        self.samples_left = sum(request.place.samples for request in unmeasured)

    @property
    def total(self) -> int:
        """The number of losses to measure."""
        return sum(len(stage.requests) for stage in self.stages)

    def unmeasured(self, stage: Stage) -> list[Request]:
        """Return the requests of a stage that are not measured yet."""
        return [request for request in stage.requests if request.place not in self.journal.measured]

    def add(self, measurement: Measurement) -> None:
        """Store a loss, or a hole; OSError if it cannot be written."""
        self.journal.append(measurement)
        self.measured += 1
        self.samples_left -= measurement.place.samples
        self.holes += measurement.sums is None
