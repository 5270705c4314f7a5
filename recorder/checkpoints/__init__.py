"""Checkpoints: networks and optimizers saved to files, atomically, and restored from them."""

from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.loading import load_checkpoint
from toposcope.recorder.checkpoints.restoring import restore
from toposcope.recorder.checkpoints.saving import save_checkpoint

__all__ = ["Checkpoint", "load_checkpoint", "restore", "save_checkpoint"]
