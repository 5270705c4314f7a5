"""What to install when a command cannot import a package: one line in place of a traceback."""

import re
from collections.abc import Iterator
from importlib import metadata

_DISTRIBUTION = "toposcope"
_REQUIREMENT = re.compile(r"""([\w.-]+)[^;]*(?:;.*\bextra\s*==\s*["']([\w.-]+)["'].*)?""")


def missing_packages_line(error: ModuleNotFoundError, extra: str = "") -> str:
    """Return which packages are missing, and the command that installs them.

    Args:
        error: was raised by the import of one.
        extra: what the command needs beside the packages that are always required.

    Raises:
        ModuleNotFoundError: the error, if it is about a part of Toposcope, so that it is a defect.
    """
    name = (error.name or "").partition(".")[0]
    if name == _DISTRIBUTION:
        raise error
    if not str(error).startswith("No module named"):  # It says what to install.
        return str(error)
    for needed in (extra, ""):
        missing = list(_missing(needed))
        if missing and (name in missing or not needed):
            target = f"'{_DISTRIBUTION}[{needed}]'" if needed else _DISTRIBUTION
            return f"{', '.join(missing)} {'are' if missing[1:] else 'is'} not installed: pip install {target}"
    return f"{error}: install the package that contains it"


def _missing(extra: str) -> Iterator[str]:
    """Yield the packages that an extra, or "" for the package without extras, requires and that are not installed."""
    try:
        requirements = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # It runs from its sources.
        return
    for requirement in requirements:
        match = _REQUIREMENT.fullmatch(requirement)
        if match and (match[2] or "") == extra:
            try:
                metadata.version(match[1])
            except metadata.PackageNotFoundError:
                yield match[1]
