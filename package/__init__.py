"""The package toposcope, whose parts are imported one by one, and its extension of IPython: %load_ext toposcope."""

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Add %toposcope to a shell; called by %load_ext toposcope."""
    from toposcope.server.notebook.magic import add_magic

    add_magic(shell)
