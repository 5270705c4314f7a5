"""The metadata of the stand-in for tensorboardX, for frameworks that look for it before they import a package.

Accelerate's is_tensorboard_available() is one: find_spec() alone does not convince it, it asks importlib.metadata too.
That asks the find_distributions() of each finder in sys.meta_path, which is its documented way to add distributions.
A dist-info folder in sys.path would need no class, but every tool that lists installed packages would find it.
"""

import os
from importlib.metadata import Distribution
from typing import Any

NAME = "tensorboardX"
_METADATA = f"""\
Metadata-Version: 2.1
Name: {NAME}
Version: 0+toposcope
Summary: Stands in for tensorboardX, which is not installed, in a process that records with Toposcope.
"""


class StandInDistribution(Distribution):
    """A distribution without files, found by its name only: its version, 0+toposcope, is that of no release."""

    def read_text(self, filename: str | os.PathLike[str]) -> str | None:
        """Return the text of METADATA; there is no other file."""
        return _METADATA if os.fspath(filename) == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        """Raise FileNotFoundError: there are no files."""
        raise FileNotFoundError(f"{NAME} is not installed: Toposcope's stand-in has no files, not {os.fspath(path)!r}.")
