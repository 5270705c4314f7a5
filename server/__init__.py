"""The server: reads growing event files and serves what they hold over HTTP, or to Python through open()."""

from toposcope.server.python_api import open_logdir as open

__all__ = ["open"]
