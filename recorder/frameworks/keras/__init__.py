"""The adapter for Keras, with any of its backends; a callback of model.fit() and model.evaluate()."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.frameworks.keras.callback import ToposcopeCallback

__all__ = ["ToposcopeCallback"]

__getattr__, __dir__ = lazy_names(__name__, {"ToposcopeCallback": "toposcope.recorder.frameworks.keras.callback"})
