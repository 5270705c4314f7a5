"""Indexes a logdir: finds what the index lacks, has it read by workers, and stores their packs."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from toposcope.executors import Workers
from toposcope.server.indexing.grouping import TASK_RUNS, group
from toposcope.server.indexing.listing import listing_of
from toposcope.server.indexing.running import run_tasks
from toposcope.server.indexing.task import Indexed, Task, pack_format
from toposcope.server.loading.finding.discovery import FoundFile, discover
from toposcope.server.places.addresses import is_remote, place_of, text_of
from toposcope.server.places.place import reason_of
from toposcope.server.reading.index.index import key_of
from toposcope.server.reading.index.packs.pack import MAGIC, statuses_of
from toposcope.server.reading.index.packs.shared_packs import (
    delete_left,
    delete_superseded,
    describe_shared_packs,
    shared_address,
    store_contents,
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
        index: a folder, or an address in an object store. Workers write there themselves; those that do not have the
            same folder return what they have read to this process, which writes it.
        workers: run the tasks.
        follow_links: whether to follow links of other users that lead out of the logdir.
        progress: is called after each task.
        measured: is called with the result of each task that did not fail.
        task_runs: the most runs of a task.

    Raises:
        OSError: the index cannot be read or written.
        ModuleNotFoundError: an object store needs obstore, or the workers lack this package.
        RuntimeError: the workers have another version of it.
        ValueError: an address of an object store is not valid.
    """
    place = place_of(logdir, follow_links=follow_links)
    discovery = discover(place.resolve(text_of(logdir)), place=place)
    address = shared_address(index)
    missing = _missing(discovery.files, address)
    problems = {**discovery.unfollowed, **discovery.unlisted}
    if missing:
        _check_workers(workers)
    mark = f"{secrets.token_hex(8)}.mark"
    tasks = [
        Task(logdir, follow_links, files, listing_of(place, [file.path for file in files]), address, mark)
        for files in group(missing, task_runs)
    ]
    indexed, done = 0, Progress(0, len(missing), 0, sum(task.size for task in tasks))
    progress(done)
    with _marked(address, mark):
        for task, result in run_tasks(tasks, workers):
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
        store_contents(address, delete_superseded(describe_shared_packs(address)))
    return Summary(len(discovery.files), indexed, len(discovery.files) - len(missing), problems)


def _check_workers(workers: Workers) -> None:
    """Check that a worker has this package, in this version."""
    try:
        found = workers.executor.submit(pack_format).result()
    except workers.lost:  # That says nothing about the others.
        return
    except Exception as error:  # Each engine has an error of its own for that.
        reason = reason_of(error.__cause__ or error)
        raise ModuleNotFoundError(f"the workers cannot run Toposcope, which they need: {reason}") from error
    if found != MAGIC:
        raise RuntimeError("the workers have another version of Toposcope than this process")


@contextmanager
def _marked(address: str, mark: str) -> Iterator[None]:
    """Put a mark into the folder of the packs, if it is one, so that workers recognise it."""
    if is_remote(address):
        yield
        return
    path = Path(address, mark)
    path.parent.mkdir(parents=True, exist_ok=True)
    delete_left(path.parent)
    path.touch()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _missing(files: list[FoundFile], address: str) -> list[FoundFile]:
    """Return the files of runs of which a file is not in the index as it is now."""
    known = {file for pack in describe_shared_packs(address) for file in statuses_of(pack.directory).items()}
    changed = {file.run for file in files if (key_of(file.path), file.status) not in known}
    return [file for file in files if file.run in changed]
