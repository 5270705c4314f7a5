"""Publisher: writes landscapes into event files of their runs."""

import contextlib
from importlib.metadata import PackageNotFoundError, version

from toposcope.recorder.landscapes.landscape_progress import LandscapeProgress
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel
from toposcope.recorder.landscapes.surface.landscape_message import Setting, message_of
from toposcope.recorder.landscapes.surface.refinement import Stage, level_losses, path_losses
from toposcope.recorder.landscapes.sweep.job import VERSION, load_mode
from toposcope.recorder.landscapes.weights.hashing import hash_of
from toposcope.recorder.record.summary_record import SummaryRecord

PLAIN_MODE = "eager"
"""The mode in which previews are measured."""


class Publisher(contextlib.ExitStack):
    """Writes one event file for each run, created with the first landscape of the run."""

    def __init__(self, model: LandscapeModel) -> None:
        """Publish losses of a model."""
        super().__init__()
        self._model = model
        self._recorders: dict[str, SummaryRecord] = {}

    def publish(self, landscape: LandscapeProgress, stage: Stage) -> None:
        """Write a landscape for each of its runs, at step 0 as MindSpore does; readers use the newest one.

        Raises:
            OSError: it cannot be written.
        """
        plane, grid, journal, samples = landscape.plane, landscape.grid, landscape.journal, stage.samples
        losses = level_losses(journal, grid, stage)
        for run, path in zip(landscape.planned.runs, plane.paths, strict=True):
            hashes = [landscape.checkpoints.hashes[number] for number in path.numbers]
            setting = Setting(run, self._buffers(landscape), self._provenance(landscape, hashes, samples))
            along = (
                path_losses(journal, "real", path.numbers, samples),
                path_losses(journal, "plane", path.numbers, samples),
            )
            message = message_of(setting, plane, path, grid, losses, stage.level, samples, along, landscape.curvature)
            recorder = self._recorder(run.directory)
            recorder.add_value("landscape", run.tag, message)
            recorder.record(0)
            recorder.flush()

    def _recorder(self, directory: str) -> SummaryRecord:
        if directory not in self._recorders:
            recorder = SummaryRecord(directory, raise_exception=True, collects_operators=False)
            self._recorders[directory] = self.enter_context(recorder)
        return self._recorders[directory]

    def _buffers(self, landscape: LandscapeProgress) -> str:
        if not (self._model.has_statistics or self._model.layout.variances.size):
            return "none"
        if landscape.job.recalibrates:
            return "recalibrated"
        return "moved" if landscape.plane.buffers_move else "frozen"

    def _provenance(self, landscape: LandscapeProgress, hashes: list[str], samples: int) -> dict[str, str]:
        mode = PLAIN_MODE if samples < self._model.samples else load_mode(landscape.job)
        return {
            "axes": landscape.plane.hash,
            "checkpoints": hash_of("".join(hashes).encode()),
            "samples": self._model.data_hash,
            "mode": f"evaluation, float32, {mode}",
            "network": self._model.network_name,
            "version": f"toposcope {_version()}, losses {VERSION}",
        }


def _version() -> str:
    try:
        return version("toposcope")
    except PackageNotFoundError:  # Not installed: imported from a folder of sources.
        return "unknown"
