"""Adapter for Transformers: a callback of its Trainer; after the import of this module also `report_to="toposcope"`."""

from toposcope.recorder.frameworks.transformers.callback import ToposcopeCallback
from toposcope.recorder.frameworks.transformers.reporting import register

__all__ = ["ToposcopeCallback"]

register(ToposcopeCallback)
