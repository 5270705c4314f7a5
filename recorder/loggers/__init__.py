"""Destinations of a Logger's metrics, hyperparameters, tables and images: the console, a file, memory, event files."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.loggers.console import ConsoleLogger
    from toposcope.recorder.loggers.file import FileLogger
    from toposcope.recorder.loggers.in_memory import InMemoryLogger
    from toposcope.recorder.loggers.summary import SummaryLogger

__all__ = [
    "ConsoleLogger",
    "FileLogger",
    "InMemoryLogger",
    "SummaryLogger",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ConsoleLogger": "toposcope.recorder.loggers.console",
        "FileLogger": "toposcope.recorder.loggers.file",
        "InMemoryLogger": "toposcope.recorder.loggers.in_memory",
        "SummaryLogger": "toposcope.recorder.loggers.summary",
    },
)
