"""Adapter for Ultralytics: callbacks that record the trainings of a model."""

from toposcope.recorder.frameworks.ultralytics.callback import ToposcopeCallback
from toposcope.recorder.frameworks.ultralytics.default_callbacks import add_to_all_models

__all__ = ["ToposcopeCallback", "add_to_all_models"]
