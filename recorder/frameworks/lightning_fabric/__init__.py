"""Adapter for Fabric without the Trainer, imported as `lightning_fabric`."""

from lightning_fabric.loggers import Logger

from toposcope.recorder.frameworks.lightning.logger_methods import LoggerMethods

__all__ = ["ToposcopeLogger"]


class ToposcopeLogger(LoggerMethods, Logger):
    """Records what is logged with Fabric, see LoggerMethods."""
