"""Adapter for Optuna: a callback that records each trial of a study as a run."""

from toposcope.recorder.frameworks.optuna.callback import ToposcopeCallback

__all__ = ["ToposcopeCallback"]
