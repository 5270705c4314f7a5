"""Indexes a logdir: finds what the index lacks, has it read by workers, and stores their packs."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from toposcope.proto.executors import Workers
from toposcope.server.indexing.grouping import TASK_RUNS, group
from toposcope.server.indexing.listing import listing_of
from toposcope.server.indexing.running import run_tasks
from toposcope.server.indexing.task import Indexed, Task
from toposcope.server.loading.discovery import FoundFile, discover
from toposcope.server.places.addresses import is_remote, place_of, text_of
from toposcope.server.places.place import reason_of
from toposcope.server.reading.index import key_of
from toposcope.server.reading.shared_packs import (
    delete_superseded,
    open_shared_packs,
    shared_address,
    store_shared_pack,
)


class Progress(NamedTuple):
    """How much of the work is done."""

    files: int
    all_files: int
    size: int
    """Bytes of the files."""
    all_size: int


class Summary(NamedTuple):
    """What was done."""

    files: int
    """In the logdir."""
    indexed: int
    """Files that workers have read."""
    up_to_date: int
    """Files that were in the index."""
    problems: Mapping[str, str]
    """The reasons why files and directories could not be read, by path."""


def index_logdir(
    logdir: str | Mapping[str, str],
    index: str,
    workers: Workers,
    *,
    follow_links: bool = False,
    progress: Callable[[Progress], object] = lambda _: None,
    measured: Callable[[Indexed], object] = lambda _: None,
    task_runs: int = TASK_RUNS,
) -> Summary:
    """Bring the index of a logdir up to date. After an interruption, the same call reads what is missing only.

    Args:
        logdir: a directory, or the address of an object store, or several by name. Workers need the same one.
        index: a folder, to which this process writes what workers return; or an address in an object store, to which
            the workers write.
        workers: run the tasks.
        follow_links: whether to follow links of other users that lead out of the logdir.
        progress: is called after each task.
        measured: is called with the result of each task that did not fail.
        task_runs: the most runs of a task.

    Raises:
        OSError: the index cannot be read or written.
        ModuleNotFoundError: an object store needs obstore, or the workers lack this package.
        ValueError: an address of an object store is not valid.
    """
    place = place_of(logdir, follow_links=follow_links)
    discovery = discover(place.resolve(text_of(logdir)), place=place)
    address = shared_address(index)
    missing = _missing(discovery.files, address)
    problems = {**discovery.unfollowed, **discovery.unlisted}
    target = address if is_remote(address) else None
    tasks = [
        Task(logdir, follow_links, files, listing_of(place, [file.path for file in files]), target)
        for files in group(missing, task_runs)
    ]
    indexed, done = 0, Progress(0, len(missing), 0, sum(task.size for task in tasks))
    progress(done)
    for task, result in run_tasks(tasks, workers):
        if isinstance(result, ModuleNotFoundError):
            raise ModuleNotFoundError(f"the workers cannot import what they need: {result}", name=result.name)
        if isinstance(result, Exception):
            problems.update((file.path, reason_of(result)) for file in task.files)
        else:
            if result.pack is not None:
                store_shared_pack(address, task.name, result.pack)
            problems.update(result.problems)
            indexed += result.files
            measured(result)
        done = done._replace(files=done.files + len(task.files), size=done.size + task.size)
        progress(done)
    if missing:
        delete_superseded(address, open_shared_packs(address))
    return Summary(len(discovery.files), indexed, len(discovery.files) - len(missing), problems)


def _missing(files: list[FoundFile], address: str) -> list[FoundFile]:
    """Return the files of runs of which a file is not in the index as it is now."""
    known = {(key, file.status) for pack in open_shared_packs(address) for key, file in pack.files.items()}
    changed = {file.run for file in files if (key_of(file.path), file.status) not in known}
    return [file for file in files if file.run in changed]
