"""Adds the callbacks to those that Ultralytics gives to every model."""

from typing import Any

from ultralytics.utils.callbacks import default_callbacks

from toposcope.recorder.frameworks.ultralytics.callback import ToposcopeCallback
from toposcope.recorder.training.events.callback_list import CallbackList


class _DefaultCallbacks:
    """What ToposcopeCallback.add_to() adds to: the lists of functions by event, from which each model has copies."""

    def add_callback(self, event: str, function: Any) -> None:
        default_callbacks[event].append(function)


def add_to_all_models(*, callbacks: CallbackList = None, **settings: Any) -> None:
    """Record the trainings of all models that are created from now on, each in its save_dir.

        add_to_all_models()
        YOLO("yolo11n.yaml").train(data="coco8.yaml")

    Of several calls, the last one counts. Ultralytics's settings enable only its own integrations.

    Args:
        callbacks: as for ToposcopeCallback.
        settings: as for ToposcopeCallback.

    Raises:
        TypeError, ValueError: as for ToposcopeCallback.
    """
    added = ToposcopeCallback(callbacks=callbacks, **settings)
    for functions in default_callbacks.values():
        functions[:] = [
            each for each in functions if not isinstance(getattr(each, "__self__", None), ToposcopeCallback)
        ]
    added.add_to(_DefaultCallbacks())
