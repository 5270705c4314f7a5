"""Checkpoints: those that Ultralytics has saved, for the lineage."""

from typing import Any

from toposcope.recorder.training.events.callback import Callback


class Checkpoints(Callback):
    """Names the newest checkpoint for the lineage."""

    latest_ckpt_file_name: str | None = None
    """The path of the newest checkpoint, None before the first."""

    def saved_by(self, trainer: Any) -> str:
        """Return the paths of the checkpoints that a trainer has just saved, separated by commas."""
        paths = [str(trainer.last)]
        if trainer.best_fitness == trainer.fitness:
            paths.append(str(trainer.best))
        if trainer.save_period > 0 and trainer.epoch % trainer.save_period == 0:
            paths.append(str(trainer.wdir / f"epoch{trainer.epoch}.pt"))
        self.latest_ckpt_file_name = paths[0]
        return ", ".join(paths)
