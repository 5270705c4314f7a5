"""Adapter for clu: a MetricWriter."""

from toposcope.recorder.frameworks.clu.writer import ToposcopeWriter

__all__ = ["ToposcopeWriter"]
