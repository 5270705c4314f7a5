"""Keeping a lake up to date: what is written again, and what an interruption leaves."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.event_files import loss_run, scalar_event, version_event, write_run
from support.lakes import content, rows, stamps

from toposcope.server.lake.compaction import Compacted, Limits, compact
from toposcope.server.lake.folder import LocalFolder
from toposcope.server.loading.load_once import load_logdir

SMALL = Limits(points=20, runs=4, small_parts=3)


def update(logs: Path, lake: Path, limits: Limits = SMALL, *, is_complete: bool = True) -> Compacted:
    runs = load_logdir(str(logs)).runs
    return compact(LocalFolder(str(lake)), runs, limits=limits, is_complete=is_complete)


def check(logs: Path, lake: Path, fresh: Path) -> None:
    """Check that a lake has the rows of one that is written from nothing."""
    shutil.rmtree(fresh, ignore_errors=True)
    update(logs, fresh)
    assert content(lake) == content(fresh)


def test_only_parts_with_changed_runs_are_written(tmp_path: Path) -> None:
    """Nothing is written if nothing changed; a run that grew rewrites its part; a removed run disappears."""
    logs, lake = tmp_path / "logs", tmp_path / "lake"
    for number in range(6):
        loss_run(logs / f"run{number}", range(10), seconds=1000 + number)
    assert update(logs, lake).written_parts == 3
    before = stamps(lake)
    assert update(logs, lake).written_parts == 0
    assert stamps(lake) == before

    loss_run(logs / "run2", range(10, 13), seconds=2000)
    assert update(logs, lake).written_parts == 1
    changed = {name for name, inode in stamps(lake).items() if before[name] != inode}
    assert changed == {
        *(f"{folder}/part-00001.parquet" for folder in ("scalars", "tags")),
        "_state/part-00001.json",
        "runs.parquet",
    }
    check(logs, lake, tmp_path / "fresh")

    shutil.rmtree(logs / "run4")
    shutil.rmtree(logs / "run5")
    assert update(logs, lake).deleted_parts == 1
    check(logs, lake, tmp_path / "fresh")


def test_values_that_change_in_place_are_in_all_tables(tmp_path: Path) -> None:
    """A file that is replaced by one of the same size and with the same steps and times."""
    logs, lake = tmp_path / "logs", tmp_path / "lake"
    for value in (0.25, 0.5):
        path = write_run(logs / "a", [])
        path.write_bytes(version_event() + scalar_event(2.0, 1, {"loss": value}))
        update(logs, lake)
        check(logs, lake, tmp_path / "fresh")
        assert dict(rows(lake, "runs")[0]["metrics"])["loss"]["last"] == value
        path.unlink()


def test_missing_runs_are_kept_while_the_logdir_cannot_be_read(tmp_path: Path) -> None:
    """They go when the logdir is complete and they are still missing."""
    logs, lake = tmp_path / "logs", tmp_path / "lake"
    loss_run(logs / "a", range(3))
    loss_run(logs / "b", range(3), seconds=5)
    update(logs, lake)
    before = content(lake)
    shutil.rmtree(logs / "a")

    assert update(logs, lake, is_complete=False).kept == ["a"]
    assert content(lake) == before
    assert update(logs, lake).kept == []
    assert {row["run"] for row in rows(lake, "scalars")} == {"b"}


def test_runs_that_lack_a_file_are_kept_while_the_logdir_cannot_be_read(tmp_path: Path) -> None:
    """Their points stay; they are written when the file is back."""
    logs, lake = tmp_path / "logs", tmp_path / "lake"
    loss_run(logs / "a", range(3))
    path = loss_run(logs / "a", range(3, 6), seconds=9)
    update(logs, lake)
    before = content(lake)
    path.rename(tmp_path / path.name)

    assert update(logs, lake, is_complete=False).kept == ["a"]
    assert content(lake) == before
    (tmp_path / path.name).rename(path)
    assert update(logs, lake).kept == []
    assert content(lake) == before


def test_other_folders_are_not_overwritten(tmp_path: Path) -> None:
    """Neither one with other files, nor the lake of another logdir."""
    loss_run(tmp_path / "one/a", range(3))
    loss_run(tmp_path / "two/b", range(3))
    update(tmp_path / "one", tmp_path / "lake")
    with pytest.raises(ValueError, match="is a lake of other runs, 'a' for example"):
        update(tmp_path / "two", tmp_path / "lake")
    with pytest.raises(ValueError, match="is not empty, and no lake"):
        update(tmp_path / "one", tmp_path / "two")


def test_a_damaged_state_file_is_named_with_advice(tmp_path: Path) -> None:
    """What to do is safe: everything is in the event files."""
    loss_run(tmp_path / "logs" / "run", range(3))
    update(tmp_path / "logs", tmp_path / "lake")
    (state,) = (tmp_path / "lake" / "_state").glob("*.json")
    state.write_text("{")
    with pytest.raises(ValueError, match=r"is damaged: .*; delete the folder and run compact again"):
        update(tmp_path / "logs", tmp_path / "lake")


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    """The second one reports the first one, and changes nothing."""
    loss_run(tmp_path / "logs/a", range(3))
    with LocalFolder(str(tmp_path / "lake")).locked(), pytest.raises(OSError, match="another process writes it"):
        update(tmp_path / "logs", tmp_path / "lake")


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d/e", "f", "g", "h"]),
        st.sampled_from(["grow", "add", "remove"]),
        st.integers(0, 30),
    ),
    min_size=1,
    max_size=6,
)


def apply(logs: Path, number: int, change: tuple[str, str, int]) -> None:
    """Change a run: more points, another restart, or gone."""
    run, kind, points = change
    if kind == "remove":
        for path in (logs / run).glob("*summary*"):
            path.unlink()
    else:
        first = 100 * number if kind == "grow" else 0
        loss_run(logs / run, range(first, first + points), seconds=1000 * (number + 1), tag=kind)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(CHANGES, min_size=1, max_size=5))
def test_random_changes_give_the_lake_that_is_written_at_once(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[list[tuple[str, str, int]]]
) -> None:
    """Runs that appear, grow, restart and go; parts that are filled, split and merged."""
    folder = tmp_path_factory.mktemp("changes")
    logs, lake = folder / "logs", folder / "lake"
    write_run(logs / "always", [])
    for number, changes in enumerate(rounds):
        for at, change in enumerate(changes):
            apply(logs, 10 * number + at, change)
        update(logs, lake)
        check(logs, lake, folder / "fresh")
    assert update(logs, lake).written_parts == 0


class InterruptionError(Exception):
    """Takes the place of a kill."""


class FailingFolder(LocalFolder):
    """Raises at one of the changes of files, after or before it takes place."""

    def __init__(self, address: str, left: int, is_after: bool) -> None:
        super().__init__(address)
        self.left, self.is_after = left, is_after

    def _count(self, is_after: bool) -> None:
        if is_after == self.is_after:
            self.left -= 1
            if self.left < 0:
                raise InterruptionError

    @contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        self._count(False)
        with super().create(name) as file:
            yield file
        self._count(True)

    def delete(self, name: str) -> None:
        self._count(False)
        super().delete(name)
        self._count(True)


@pytest.mark.parametrize("is_after", [False, True])
def test_interruption_anywhere_is_repaired_by_the_next_call(tmp_path: Path, is_after: bool) -> None:
    """At no moment is a point there twice. The change adds, grows, splits, merges and removes."""
    logs, lake, broken = tmp_path / "logs", tmp_path / "lake", tmp_path / "broken"
    for number in range(9):
        loss_run(logs / f"run{number}", range(10), seconds=1000 + number)
    update(logs, lake, Limits(points=20, runs=2, small_parts=9))
    shutil.rmtree(logs / "run7")
    loss_run(logs / "run0", range(10, 60), seconds=2000)
    for number in range(20, 24):
        loss_run(logs / f"run{number}", range(5), seconds=1000 + number)
    runs = load_logdir(str(logs)).runs
    moments = 0
    while True:
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(lake, broken)
        try:
            compact(FailingFolder(str(broken), moments, is_after), runs, limits=SMALL)
            break
        except InterruptionError:
            moments += 1
        points = [(row["run"], row["tag"], row["step"], row["attempt"]) for row in rows(broken, "scalars")]
        assert len(points) == len(set(points))
        update(logs, broken)
        check(logs, broken, tmp_path / "fresh")
    assert moments > 10
