"""ToposcopeLogger for `lightning`."""

from lightning.pytorch.loggers import Logger

from toposcope.recorder.frameworks.lightning.logger_methods import LoggerMethods


class ToposcopeLogger(LoggerMethods, Logger):
    """Records what is logged in a Trainer or with Fabric, see LoggerMethods."""
