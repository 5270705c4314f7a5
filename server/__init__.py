"""The server: reads growing event files and serves their contents over HTTP, or to Python programs through open()."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toposcope.server.notebook.show import show
    from toposcope.server.python_api import open_logdir as open

__all__ = ["open", "show"]


def __getattr__(name: str) -> Any:
    """Import what open() and show() need when they are first used: commands that read nothing need none of it."""
    found: Any
    if name == "open":
        from toposcope.server.python_api import open_logdir

        found = open_logdir
    elif name == "show":
        from toposcope.server.notebook.show import show

        found = show
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
