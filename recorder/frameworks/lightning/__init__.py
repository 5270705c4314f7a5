"""Adapter for Lightning, imported as `lightning`: a callback of its Trainer, and a logger of Trainer and Fabric."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.frameworks.lightning.callback import ToposcopeCallback
    from toposcope.recorder.frameworks.lightning.logger import ToposcopeLogger

__all__ = ["ToposcopeCallback", "ToposcopeLogger"]

# Lightning is imported with them. The adapter for `pytorch_lightning` uses the other modules of this package.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ToposcopeCallback": "toposcope.recorder.frameworks.lightning.callback",
        "ToposcopeLogger": "toposcope.recorder.frameworks.lightning.logger",
    },
)
