"""AdapterSettings: what a user passes to an adapter of another library: a directory, callbacks, further settings."""

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toposcope.proto.lineage_pb2 import UserDefinedInfo
from toposcope.recorder import log
from toposcope.recorder.arguments import checked_future_directory
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.messages.lineage import custom_lineage
from toposcope.recorder.rank import process_rank
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.callback_list import checked_callbacks
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.own_loops.driven_run import DrivenRun


@dataclass(frozen=True)
class AdapterSettings:
    """The settings of an adapter, which are kept until a training begins and are what is left of a pickled adapter."""

    directory: str | None
    """Absolute path of the directory of the run; None: the adapter finds it when the training begins."""
    callbacks: list[Callback | EventCallback]
    """Further callbacks and logger destinations."""
    arguments: dict[str, Any]
    """Further arguments of SummaryCollector."""

    def specified_data(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Return collect_specified_data: defaults of the adapter, which those of the user precede."""
        return {**defaults, **(self.arguments.get("collect_specified_data") or {})}

    def collects(self, key: str) -> bool:
        """Return whether the user left the collection of something enabled, "collect_graph" for example."""
        return bool(self.specified_data({}).get(key, self.arguments.get("keep_default_action", True)))

    def new_collector(self, directory: str, data: Mapping[str, Any], **defaults: Any) -> SummaryCollector:
        """Return a collector.

        Args:
            directory: of the run.
            data: its collect_specified_data, see specified_data().
            defaults: arguments that those of the user precede.
        """
        return SummaryCollector(directory, **{**defaults, **self.arguments, "collect_specified_data": dict(data)})

    def lineage(self, facts: Mapping[str, str | int | float]) -> UserDefinedInfo | None:
        """Return settings of the training as lineage without those in custom_lineage_data; None if none is left."""
        users = self.arguments.get("custom_lineage_data") or {}
        own = {name: fact for name, fact in facts.items() if name not in users}
        return custom_lineage(own) if own else None

    def record_facts(self, run: DrivenRun, facts: Callable[[], Mapping[str, str | int | float]]) -> None:
        """Record settings of the training: rank 0 as lineage, logger destinations of all ranks receive them.

        Args:
            run: a run that is in progress.
            facts: returns the settings by name. If it raises an exception, a warning is logged.
        """
        try:
            found = dict(facts())
            message = self.lineage(found)
        except Exception as error:  # The objects of the user may be anything.
            log.warn("The settings of the training are not recorded: %s: %s", type(error).__name__, error)
            return
        run.logger.log_hyperparameters(found)
        if message is not None and process_rank() == 0:
            run.log({"settings": message})


def checked_settings(
    summary_dir: str | os.PathLike[str] | None, callbacks: Any = None, **settings: Any
) -> AdapterSettings:
    """Return the settings of an adapter after a check; nothing is created, as this process may not record.

    An adapter passes them as keyword arguments, and they are passed on here: LightningCLI finds their names by that.

    Args:
        summary_dir: directory of the run; None: the adapter finds it when the training begins.
        callbacks: callbacks of both styles, and logger destinations.
        settings: further arguments of SummaryCollector.

    Raises:
        TypeError: an argument has the wrong type, or there is no such argument.
        ValueError: an argument has an invalid value, or a SummaryCollector is among the callbacks.
        NotADirectoryError: summary_dir, or one of its parents, exists and is not a directory.
        PermissionError: this process must not create summary_dir.
    """
    inspect.signature(SummaryCollector).bind(".", **settings)
    directory = None if summary_dir is None else checked_future_directory("summary_dir", summary_dir)
    SummaryCollector(os.sep, **settings)  # It raises what is wrong; any directory that exists will do.
    checked = checked_callbacks(callbacks)
    if any(isinstance(each, SummaryCollector) for each in checked):
        raise ValueError("Pass the arguments of SummaryCollector themselves, not a SummaryCollector.")
    return AdapterSettings(directory, checked, settings)
