"""The server: reads growing event files and serves their contents over HTTP, or to Python programs through open()."""

from toposcope.server.notebook.show import show
from toposcope.server.python_api import open_logdir as open

__all__ = ["open", "show"]
