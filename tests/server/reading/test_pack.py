"""Packs of the index: unchanged files are restored without being opened, and nothing causes wrong points."""

import itertools
import math
import os
import struct
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.event_files import GOLDEN, NAME, end_event, loss_run, scalar_event, tensorboard_event, version_event
from support.indexed_runs import assert_equal_to_a_first_load, described, start

from toposcope.server.loading.files import saving
from toposcope.server.loading.files.file_loader import FileLoader
from toposcope.server.loading.finding.discovery import discover
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.reading.index.index import Index, QuietFile
from toposcope.server.reading.index.packs import summary_columns
from toposcope.server.reading.index.packs.pack import Pack
from toposcope.server.reading.index.packs.packed_series import PackedSeries
from toposcope.server.reading.series.series_summary import STATISTICS
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.search.facts import FACTS
from toposcope.server.search.fields import NUMBER_FIELDS
from toposcope.server.search.language.syntax import parse, parse_field
from toposcope.server.search.run_table import RunTable
from toposcope.server.search.search import RunSearch


def pack(logdir: Path, folder: Path) -> int:
    """Load a logdir, bring the index up to date and pack it; return how many files were packed."""
    index = Index(folder)
    loaded = load_logdir(str(logdir), index)
    files = {file.path: file for file in loaded.files}
    views = [view for run in loaded.runs.values() for view in run.files]
    return index.pack([QuietFile(view.path, files[view.path].status, view.phase) for view in views], LocalDisk())


def assert_summaries_are_those_of_the_points(runs: dict[str, RunView], logdir: Path) -> None:
    """Check the summaries of runs one by one, and as columns."""
    fresh = load_logdir(str(logdir), verify=True).runs
    packed, computed = Overview(), Overview()
    tags = {tag.name for run in fresh.values() for file in run.files for tag in file.series} | {"no such tag"}
    for name, run in runs.items():
        assert repr(packed.first_non_finite(run)) == repr(computed.first_non_finite(fresh[name]))
        for tag in tags:
            assert repr(packed.summary(run, tag)) == repr(computed.summary(fresh[name], tag))
    table, expected = RunTable(packed), RunTable(computed)
    table.update(runs, {})
    expected.update(fresh, {})
    metrics = itertools.product(STATISTICS, tags)
    numbers = {*NUMBER_FIELDS, "ended", "first_step", "first_bad"} - {"param"}
    for key in (*((field,) for field in numbers), *metrics, ("param", "lr")):
        for column, values in zip(table.numbers(*key), expected.numbers(*key), strict=True):
            np.testing.assert_array_equal(column, values)
    for key in (("name",), ("state",), ("dialect",), ("label",), ("param", "lr")):
        assert table.texts(*key) == expected.texts(*key)
        np.testing.assert_array_equal(table.ranks("text", *key), expected.ranks("text", *key))
    rows = np.arange(len(runs))
    for key in (*(("fact", name) for name in FACTS), ("param", "lr")):
        code, codes = table.codes(*key, rows=rows), expected.codes(*key, rows=rows)
        assert code.values == codes.values
        np.testing.assert_array_equal(code.code, codes.code)
    assert table.parameters() == expected.parameters()


VALUES = st.sampled_from([0.0, 1.5, -3.0, 1e30, math.nan, math.inf, -math.inf]) | st.floats(-10, 10, width=32)
FILES = st.lists(
    st.lists(st.tuples(st.integers(0, 6), st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2)), max_size=8),
    min_size=1,
    max_size=3,
)


@given(st.lists(FILES, min_size=1, max_size=4), st.sampled_from([1, 3, 1000]))
def test_summaries_are_those_of_the_points(runs: list[list[list[tuple[int, dict[str, float]]]]], rows: int) -> None:
    """Of steps in any order, repeated steps, values that are not finite, and restarts; in blocks of any size."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary_columns, "_BLOCK_ROWS", rows)
        logdir = Path(folder, "logs")
        clock = itertools.count(1)
        for number, files in enumerate(runs):
            (logdir / f"run-{number}").mkdir(parents=True)
            for part, events in enumerate(files):
                content = b"".join(scalar_event(float(next(clock)), step, values) for step, values in events)
                name = logdir / f"run-{number}" / NAME.format(seconds=part + 1, rank=0)
                name.write_bytes(version_event(float(next(clock)), b"session %d" % part) + content)
        assert pack(logdir, Path(folder, "index")) == sum(map(len, runs))

        loaded, opened = start(logdir, Path(folder, "index"))
        assert not opened
        assert_summaries_are_those_of_the_points(loaded, logdir)


def test_summaries_need_no_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric of all runs is read as a column; so are the states of runs and their tags known."""
    loss_runs(tmp_path / "logs", "abc")
    pack(tmp_path / "logs", tmp_path / "index")
    runs, _ = start(tmp_path / "logs", tmp_path / "index")
    monkeypatch.setattr(Pack, "segment", None)

    found = RunSearch(Overview()).find(runs, {}, parse("loss>0 min(loss)>0"), parse_field("max(loss)"), True)
    assert ([run.name for run in found.runs], found.total) == (["a", "b", "c"], 3)
    assert [Overview().first_non_finite(run) for run in runs.values()] == [None] * 3


