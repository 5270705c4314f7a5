"""Every operation of a place fails once: nothing that was read disappears, and afterwards everything is there."""

import errno
from pathlib import Path

import pytest
from support.event_files import loss_run, scalar_event, version_event
from support.fault_scenario import STATES, Scenario, State, picture, points_of
from support.faulty_place import ERRORS, FailOnce, FaultyPlace, Operation
from support.servers import wait_until

from toposcope.proto.file_name import parse_file_name
from toposcope.server.loading.logdir import Logdir
from toposcope.server.loading.publishing.snapshot import Update
from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.tag_table import Tag


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    """Return a scenario with a folder of its own."""
    return Scenario(tmp_path_factory.mktemp("faults"))


def count_operations(scenario: Scenario, state: State) -> int:
    """Return how many operations the scenario has without faults."""
    scenario.prepare(state)
    counts = FailOnce(-1, errno.EIO)
    scenario.recover(FaultyPlace(LocalDisk(str(scenario.live / "runs")), counts), counts.stop)
    return counts.count


@pytest.mark.parametrize("state", STATES)
def test_no_failing_operation_loses_anything(scenario: Scenario, state: State) -> None:
    """Each operation fails once, with one of the errors in turn; `make faults` tries each with every error."""
    operations = count_operations(scenario, state)
    assert operations > 40
    for number in range(operations):
        scenario.prepare(state)
        fails = FailOnce(number, ERRORS[number % len(ERRORS)])
        place = FaultyPlace(LocalDisk(str(scenario.live / "runs")), fails)
        try:
            scenario.recover(place, fails.stop)
        except AssertionError as error:
            raise AssertionError(f"{place.operations[number]} with {ERRORS[number % len(ERRORS)]}: {error}") from None


class FailWhile:
    """Fails operations of some names at paths that end with some text, while it is switched on."""

    def __init__(self, name: str, path: str) -> None:
        self.is_failing = False
        self._name = name
        self._path = path

    def __call__(self, operation: Operation) -> BaseException | None:
        """Return the error for an operation."""
        is_meant = operation.name == self._name and operation.path.endswith(self._path)
        return OSError(errno.ESTALE, "Stale file handle") if self.is_failing and is_meant else None


@pytest.mark.parametrize(
    ("operation", "path", "stale"),
    [
        ("list", "/runs", ["a", "b/c"]),
        ("list", "/b", ["b/c"]),
        ("entry", "/b", ["b/c"]),
        ("entry", "_MS", ["a", "b/c"]),
        ("read", "_MS", ["a"]),
    ],
)
def test_run_that_cannot_be_read_is_stale(tmp_path: Path, operation: str, path: str, stale: list[str]) -> None:
    """As long as a listing or a read fails, its runs stay as they were, with the reason, and pages are notified."""
    logdir = tmp_path / "runs"
    growing = loss_run(logdir / "a", range(3))
    loss_run(logdir / "b/c", range(3))
    fails = FailWhile(operation, path)
    loading = Logdir(str(logdir), 0, None, FaultyPlace(LocalDisk(str(logdir)), fails))
    updates: list[Update] = []
    loading.subscribe(updates.append)
    loading.step()

    fails.is_failing = True
    with growing.open("ab") as file:
        file.write(scalar_event(9.0, 9, {"loss": 1.0}))
    for _ in range(3):
        loading.walk_soon()
        loading.step()

    assert sorted(points_of(loading.snapshot)) == [("a", "loss"), ("b/c", "loss")]
    assert sorted(loading.snapshot.stale) == stale
    assert set(loading.snapshot.stale.values()) == {"Stale file handle"}
    assert [sorted(update.states) for update in updates if update.states] == [stale]
    fails.is_failing = False
    loading.walk_soon()
    loading.step()
    assert points_of(loading.snapshot) == {("a", "loss"): 4, ("b/c", "loss"): 3}
    assert (dict(loading.snapshot.stale), dict(loading.snapshot.problems)) == ({}, {})
    loading.stop_loading()


def test_no_more_is_read_than_there_is(tmp_path: Path) -> None:
    """A file may grow after it is listed, and be read to its new end."""
    growing = loss_run(tmp_path / "runs/a", range(3))

    def grow(operation: Operation) -> None:
        if operation.name == "open":
            with growing.open("ab") as file:
                file.write(scalar_event(9.0, 9, {"loss": 1.0}))

    loading = Logdir(str(tmp_path / "runs"), 0, None, FaultyPlace(LocalDisk(str(tmp_path / "runs")), grow))
    loading.step()

    progress = loading.snapshot.progress
    assert progress.read_bytes <= progress.bytes
    loading.stop_loading()


def test_failed_walk_is_repeated_soon(tmp_path: Path) -> None:
    """A logdir that is loaded only once is loaded completely, although it could not be listed at first."""
    loss_run(tmp_path / "runs/a", range(3))
    fails = FailWhile("list", "/a")
    fails.is_failing = True
    loading = Logdir(str(tmp_path / "runs"), 0, None, FaultyPlace(LocalDisk(str(tmp_path / "runs")), fails))
    loading.start()
    try:
        wait_until(lambda: loading.snapshot.problems)
        fails.is_failing = False
        wait_until(lambda: points_of(loading.snapshot) == {("a", "loss"): 3})
    finally:
        loading.stop()


def test_points_stay_while_a_file_is_read_again(tmp_path: Path) -> None:
    """A read that fails amid a record loses rows: the file is read again, and has no new view before it is as far."""
    path = tmp_path / "events.out.events.summary.1.0.host_MS"
    record = scalar_event(1.0, 1, {"loss": 1.0})
    path.write_bytes(version_event() + record * 40_000)
    fails = FailWhile("read", "_MS")
    name = parse_file_name(path.name)
    assert name is not None
    file = EventFile(str(path), name, place=FaultyPlace(LocalDisk(), fails))
    while file.read(1 << 20):
        pass
    before = file.view()
    assert before is not None
    with path.open("ab") as grows:
        grows.write(picture(2) + record)

    fails.is_failing = True
    file._state.identity = None  # Otherwise the first read would fail, before anything is lost.
    with pytest.raises(OSError, match="Stale"):
        file.read(1 << 20)
    fails.is_failing = False

    totals = []
    while file.read(100_000):
        view = file.view()
        totals.append(view and view.series[Tag("scalar", "loss")].total)
    after = file.view()
    assert after is not None
    assert after.series[Tag("scalar", "loss")].total == 40_001
    assert all(total is None or total >= 40_000 for total in totals)
