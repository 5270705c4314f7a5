"""The installed Python packages, read from the names of their metadata directories."""

import os
import re
import sys
from collections.abc import Iterable

MAX_PACKAGES = 2000
_MAX_CHARACTERS = 400
# <name>-<version>.dist-info (PEP 376) and <name>-<version>[-py<n>].egg-info of setuptools.
_METADATA = re.compile(r"(?P<name>[A-Za-z0-9][\w.]*)-(?P<version>[^-]+)(?:-py[\d.]+(?:-.*)?)?\.(?:dist|egg)-info")


def installed_packages(path: Iterable[str] | None = None) -> dict[str, str]:
    """Return the versions of the installed distributions by name, ascending, at most 2000 of them.

    importlib.metadata would open and parse a file of each: thirty times as long.

    Args:
        path: where Python looks for modules, the first place first; None: sys.path.
    """
    versions: dict[str, str] = {}
    for directory in dict.fromkeys(sys.path if path is None else path):
        for name, version in _packages_in(directory or os.curdir):
            versions.setdefault(name, version)
    names = sorted(versions, key=str.lower)[:MAX_PACKAGES]
    return {name: versions[name] for name in names}


def _packages_in(directory: str) -> list[tuple[str, str]]:
    try:
        files = [file for file in os.listdir(directory) if file.endswith("-info")]
    except (OSError, ValueError):  # An archive, a directory that does not exist, or a null character.
        return []
    found = [match for file in files if (match := _METADATA.fullmatch(file[:_MAX_CHARACTERS]))]
    return [(match["name"].replace("_", "-"), match["version"]) for match in found]