def test_packed_files_are_not_opened(tmp_path: Path) -> None:
    """All golden runs are restored as they were read, from a pack alone."""
    logdir, index = tmp_path / "logs", tmp_path / "index"
    logdir.mkdir()
    (logdir / "golden").symlink_to(GOLDEN)

    packed = pack(logdir, index)
    runs, opened = start(logdir, index)

    assert (packed, opened) == (len(discover(str(logdir)).files), [])
    assert_equal_to_a_first_load(runs, logdir)


def loss_runs(logdir: Path, names: Iterable[str]) -> dict[str, Path]:
    """Write runs with five steps each."""
    return {name: loss_run(logdir / name, range(1, 6)) for name in names}


def test_files_that_grew_are_read_on(tmp_path: Path) -> None:
    """The packed points stay, the new ones follow; the next pack contains both."""
    paths = loss_runs(tmp_path / "logs", "ab")
    assert pack(tmp_path / "logs", tmp_path / "index") == 2
    with paths["a"].open("ab") as file:
        file.write(scalar_event(9.0, 9, {"loss": 9.0}))

    runs, opened = start(tmp_path / "logs", tmp_path / "index")
    assert set(opened) == {str(paths["a"])}
    assert runs["a"].points("loss", 0).step.tolist() == [1, 2, 3, 4, 5, 9]
    runs, _ = start(tmp_path / "logs", tmp_path / "index")
    assert_equal_to_a_first_load(runs, tmp_path / "logs")


