"""Adapter for CatBoost: a callback that records trainings."""

from toposcope.recorder.frameworks.catboost.callback import ToposcopeCallback

__all__ = ["ToposcopeCallback"]
