"""Adapter for Accelerate: a tracker; after the import of this module also `Accelerator(log_with="toposcope")`."""

from toposcope.recorder.frameworks.accelerate.tracker import ToposcopeTracker, register

__all__ = ["ToposcopeTracker"]

register(ToposcopeTracker)