@pytest.mark.parametrize("change", ["shorter", "other bytes", "replaced", "touched"])
def test_files_that_changed_are_read_again(tmp_path: Path, change: str) -> None:
    """Whatever happened to a file, the points are those that it contains now."""
    path = loss_runs(tmp_path / "logs", "a")["a"]
    pack(tmp_path / "logs", tmp_path / "index")
    content, status = path.read_bytes(), os.stat(path)
    if change == "shorter":
        path.write_bytes(content[: len(content) // 2])
    elif change == "other bytes":
        changed = loss_run(tmp_path / "other", range(11, 16)).read_bytes()
        assert len(changed) == len(content)
        path.write_bytes(changed)
    elif change == "replaced":
        path.unlink()
        loss_run(tmp_path / "logs/a", range(11, 16))
        os.utime(path, (status.st_atime, status.st_mtime))
    else:
        os.utime(path, (1e9, 1e9))

    runs, _ = start(tmp_path / "logs", tmp_path / "index")
    assert_equal_to_a_first_load(runs, tmp_path / "logs")


@pytest.mark.parametrize("damage", ["deleted", "truncated", "a segment", "the summaries", "the directory"])
def test_damaged_packs_are_no_loss(tmp_path: Path, damage: str) -> None:
    """What a pack no longer has is read from the event files, at the start or when it is first used."""
    loss_runs(tmp_path / "logs", "abc")
    pack(tmp_path / "logs", tmp_path / "index")
    (packed,) = (tmp_path / "index/packs").iterdir()
    content = bytearray(packed.read_bytes())
    if damage == "deleted":
        packed.unlink()
    elif damage == "truncated":
        packed.write_bytes(content[:-40])
    else:
        (directory,) = struct.unpack_from("<Q", content, len(content) - 16)
        content[{"a segment": 100, "the summaries": directory - 8, "the directory": -40}[damage]] ^= 255
        packed.write_bytes(content)

    runs, _ = start(tmp_path / "logs", tmp_path / "index")
    assert_summaries_are_those_of_the_points(runs, tmp_path / "logs")
    assert_equal_to_a_first_load(runs, tmp_path / "logs")


def test_a_pack_that_another_server_deleted_is_still_read(tmp_path: Path) -> None:
    """Runs that were listed before have all their points."""
    loss_runs(tmp_path / "logs", "ab")
    pack(tmp_path / "logs", tmp_path / "index")
    runs, _ = start(tmp_path / "logs", tmp_path / "index")
    for packed in (tmp_path / "index/packs").iterdir():
        packed.unlink()

    assert_equal_to_a_first_load(runs, tmp_path / "logs")


def test_many_packs_are_merged(tmp_path: Path) -> None:
    """There are never many of them, and no file is lost with a merge."""
    for number in range(20):
        loss_runs(tmp_path / "logs", [f"run-{number:02}"])
        assert pack(tmp_path / "logs", tmp_path / "index") == 1
    runs, opened = start(tmp_path / "logs", tmp_path / "index")

    assert len(list((tmp_path / "index/packs").iterdir())) <= 8
    assert (opened, len(runs)) == ([], 20)
    assert_equal_to_a_first_load(runs, tmp_path / "logs")


def test_growing_damaged_and_incomplete_files_stay_right(tmp_path: Path) -> None:
    """States, damage and records that are incomplete are those of a first load."""
    start_mark = version_event(1.0, b"session")
    contents = {
        "ended": start_mark + scalar_event(2.0, 1, {"loss": 1.0}) + end_event(3.0, "STATE_FAILED"),
        "damaged": start_mark + b"\0" * 50 + scalar_event(2.0, 1, {"loss": 1.0}),
        "incomplete": start_mark + scalar_event(2.0, 1, {"loss": 1.0})[:-3],
        "empty": b"",
    }
    for name, content in contents.items():
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / NAME.format(seconds=1, rank=0)).write_bytes(content)
    pack(tmp_path / "logs", tmp_path / "index")

    runs, _ = start(tmp_path / "logs", tmp_path / "index")
    assert_equal_to_a_first_load(runs, tmp_path / "logs")


def test_many_files_are_packed_as_they_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The views are replaced by those of the pack without a new revision; files that grow then are read on."""
    monkeypatch.setattr(saving, "_MANY_UNPACKED", 2)
    paths = loss_runs(tmp_path / "logs", "abc")
    for path in paths.values():
        os.utime(path, (1e9, 1e9))
    loading = Logdir(str(tmp_path / "logs"), 3600, Index(tmp_path / "index"))
    loading.step()
    revision = loading.snapshot.revision
    while not all(isinstance(run.files[0].series, PackedSeries) for run in loading.snapshot.runs.values()):
        loading.step()

    assert_equal_to_a_first_load(dict(loading.snapshot.runs), tmp_path / "logs")
    assert loading.snapshot.revision == revision
    assert [path.suffix for path in (tmp_path / "index").rglob("*") if path.is_file()] == [".pack"]
    with paths["a"].open("ab") as file:
        file.write(scalar_event(9.0, 9, {"loss": 9.0}))
    loading.walk_soon()
    loading.step()
    assert loading.snapshot.revision > revision
    assert loading.snapshot.runs["a"].points("loss", 0).step.tolist() == [1, 2, 3, 4, 5, 9]
    loading.stop_loading()


def test_plugins_declared_by_a_new_file_hold_in_packed_ones(tmp_path: Path) -> None:
    """A packed file whose tags another file declares as scalars is read again."""
    run = tmp_path / "logs/run"
    run.mkdir(parents=True)
    (run / "events.out.tfevents.1.host").write_bytes(tensorboard_event(1.0, 1, {"loss": 1.0}))
    pack(tmp_path / "logs", tmp_path / "index")
    (run / "events.out.tfevents.2.host").write_bytes(tensorboard_event(2.0, 2, {"loss": 2.0}))

    runs, _ = start(tmp_path / "logs", tmp_path / "index")
    assert_equal_to_a_first_load(runs, tmp_path / "logs")


def test_very_many_files_are_packed_while_others_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loader that has read very many files need not have read all to pack them; their views contain the same."""
    monkeypatch.setattr(saving, "_VERY_MANY_UNSAVED", 3)
    for path in loss_runs(tmp_path / "logs", "abc").values():
        os.utime(path, (1e9, 1e9))
    files = discover(str(tmp_path / "logs")).files
    loader = FileLoader(Index(tmp_path / "index"))
    loader.add(files)
    loader.read(60.0)
    replaced: set[str] = set()
    while len(replaced) < len(files):
        loader.saving.save_many()
        replaced |= loader.saving.take_replaced()
    loader.stop()
    views = loader.files.views(file.path for file in files)
    assert all(isinstance(view.series, PackedSeries) for view in views)
    fresh = load_logdir(str(tmp_path / "logs")).runs
    assert [described(view) for view in views] == [described(fresh[file.run].files[0]) for file in files]
