"""Adapter for Composer: a LoggerDestination that records the trainings of its Trainer."""

from toposcope.recorder.frameworks.composer.logger import ToposcopeLogger

__all__ = ["ToposcopeLogger"]
