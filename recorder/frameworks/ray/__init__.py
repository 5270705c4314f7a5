"""Adapter for Ray Tune: a callback that records each trial."""

from toposcope.recorder.frameworks.ray.callback import ToposcopeCallback

__all__ = ["ToposcopeCallback"]
