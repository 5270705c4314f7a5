"""Callbacks, one a file: what can be added to a training."""

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

__all__ = [
    "CheckpointConfig",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "ReduceLROnPlateau",
    "SummaryCollector",
    "TimeMonitor",
]
