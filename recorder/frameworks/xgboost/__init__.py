"""Adapter for XGBoost: a TrainingCallback that records trainings and cross-validations."""

from toposcope.recorder.frameworks.xgboost.callback import ToposcopeCallback

__all__ = ["ToposcopeCallback"]
