"""What a server does with a logdir, its index and its notes, so that each operation in it can be made to fail once.

Nothing that was read may disappear at any time, and when the fault is gone everything is there.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Literal, get_args

from support.event_files import loss_run, scalar_event, tensorboard_event, write_run
from toposcope.proto import framing, summary_pb2
from toposcope.server.data_files.json_folder import JsonFolder
from toposcope.server.loading.logdir import Logdir
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.notes.notes import Notes
from toposcope.server.notes.notes_folder import LARGEST_FILE, NotesFolder
from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.places.place import Place
from toposcope.server.reading.index.index import Index, QuietFile
from toposcope.server.reading.windows.scan_buffers import WINDOW_BYTES

State = Literal["cold", "indexed", "packed"]
"""What is in the index at the start."""
STATES: tuple[State, ...] = get_args(State)
Points = dict[tuple[str, str], int]
"""Number of points by run and tag."""
_STEPS_AFTER = 4
"""Steps of the loader after the fault: it tries again what failed, verifies, and writes to the index."""
ALIAS, NEW_ALIAS = "the first", "the second"


class LostError(AssertionError):
    """Something that was read is missing."""


def points_of(snapshot: Snapshot) -> Points:
    """Return the number of points of each series of a snapshot."""
    points: Points = {}
    for name, run in snapshot.runs.items():
        for file in run.files:
            for tag, series in file.series.items():
                points[name, tag.name] = points.get((name, tag.name), 0) + series.total
    return points


class Scenario:
    """A logdir that is loaded, grows, and is loaded again after a restart.

    Args:
        folder: an empty directory for everything that is written.
    """

    def __init__(self, folder: Path) -> None:
        self.paused: Callable[[], AbstractContextManager[None]] = nullcontext
        """Returns a context in which no faults happen."""
        self._templates = folder / "templates"
        self.live = folder / "live"
        """Everything that the server reads or writes is below it."""
        self._write_templates()

    def _write_templates(self) -> None:
        runs = self._templates / "first/runs"
        loss_run(runs / "small", range(20))
        loss_run(runs / "nested/deep/inner", range(10), rank=1)
        write_run(runs / "pictures", [picture(step) for step in range(3)])
        (runs / "long").mkdir()
        record = tensorboard_event(1.0, 1, {"loss": 1.0})
        (runs / "long/events.out.tfevents.1.host").write_bytes(record * (4 * WINDOW_BYTES // len(record)))
        loss_run(self._templates / "first/elsewhere", range(7))
        (runs / "linked").symlink_to("../elsewhere")
        (runs / "notes.txt").write_text("not an event file")
        folder = NotesFolder(JsonFolder(self._templates / "first/notes", "runs", LARGEST_FILE))
        folder.change("small", {"alias": ALIAS})
        folder.change("gone", {"note": "kept"})

    def prepare(self, state: State) -> None:
        """Start from the first state of the logdir, without an index, with one, or with one that has a pack."""
        shutil.rmtree(self.live, ignore_errors=True)
        shutil.copytree(self._templates / "first", self.live, symlinks=True)
        if state == "cold":
            return
        place = LocalDisk(str(self.live / "runs"))
        with self._logdir(place) as logdir:
            self._step(logdir, {})
            logdir.stop_loading()
            if state == "packed":
                self._pack(logdir, place)
        if not any((self.live / "index").rglob("*.pack" if state == "packed" else "*-*-*")):
            raise LostError("the index was not written")

    def check(self, place: Place) -> None:
        """Check, without faults, that everything is there after a restart."""
        with self._logdir(place) as logdir:
            for _ in range(_STEPS_AFTER):
                logdir.walk_soon()
                logdir.step()
            check_all(logdir)
        notes = self._notes().current()
        if notes.runs["gone"].note != "kept" or notes.runs["small"].alias not in (ALIAS, NEW_ALIAS) or notes.problems:
            raise LostError(f"notes: {notes}")

    def _step(self, logdir: Logdir, seen: Points) -> None:
        """Let the loader work, and check that nothing disappears."""
        logdir.step()
        try:
            now = points_of(logdir.snapshot)
        except MemoryError:  # A request that has no memory is answered 503, and made again.
            now = points_of(logdir.snapshot)
        for key, count in seen.items():
            if now.get(key, 0) < count:
                raise LostError(f"{key}: {now.get(key, 0)} points after {count}")
        seen.update(now)

    def recover(self, place: Place, stop_faults: Callable[[], None]) -> None:
        """Load and grow while faults happen; the same loader has everything when they are gone."""
        seen: Points = {}
        with self._logdir(place) as logdir:
            self._step(logdir, seen)
            with self.paused():
                self._grow()
            logdir.walk_soon()
            self._step(logdir, seen)
            self._use_notes()
            with suppress(OSError, MemoryError):
                self._pack(logdir, LocalDisk(str(self.live / "runs")))
            stop_faults()
            for _ in range(_STEPS_AFTER):
                logdir.walk_soon()
                self._step(logdir, seen)
            check_all(logdir)

    @contextmanager
    def _logdir(self, place: Place) -> Iterator[Logdir]:
        self._index = Index(self.live / "index")
        logdir = Logdir(str(self.live / "runs"), 0, self._index, place)
        try:
            yield logdir
        finally:
            logdir.stop_loading()

    def _pack(self, logdir: Logdir, place: LocalDisk) -> None:
        """Move the segments of small files to a pack of the index."""
        views = [view for run in logdir.snapshot.runs.values() for view in run.files if view.read_bytes == view.size]
        self._index.pack([QuietFile(view.path, place.stat(view.path), view.phase) for view in views], place)

    def _grow(self) -> None:
        """Append to a run and add another."""
        (path,) = (self.live / "runs/small").iterdir()
        with path.open("ab") as file:
            file.write(b"".join(scalar_event(100.0 + step, step, {"loss": 1.0}) for step in range(20, 30)))
        loss_run(self.live / "runs/later", range(5))

    def _notes(self) -> Notes:
        return Notes(NotesFolder(JsonFolder(self.live / "notes", "runs", LARGEST_FILE)), lambda: 0)

    def _use_notes(self) -> None:
        """Read notes, change one, and read them again: what was read once stays."""
        notes = self._notes()
        before = _current(notes, {})
        with suppress(OSError, MemoryError):
            notes.change("small", {"alias": NEW_ALIAS})
        for _ in range(3):
            before = _current(notes, before)


def _current(notes: Notes, before: dict[str, object]) -> dict[str, object]:
    try:
        runs = notes.current().runs
    except (OSError, MemoryError):
        return before
    if before.keys() - runs.keys():
        raise LostError(f"notes of {sorted(before.keys() - runs.keys())}")
    return dict(runs)


EXPECTED: Points = {
    ("small", "loss"): 30,
    ("nested/deep/inner", "loss"): 10,
    ("pictures", "picture"): 3,
    ("long", "loss"): 4 * WINDOW_BYTES // len(tensorboard_event(1.0, 1, {"loss": 1.0})),
    ("linked", "loss"): 7,
    ("later", "loss"): 5,
}


def check_all(logdir: Logdir) -> None:
    """Check that all runs are completely read and verified, and that nothing is stale or failing."""
    snapshot = logdir.snapshot
    if points_of(snapshot) != EXPECTED:
        raise LostError(f"{points_of(snapshot)} instead of {EXPECTED}")
    if snapshot.stale or snapshot.problems:
        raise LostError(f"still stale: {dict(snapshot.stale)}, {dict(snapshot.problems)}")
    for run in snapshot.runs.values():
        for file in run.files:
            if file.verified_large_records < file.large_records or file.damage:
                raise LostError(f"{run.name}: {file.verified_large_records} verified, {file.damage}")


def picture(step: int) -> bytes:
    """Return a record that is verified after it was loaded."""
    event = summary_pb2.Event(wall_time=2.0 + step, step=step)
    event.summary.value.add(tag="picture").image.encoded_image = bytes(20_000)
    return framing.frame(event.SerializeToString())
