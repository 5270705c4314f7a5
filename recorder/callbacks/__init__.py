"""Callbacks of trainings, one per module; and what else `mindspore.train.callback` has: Callback, RunContext, ..."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.callbacks.backup_and_restore import BackupAndRestore
    from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
    from toposcope.recorder.callbacks.early_stopping import EarlyStopping
    from toposcope.recorder.callbacks.flops_utilization_collector import FlopsUtilizationCollector
    from toposcope.recorder.callbacks.history import History
    from toposcope.recorder.callbacks.lambda_callback import LambdaCallback
    from toposcope.recorder.callbacks.learning_rate_scheduler import LearningRateScheduler
    from toposcope.recorder.callbacks.loss_monitor import LossMonitor
    from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
    from toposcope.recorder.callbacks.on_request_exit import OnRequestExit
    from toposcope.recorder.callbacks.reduce_lr_on_plateau import ReduceLROnPlateau
    from toposcope.recorder.callbacks.summary_collector import SummaryCollector
    from toposcope.recorder.callbacks.time_monitor import TimeMonitor
    from toposcope.recorder.landscapes import SummaryLandscape
    from toposcope.recorder.training.events.callback import Callback
    from toposcope.recorder.training.events.run_context import RunContext

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "FlopsUtilizationCollector",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryLandscape",
    "TimeMonitor",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "BackupAndRestore": "toposcope.recorder.callbacks.backup_and_restore",
        "Callback": "toposcope.recorder.training.events.callback",
        "CheckpointConfig": "toposcope.recorder.callbacks.checkpoint_config",
        "EarlyStopping": "toposcope.recorder.callbacks.early_stopping",
        "FlopsUtilizationCollector": "toposcope.recorder.callbacks.flops_utilization_collector",
        "History": "toposcope.recorder.callbacks.history",
        "LambdaCallback": "toposcope.recorder.callbacks.lambda_callback",
        "LearningRateScheduler": "toposcope.recorder.callbacks.learning_rate_scheduler",
        "LossMonitor": "toposcope.recorder.callbacks.loss_monitor",
        "ModelCheckpoint": "toposcope.recorder.callbacks.model_checkpoint",
        "OnRequestExit": "toposcope.recorder.callbacks.on_request_exit",
        "ReduceLROnPlateau": "toposcope.recorder.callbacks.reduce_lr_on_plateau",
        "RunContext": "toposcope.recorder.training.events.run_context",
        "SummaryCollector": "toposcope.recorder.callbacks.summary_collector",
        "SummaryLandscape": "toposcope.recorder.landscapes",
        "TimeMonitor": "toposcope.recorder.callbacks.time_monitor",
    },
)
