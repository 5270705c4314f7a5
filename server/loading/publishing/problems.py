"""What is wrong with a logdir: what of it cannot be read, and why the index cannot be written."""

from toposcope.server.loading.finder import Finder
from toposcope.server.loading.log_files import LogFiles
from toposcope.server.loading.publishing.snapshot import ProblemCounts
from toposcope.server.reading.index.index import Index


class Problems:
    """Collects the problems that others have found."""

    def __init__(self, files: LogFiles, finder: Finder, index: Index | None) -> None:
        self.failure: dict[str, str] = {}
        """Why the last step failed, with the logdir as the key; empty if it did not."""
        self.index_problem: str | None = None
        """Why the index cannot be written, as of the last look at it."""
        self._files = files
        self._finder = finder
        self._index = index

    def look_at_index(self) -> None:
        """Find out whether the index can be written."""
        self.index_problem = self._index.problem() if self._index is not None else None

    def by_path(self) -> dict[str, str]:
        """Return the reasons why files and directories could not be read, or links are not followed."""
        discovery = self._finder.discovery
        return {**discovery.unfollowed, **discovery.unlisted, **self._files.problems, **self.failure}

    def counts(self) -> ProblemCounts:
        """Return how many problems of each kind there are."""
        discovery = self._finder.discovery
        return ProblemCounts(*map(len, (discovery.unfollowed, discovery.unlisted, self._files.problems, self.failure)))
