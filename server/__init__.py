"""The server: reads growing event files and serves their contents over HTTP, or to Python programs through open()."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toposcope.server.python_api import open_logdir as open

__all__ = ["open"]


def __getattr__(name: str) -> Any:
    """Import what open() needs when it is first used: commands that read nothing need none of it."""
    if name != "open":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from toposcope.server.python_api import open_logdir

    globals()["open"] = open_logdir
    return open_logdir
