"""Values that have been added and not yet recorded; each thread has its own."""

import threading
import weakref
from collections.abc import Callable

from toposcope.recorder import log
from toposcope.recorder.writing.snapshot import Snapshot

_NAMED_TAGS = 10


class PendingValues:
    """Scalars by tag, and all other values by plugin and tag."""

    __slots__ = ("is_incomplete", "scalars", "snapshots")

    def __init__(self) -> None:
        self.scalars: dict[str, float] = {}
        self.snapshots: dict[tuple[str, str], Snapshot] = {}
        # True if an added value could not be read.
        self.is_incomplete = False

    def take(self) -> "PendingValues":
        """Remove and return all values."""
        # Allocated before the exchange: the allocation may collect garbage, and a finalizer may record.
        taken = PendingValues()
        taken.scalars, self.scalars = self.scalars, taken.scalars
        taken.snapshots, self.snapshots = self.snapshots, taken.snapshots
        taken.is_incomplete, self.is_incomplete = self.is_incomplete, taken.is_incomplete
        return taken

    def tags(self) -> list[str]:
        """Return the tags of all values."""
        return [*self.scalars, *(tag for _, tag in self.snapshots)]

    def filter(self, plugin_filter: Callable[[str], bool]) -> None:
        """Drop the values of the plugins for which plugin_filter, called once per plugin, returns a false value."""
        plugins = dict.fromkeys((["scalar"] if self.scalars else []) + [plugin for plugin, _ in self.snapshots])
        dropped = {plugin for plugin in plugins if not plugin_filter(plugin)}
        if not dropped:
            return
        if "scalar" in dropped:
            self.scalars = {}
        self.snapshots = {key: snapshot for key, snapshot in self.snapshots.items() if key[0] not in dropped}


class UnrecordedValues:
    """The pending values of all threads of a recorder, which are lost if it is closed before they are recorded."""

    def __init__(self) -> None:
        self._threads: list[tuple[weakref.ref[threading.Thread], PendingValues]] = []
        self._lock = threading.Lock()

    def add(self, values: PendingValues) -> None:
        """Add those of the current thread; forget threads that have ended and left nothing."""
        with self._lock:
            kept = [(thread, each) for thread, each in self._threads if thread() is not None or each.tags()]
            self._threads = [*kept, (weakref.ref(threading.current_thread()), values)]

    def warn(self, place: str) -> None:
        """Name the tags in one warning, once; place: the directory or file of the recorder."""
        threads, self._threads = self._threads, []
        tags = sorted({tag for _, values in threads for tag in values.tags()})
        if tags:
            more = f" and {len(tags) - _NAMED_TAGS} more" if len(tags) > _NAMED_TAGS else ""
            named = ", ".join(map(repr, tags[:_NAMED_TAGS]))
            log.warn("%s: added and never recorded: %s%s. Call record(step) after add_value().", place, named, more)


class ThreadPendingValues(threading.local):
    """The pending values of the current thread."""

    def __init__(self, unrecorded: UnrecordedValues) -> None:
        # One attribute for all of them: the thread-local lookup is the most expensive part of a call.
        self.values = PendingValues()
        unrecorded.add(self.values)
