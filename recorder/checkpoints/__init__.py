"""Checkpoints: networks and optimizers saved to files, atomically, and restored from them."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.checkpoints.checkpoint import Checkpoint
    from toposcope.recorder.checkpoints.loading import load_checkpoint
    from toposcope.recorder.checkpoints.saving import save_checkpoint
    from toposcope.recorder.checkpoints.state.restoring import restore

__all__ = [
    "Checkpoint",
    "load_checkpoint",
    "restore",
    "save_checkpoint",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Checkpoint": "toposcope.recorder.checkpoints.checkpoint",
        "load_checkpoint": "toposcope.recorder.checkpoints.loading",
        "restore": "toposcope.recorder.checkpoints.state.restoring",
        "save_checkpoint": "toposcope.recorder.checkpoints.saving",
    },
)
