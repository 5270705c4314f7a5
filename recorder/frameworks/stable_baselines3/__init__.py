"""Adapter for Stable-Baselines3: an output format of its Logger, and a callback that adds it to the logger."""

from toposcope.recorder.frameworks.stable_baselines3.callback import ToposcopeCallback
from toposcope.recorder.frameworks.stable_baselines3.output_format import ToposcopeOutputFormat

__all__ = ["ToposcopeCallback", "ToposcopeOutputFormat"]
