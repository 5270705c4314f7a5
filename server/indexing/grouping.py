"""Divides event files into tasks."""

from collections.abc import Iterable, Iterator, Sequence

from toposcope.server.loading.finding.discovery import FoundFile

Group = list[FoundFile]
TASK_BYTES = 128 << 20
"""The bytes of a task: about two seconds of reading, so that the scheduler's time for a task does not matter."""
TASK_RUNS = 500


def group(files: Iterable[FoundFile], most_runs: int) -> list[Group]:
    """Return the files in groups of whole runs, in the order of their names; a larger run is a group of its own."""
    groups: list[Group] = []
    runs, size = most_runs, 0
    for of_run in _by_run(files):
        run_size = sum(file.status.size for file in of_run)
        if runs >= most_runs or size + run_size > TASK_BYTES:
            groups.append([])
            runs = size = 0
        groups[-1] += of_run
        runs, size = runs + 1, size + run_size
    return groups


def _by_run(files: Iterable[FoundFile]) -> Iterator[Sequence[FoundFile]]:
    by_run: dict[str, list[FoundFile]] = {}
    for file in files:
        by_run.setdefault(file.run, []).append(file)
    for run in sorted(by_run):
        yield by_run[run]
