"""Destinations of a Logger's metrics, hyperparameters, tables and images: the console, a file, memory, event files."""

from toposcope.recorder.loggers.console import ConsoleLogger
from toposcope.recorder.loggers.file import FileLogger
from toposcope.recorder.loggers.in_memory import InMemoryLogger
from toposcope.recorder.loggers.summary import SummaryLogger

__all__ = ["ConsoleLogger", "FileLogger", "InMemoryLogger", "SummaryLogger"]
