"""Callbacks of trainings, one per module; and what else `mindspore.train.callback` has: Callback, RunContext, ...

SummaryLandscape is imported on demand.
"""

from typing import TYPE_CHECKING, Any

from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
from toposcope.recorder.callbacks.early_stopping import EarlyStopping
from toposcope.recorder.callbacks.history import History
from toposcope.recorder.callbacks.lambda_callback import LambdaCallback
from toposcope.recorder.callbacks.learning_rate_scheduler import LearningRateScheduler
from toposcope.recorder.callbacks.loss_monitor import LossMonitor
from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
from toposcope.recorder.callbacks.reduce_lr_on_plateau import ReduceLROnPlateau
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.callbacks.time_monitor import TimeMonitor
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.run_context import RunContext

if TYPE_CHECKING:
    from toposcope.recorder.landscapes import SummaryLandscape

__all__ = [
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryLandscape",
    "TimeMonitor",
]


def __getattr__(name: str) -> Any:
    if name == "SummaryLandscape":
        # Imported on demand, as a training does not need it.
        from toposcope.recorder.landscapes import SummaryLandscape

        return SummaryLandscape
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
