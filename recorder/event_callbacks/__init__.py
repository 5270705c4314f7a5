"""Ready-made event callbacks, one per module, with the names and parameters of Composer's."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.event_callbacks.early_stopper import EarlyStopper
    from toposcope.recorder.event_callbacks.lr_monitor import LRMonitor
    from toposcope.recorder.event_callbacks.memory_monitor import MemoryMonitor
    from toposcope.recorder.event_callbacks.nan_monitor import NaNMonitor
    from toposcope.recorder.event_callbacks.optimizer_monitor import OptimizerMonitor
    from toposcope.recorder.event_callbacks.runtime_estimator import RuntimeEstimator
    from toposcope.recorder.event_callbacks.speed_monitor import SpeedMonitor
    from toposcope.recorder.event_callbacks.system_metrics_monitor import SystemMetricsMonitor
    from toposcope.recorder.event_callbacks.threshold_stopper import ThresholdStopper

__all__ = [
    "EarlyStopper",
    "LRMonitor",
    "MemoryMonitor",
    "NaNMonitor",
    "OptimizerMonitor",
    "RuntimeEstimator",
    "SpeedMonitor",
    "SystemMetricsMonitor",
    "ThresholdStopper",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "EarlyStopper": "toposcope.recorder.event_callbacks.early_stopper",
        "LRMonitor": "toposcope.recorder.event_callbacks.lr_monitor",
        "MemoryMonitor": "toposcope.recorder.event_callbacks.memory_monitor",
        "NaNMonitor": "toposcope.recorder.event_callbacks.nan_monitor",
        "OptimizerMonitor": "toposcope.recorder.event_callbacks.optimizer_monitor",
        "RuntimeEstimator": "toposcope.recorder.event_callbacks.runtime_estimator",
        "SpeedMonitor": "toposcope.recorder.event_callbacks.speed_monitor",
        "SystemMetricsMonitor": "toposcope.recorder.event_callbacks.system_metrics_monitor",
        "ThresholdStopper": "toposcope.recorder.event_callbacks.threshold_stopper",
    },
)
