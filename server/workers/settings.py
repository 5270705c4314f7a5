"""How the processes that answer requests do that."""

from typing import NamedTuple

from toposcope.server.http.exposure import Exposure
from toposcope.server.process.log_format import LogFormat


class Settings(NamedTuple):
    """What the command line says about requests."""

    logdir: str
    exposure: Exposure
    path_prefix: str
    data_folder: str | None
    read_only: bool
    certfile: str | None
    keyfile: str | None
    started: float
    """When the server was started, in seconds of time.monotonic()."""
    log_format: LogFormat
    memory_limit: int
    """Bytes that the heavy requests of a process may take together."""
    has_tools: bool = False
    """Whether agents are answered at /mcp."""
    index_folder: str | None = None
    """Where projections of embeddings are stored; None: nowhere."""
