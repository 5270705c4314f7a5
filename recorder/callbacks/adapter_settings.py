"""The arguments that the adapters of other libraries share: further callbacks, and settings of a SummaryCollector."""

import inspect
import os
from typing import Any

from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.callback_list import checked_callbacks
from toposcope.recorder.training.event_callback import EventCallback


def checked_settings(
    summary_dir: str | os.PathLike[str] | None, callbacks: Any, **settings: Any
) -> list[Callback | EventCallback]:
    """Return the further callbacks of an adapter as a list, after a check of its settings.

    An adapter passes them as keyword arguments, and they are passed on here: LightningCLI finds their names by that.

    Args:
        summary_dir: directory of the run, which is created. None: it is not known yet, and only the names of the
            settings are checked.
        callbacks: callbacks of both styles, and logger destinations.
        settings: further arguments of SummaryCollector.

    Raises:
        TypeError: an argument has the wrong type, or there is no such argument.
        ValueError: an argument has an invalid value, or a SummaryCollector is among the callbacks.
    """
    inspect.signature(SummaryCollector).bind(".", **settings)
    if summary_dir is not None:
        SummaryCollector(summary_dir, **settings)
    checked = checked_callbacks(callbacks)
    if any(isinstance(each, SummaryCollector) for each in checked):
        raise ValueError("Pass the arguments of SummaryCollector themselves, not a SummaryCollector.")
    return checked
