"""What has been added and not yet recorded: every thread has its own."""

import threading
from collections.abc import Callable

from toposcope.recorder.values.snapshot import Snapshot


class Values:
    """Scalars by tag, and other values by plugin and tag."""

    __slots__ = ("is_incomplete", "scalars", "snapshots")

    def __init__(self) -> None:
        self.scalars: dict[str, float] = {}
        self.snapshots: dict[tuple[str, str], Snapshot] = {}
        # Whether a value that was added could not be read.
        self.is_incomplete = False

    def keep(self, plugin_filter: Callable[[str], bool]) -> None:
        """Drop the values of the plugins that plugin_filter, called once for each, does not want."""
        plugins = dict.fromkeys((["scalar"] if self.scalars else []) + [plugin for plugin, _ in self.snapshots])
        dropped = {plugin for plugin in plugins if not plugin_filter(plugin)}
        if "scalar" in dropped:
            self.scalars = {}
        self.snapshots = {key: snapshot for key, snapshot in self.snapshots.items() if key[0] not in dropped}


class Pending(threading.local):
    """The values that a thread has added since its last record()."""

    def __init__(self) -> None:
        # One look into the thread's own memory finds them all: it is the dearest part of a call.
        self.values = Values()
