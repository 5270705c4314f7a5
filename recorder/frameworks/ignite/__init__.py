"""Adapter for Ignite: a logger and its handlers."""

from toposcope.recorder.frameworks.ignite.handlers import (
    GradsHistHandler,
    OptimizerParamsHandler,
    OutputHandler,
    WeightsHistHandler,
)
from toposcope.recorder.frameworks.ignite.logger import ToposcopeLogger

__all__ = ["GradsHistHandler", "OptimizerParamsHandler", "OutputHandler", "ToposcopeLogger", "WeightsHistHandler"]
