"""What is wrong with the installation: faults that do not stop the server but slow it down or run other code."""

import logging
import os
import sys
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from toposcope.server.process.compiler import compiler_advice
from toposcope.server.reading import scan

log = logging.getLogger(__name__)
_SERVER = Path(__file__).parent


class InstallationWarning(NamedTuple):
    """A fault of the installation."""

    kind: Literal["uncompiled_scan", "shadowed_package"]
    message: str
    """What is wrong and how to correct it, one sentence."""


@cache
def log_installation_warnings() -> None:
    """Log the faults of the running installation, once per process."""
    for warning in installation_warnings():
        log.warning(warning.message)  # No arguments: of each kind of message few are logged.


@cache
def installation_warnings() -> tuple[InstallationWarning, ...]:
    """Return the faults of the running installation, determined once per process."""
    warnings = []
    if f"{scan.__name__}.compiled" not in sys.modules:
        message = (
            "the scan of event files is not compiled, so reading them is about 50 times slower: "
            f"{compiler_advice()}, then reinstall toposcope with pip's --no-cache-dir"
        )
        warnings.append(InstallationWarning("uncompiled_scan", message))
    folder, installed = _package_folder(), _shadowed_folder()
    if installed is not None:
        message = (
            f"the folder {str(folder)!r} in the working directory shadows the installed package "
            f"{str(installed)!r}: start in another directory, or rename the folder"
        )
        warnings.append(InstallationWarning("shadowed_package", message))
    return tuple(warnings)


def _package_folder() -> Path:
    """Return the folder toposcope that the running code is in; links below it are not followed."""
    return Path(os.path.abspath(__file__)).parent.parent.resolve()


def _shadowed_folder() -> Path | None:
    """Return the folder of the package that would be imported if the working directory had no folder toposcope.

    None when the running code is not in such a folder, or when there is no other.
    """
    try:
        working_folder = Path("toposcope").resolve()
    except OSError:  # The working directory has been removed.
        return None
    if _package_folder() != working_folder:
        return None
    folders = [Path(entry or ".", "toposcope") for entry in sys.path]
    other_folders = [str(folder) for folder in folders if folder.is_dir() and folder.resolve() != working_folder]
    for finder in sys.meta_path:
        spec = finder.find_spec("toposcope.server", other_folders)
        if spec is not None and spec.origin is not None and not Path(spec.origin).parent.samefile(_SERVER):
            return Path(spec.origin).parent.parent
    return None
