"""Lazy names: a package imports the module of a public name when the name is first used.

if TYPE_CHECKING:
    from package.module import Name

__getattr__ = lazy_names(__name__, {"Name": "package.module"})
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the __getattr__ and the __dir__ of a package.

    Args:
        package: its full name.
        modules: for each public name the full name of the module that defines it.
    """

    def lazy_name(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)  # The next use does not come here.
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return lazy_name, names
