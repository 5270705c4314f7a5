"""imported(): a module that the process has imported, which is not imported for this."""

import sys
from typing import Any


def imported(name: str) -> Any:
    """Return a module; None if the process has not imported it, or is still importing it in some thread."""
    module = sys.modules.get(name)
    # What the import system itself looks at: names are missing from a module until then.
    return None if getattr(getattr(module, "__spec__", None), "_initializing", False) else module
