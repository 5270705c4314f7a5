"""A task of a worker: reads the event files of some runs, and makes a pack of the index."""

import hashlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toposcope.server.indexing.listing import assume
from toposcope.server.loading.finding.discovery import FoundFile
from toposcope.server.places.addresses import is_remote, place_of
from toposcope.server.places.place import Place, reason_of
from toposcope.server.places.stores.pieces import Merged
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.index.index import key_of
from toposcope.server.reading.index.packs.pack import MAGIC, NewFile, encode_pack
from toposcope.server.reading.index.packs.shared_packs import store_shared_pack
from toposcope.server.reading.index.segment import encode

_BUDGET_BYTES = 64 << 20


class Task(NamedTuple):
    """The event files of some runs.

    All files of a run are in one task: one may declare the plugins of another's tags.
    """

    logdir: str | Mapping[str, str]
    follow_links: bool
    files: Sequence[FoundFile]
    listed: Merged
    """Where these files are in an object store."""
    target: str
    """Where packs are, a folder or an address."""
    mark: str
    """A file in that folder: a worker that finds it has the same folder and stores the pack there, others return it."""

    @property
    def name(self) -> str:
        """The same for the same files in the same states."""
        files = sorted((file.path, *file.status) for file in self.files)
        return hashlib.sha256(repr(files).encode("utf-8", "surrogateescape")).hexdigest()[:32]

    @property
    def size(self) -> int:
        """Bytes of the event files."""
        return sum(file.status.size for file in self.files)


class Indexed(NamedTuple):
    """The result of a task."""

    files: int
    """In the pack."""
    pack: bytes | None
    """None if the worker has stored it, or there are no files."""
    problems: Mapping[str, str]
    """The reasons why files could not be indexed, by path."""
    seconds: float
    """That the worker took."""
    cpu_seconds: float
    pack_bytes: int


def pack_format() -> bytes:
    """Return the format of the packs that the process makes that runs this task."""
    return MAGIC


def index_files(task: Task) -> Indexed:
    """Read the event files of a task. What is wrong with one file does not concern the others.

    Raises:
        OSError: the pack cannot be stored.
    """
    start, cpu_start = time.perf_counter(), time.process_time()
    place = place_of(task.logdir, follow_links=task.follow_links)
    assume(place, task.listed)
    place.expect((file.path, 0) for file in task.files)
    problems: dict[str, str] = {}
    new = list(_new_files(task.files, place, problems))
    pack = encode_pack(new) if new else b""
    is_stored = is_remote(task.target) or os.path.exists(os.path.join(task.target, task.mark))
    if is_stored and new:
        store_shared_pack(task.target, task.name, pack)
    returned = pack if new and not is_stored else None
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    return Indexed(len(new), returned, problems, seconds, cpu, len(pack))


def _new_files(files: Sequence[FoundFile], place: Place, problems: dict[str, str]) -> Iterator[NewFile]:
    """Yield what is to be packed, and add the reasons why files cannot be read."""
    by_run: dict[str, list[FoundFile]] = {}
    for file in files:
        by_run.setdefault(file.run, []).append(file)
    for of_run in by_run.values():
        declared = DeclaredPlugins()
        opened = {file.path: EventFile(file.path, file.name, None, declared, place) for file in of_run}
        for path in list(opened):
            _read(path, opened, problems)
        for path in declared.take_contradicted() & opened.keys():
            opened[path].start_over()
            _read(path, opened, problems)
        for path, event_file in opened.items():
            read = event_file.read_up_to_now()
            if read is not None:  # Otherwise it has no complete record yet.
                status, segment = read
                yield NewFile(key_of(path), status, segment, b"".join(encode(segment)), event_file.phase)


def _read(path: str, opened: dict[str, EventFile], problems: dict[str, str]) -> None:
    """Read and verify a file; remove one that cannot be read."""
    file = opened[path]
    try:
        while file.read(_BUDGET_BYTES) or file.verify(_BUDGET_BYTES):
            pass
        file.declare()
    except Exception as error:  # Whatever a file contains, the others are indexed.
        problems[path] = reason_of(error)
        del opened[path]
