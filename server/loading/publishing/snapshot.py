"""What is published of a logdir: its runs at some moment, and how they differ from those before."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from toposcope.server.loading.files.file_loader import Progress
from toposcope.server.loading.publishing.totals import Totals
from toposcope.server.runs.run import RunView


class Update(NamedTuple):
    """Names of the runs that differ between two snapshots."""

    revision: int
    added: list[str]
    changed: list[str]
    removed: list[str]
    states: list[str]
    """Runs that differ in their state, or in being live or stale, only."""


class ProblemCounts(NamedTuple):
    """How many problems of each kind there are."""

    unfollowed_links: int = 0
    unlisted_directories: int = 0
    unread_files: int = 0
    loading_failures: int = 0


class Snapshot(NamedTuple):
    """The runs of a logdir as loaded up to some moment; never changes."""

    revision: int
    """Grows by one with each snapshot."""
    removal: int
    """The last revision in which a run was removed; the first one if none was."""
    exists: bool
    loading: bool
    runs: Mapping[str, RunView]
    """The runs, by name, sorted."""
    progress: Progress
    ignored_files: int
    problems: Mapping[str, str]
    """The reasons why files and directories could not be read, or links are not followed, by path."""
    stale: Mapping[str, str] = MappingProxyType({})
    """The reasons why runs may have changed since they were read, by name: their files cannot be read at present."""
    totals: Totals = Totals()
    problem_counts: ProblemCounts = ProblemCounts()
    index_problem: str | None = None
    """Why the index cannot be written, one sentence; None: it can."""
