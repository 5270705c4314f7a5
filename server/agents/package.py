"""The package of the Model Context Protocol, which is an extra."""

from importlib.util import find_spec


def check_package(what: str) -> None:
    """Check that the package is installed; `what` needs it.

    Raises:
        ModuleNotFoundError: it is not.
    """
    if find_spec("mcp") is None:
        raise ModuleNotFoundError(f"{what} needs mcp, which is not installed: pip install 'toposcope[agents]'")
