"""How many runs have each tag, updated where runs changed."""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import RunView


class TagCounts:
    """Counts the tags of all runs. Threads may share it; they take turns."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: Mapping[str, RunView] = {}
        self._counts = Counter[Tag]()
        self._sorted: list[Tag] | None = None

    def of(self, runs: Mapping[str, RunView]) -> tuple[Sequence[Tag], Mapping[Tag, int]]:
        """Return (the tags of all runs by plugin and name; the number of runs that have each).

        Args:
            runs: all runs, by name; the mapping is never modified.
        """
        with self._lock:
            if self._runs is not runs:
                self._update(runs)
            if self._sorted is None:
                self._sorted = sorted(self._counts)
            return self._sorted, self._counts

    def _update(self, runs: Mapping[str, RunView]) -> None:
        before = self._runs
        changed = [name for name, run in runs.items() if before.get(name) is not run]
        gone = before.keys() - runs.keys()
        tags = len(self._counts)
        self._counts = Counter(self._counts)  # Other threads may use the one before.
        self._counts.subtract(count_tags(before[name] for name in (*gone, *changed) if name in before))
        self._counts.update(count_tags(runs[name] for name in changed))
        removed = [tag for tag, count in self._counts.items() if not count] if gone or changed else []
        for tag in removed:
            del self._counts[tag]
        if removed or len(self._counts) != tags:
            self._sorted = None
        self._runs = runs


def count_tags(runs: Iterable[RunView]) -> Counter[Tag]:
    """Return how many of the runs have each tag."""
    counts = Counter[Tag]()
    for tags, count in _equal_lists(runs):
        counts.update(dict.fromkeys(tags, count))
    return counts


def _equal_lists(runs: Iterable[RunView]) -> Iterable[tuple[Sequence[Tag], int]]:
    """Return the lists of tags of some runs, and how many runs have each; those in a pack share them."""
    lists: dict[int, tuple[Sequence[Tag], int]] = {}
    for run in runs:
        tags = run.tags
        lists[id(tags)] = tags, lists.get(id(tags), (tags, 0))[1] + 1
    return lists.values()
