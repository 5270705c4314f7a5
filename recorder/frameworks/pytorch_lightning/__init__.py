"""Adapter for Lightning, imported as `pytorch_lightning`, whose classes are not those of `lightning`."""

from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import Logger

from toposcope.recorder.frameworks.lightning.logger_methods import LoggerMethods
from toposcope.recorder.frameworks.lightning.trainer_hooks import TrainerHooks

__all__ = ["ToposcopeCallback", "ToposcopeLogger"]


class ToposcopeCallback(TrainerHooks, Callback):
    """Records the trainings of a Trainer, see TrainerHooks."""


class ToposcopeLogger(LoggerMethods, Logger):
    """Records what is logged in a Trainer or with Fabric, see LoggerMethods."""
