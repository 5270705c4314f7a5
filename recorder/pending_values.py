"""Values that have been added and not yet recorded; each thread has its own."""

import threading
from collections.abc import Callable

from toposcope.recorder.snapshot import Snapshot


class PendingValues:
    """Scalars by tag, and all other values by plugin and tag."""

    __slots__ = ("is_incomplete", "scalars", "snapshots")

    def __init__(self) -> None:
        self.scalars: dict[str, float] = {}
        self.snapshots: dict[tuple[str, str], Snapshot] = {}
        # True if an added value could not be read.
        self.is_incomplete = False

    def filter(self, plugin_filter: Callable[[str], bool]) -> None:
        """Drop the values of the plugins for which plugin_filter, called once per plugin, returns a false value."""
        plugins = dict.fromkeys((["scalar"] if self.scalars else []) + [plugin for plugin, _ in self.snapshots])
        dropped = {plugin for plugin in plugins if not plugin_filter(plugin)}
        if not dropped:
            return
        if "scalar" in dropped:
            self.scalars = {}
        self.snapshots = {key: snapshot for key, snapshot in self.snapshots.items() if key[0] not in dropped}


class ThreadPendingValues(threading.local):
    """The pending values of the current thread."""

    def __init__(self) -> None:
        # One attribute for all of them: the thread-local lookup is the most expensive part of a call.
        self.values = PendingValues()
