"""Adapter for LightGBM: a callback that records trainings and cross-validations."""

from toposcope.recorder.frameworks.lightgbm.callback import ToposcopeCallback

__all__ = ["ToposcopeCallback"]
