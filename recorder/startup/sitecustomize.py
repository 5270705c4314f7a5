"""The recorder's sitecustomize, which Python imports at its start where this folder is on PYTHONPATH.

Every Python process of a program that `python -m toposcope.recorder run` has started imports it, whether it records or
not, also one of another interpreter: it uses no new syntax, and no module that Python's start has not imported already.
"""

import os
import sys

TYPE_CHECKING = False  # The one of typing takes longer to import than all the rest.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PACKAGES = ("tensorboardX", "torch.utils.tensorboard")


class Installer:
    """Calls install() when a package with a SummaryWriter is imported or looked for."""

    installs_toposcope = True
    """For uninstall(), which removes it."""

    def find_spec(
        self, fullname: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Return None, for the packages of SummaryWriter the spec that the other finders return after install()."""
        if fullname not in PACKAGES or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        try:
            from toposcope.recorder import install

            install()
        except Exception as error:
            if sys.stderr is not None:
                sys.stderr.write(f"toposcope: the SummaryWriter of {fullname} is not replaced: {error!r}\n")
            return None
        for finder in list(sys.meta_path):
            spec = finder.find_spec(fullname, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                return spec
        return None


def import_next() -> None:
    """Import the sitecustomize that this one hides, as Python would have; raise what it raises."""
    this = sys.modules.pop(__name__)
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    try:
        __import__(__name__)
    except ImportError as error:
        if error.name != __name__:
            raise
    finally:
        sys.modules.setdefault(__name__, this)


if __name__ == "sitecustomize":
    sys.meta_path.insert(0, Installer())
    import_next()
