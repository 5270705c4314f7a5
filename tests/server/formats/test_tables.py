"""Logs of trainers without a logger: the values are those in the files, also while they grow, and data is no log."""

import csv
import json
import os
import shutil
import site
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.server.commands import inspect
from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.formats import choose
from toposcope.server.formats.tables.reading import read_table
from toposcope.server.loading.finding.discovery import discover
from toposcope.server.loading.load_once import load_file, load_logdir
from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.reading.index.index import Index
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.parameters.hyper_parameters import read_settings
from toposcope.server.runs.run import RunView

GOLDEN = Path(__file__).parent / "golden" / "plain_files"
Series = dict[str, list[tuple[int, float]]]


def series_of(run: RunView) -> Series:
    """Return the (step, value) pairs of each scalar tag of a run."""
    return {
        tag: [(int(step), float(value)) for step, _, value in zip(*run.points(tag, 0), strict=True)]
        for tag in run.tags_of("scalar")
    }


def texts_of(run: RunView) -> dict[str, int]:
    """Return the number of texts of each tag."""
    return {tag: run.series(Tag("text", tag), 0).total for tag in run.tags_of("text")}


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, slowly."""
    if path.suffix == ".jsonl":
        for line in path.read_text().split("\n")[:-1]:
            yield json.loads(line)
    else:
        with path.open(newline="") as file:
            yield from csv.DictReader(file)


def expected_of(path: Path, step: str, *skipped: str) -> Series:
    """Return the series in a table, as the simplest code reads them."""
    series: Series = {}
    for row in rows_of(path):
        flat = {**row, **{f"nested/{name}": value for name, value in row.get("nested", {}).items()}}
        for name, cell in flat.items():
            if name not in (step, *skipped) and cell not in ("", None) and not isinstance(cell, dict):
                try:
                    series.setdefault(name, []).append((int(row[step]), float(cell)))
                except ValueError:  # A text.
                    series.pop(name)
    return series


def same(series: Series, expected: Series) -> bool:
    """Return whether series are equal, with NaN equal to NaN."""
    return repr(series) == repr({name: expected[name] for name in series}) and series.keys() == expected.keys()


@pytest.mark.parametrize(
    ("run", "dialect", "path", "step", "skipped"),
    [
        ("keras", "keras", "keras/training.log", "epoch", ()),
        ("lightning_logs/version_0", "lightning", "lightning_logs/version_0/metrics.csv", "step", ()),
        ("ultralytics", "ultralytics", "ultralytics/results.csv", "epoch", ("time",)),
        ("plain/metrics.csv", "table", "plain/metrics.csv", "step", ("note",)),
        ("plain/log.jsonl", "table", "plain/log.jsonl", "step", ("time", "phase")),
    ],
)
def test_series_are_those_of_the_table(run: str, dialect: str, path: str, step: str, skipped: tuple[str, ...]) -> None:
    view = load_logdir(str(GOLDEN)).runs[run]
    assert view.dialect == dialect
    assert same(series_of(view), expected_of(GOLDEN / path, step, *skipped))


def test_entries_of_a_trainer_state_are_a_run_of_the_training() -> None:
    run = load_logdir(str(GOLDEN)).runs["hf"]
    history = json.loads((GOLDEN / "hf/checkpoint-32/trainer_state.json").read_text())["log_history"]
    expected: Series = {}
    for entry in history:
        for name in entry.keys() - {"step"}:
            expected.setdefault(name, []).append((entry["step"], entry[name]))
    assert run.dialect == "transformers"
    assert same(series_of(run), expected)


def test_settings_beside_a_table_are_hyperparameters() -> None:
    runs = load_logdir(str(GOLDEN)).runs
    assert read_settings(runs["lightning_logs/version_0"], []).hyper_parameters == {"lr": 0.1, "width": 4}
    assert read_settings(runs["ultralytics"], []).hyper_parameters["model"] == "yolo.yaml"


def test_texts_in_a_table_are_texts() -> None:
    assert texts_of(load_logdir(str(GOLDEN)).runs["plain/metrics.csv"]) == {"note": 20}


def test_times_since_1970_are_wall_times() -> None:
    points = load_logdir(str(GOLDEN)).runs["plain/log.jsonl"].points("loss", 0)
    assert points.wall_time.tolist() == [1795800000 + step for step in range(20)]


def test_the_newest_checkpoint_has_the_entries_of_those_before(tmp_path: Path) -> None:
    for number, count in ((10, 2), (20, 5)):
        folder = tmp_path / f"out/checkpoint-{number}"
        folder.mkdir(parents=True)
        history = [{"step": step, "loss": 1 / (step + 1)} for step in range(count)]
        (folder / "trainer_state.json").write_text(json.dumps({"log_history": history}))
        os.utime(folder / "trainer_state.json", (number, number))
    (run,) = load_logdir(str(tmp_path)).runs.values()
    assert (run.name, run.points("loss", 0).step.tolist()) == ("out", [0, 1, 2, 3, 4])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("prices.csv", "date,open,close\n2020-01-01,1,2\n"),
        ("series.csv", "time,value\n0,1\n1,2\n"),  # A time, but no name of a log.
        ("steps.csv", "step,action\n0,left\n1,right\n"),  # No numbers.
        ("episodes.csv", "step,reward\n0,1\n1,1\n0,1\n"),  # The step descends.
        ("twice.csv", "step,loss,loss\n0,1,2\n"),
        ("one.csv", "step\n1\n"),
        ("empty.csv", ""),
        ("header.csv", "step,loss\n"),
        ("chat.jsonl", '{"messages": [{"role": "user"}]}\n'),
        ("bytes.csv", "step,loss\n1,\0\n"),
        ("data/train/steps.csv", "step,loss\n0,1\n"),
        ("results.csv", "name,score\na,1\n"),
        ("metrics.csv", "name,score\na,1\n"),
        ("trainer_state.json", '{"history": []}'),
    ],
)
def test_other_tables_are_no_logs(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(content)
    loaded = load_logdir(str(tmp_path))
    assert (dict(loaded.runs), loaded.ignored_files) == ({}, 1)


def test_a_large_table_of_an_unknown_name_is_data(tmp_path: Path) -> None:
    path = tmp_path / "steps.csv"
    path.write_text("step,loss\n0,1\n1,2\n")
    os.truncate(path, 300 << 20)
    assert not load_logdir(str(tmp_path)).sources


def test_installed_packages_contain_no_logs() -> None:
    (packages,) = site.getsitepackages()[:1]
    assert [source.path for source in discover(packages, formats=choose()).sources] == []


def test_formats_can_be_chosen(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "logs")
    assert {run.dialect for run in load_logdir(str(tmp_path), formats=choose("keras,table")).runs.values()} == {
        "keras",
        "table",
    }
    assert not load_logdir(str(tmp_path), formats=choose("none")).runs
    with pytest.raises(ValueError, match="unknown format 'kers'"):
        choose("kers")


def test_a_table_beside_event_files_of_its_training_is_not_read_again(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "ultralytics", tmp_path / "run")
    (tmp_path / "run/events.out.tfevents.1.host").write_bytes(b"")
    assert not load_logdir(str(tmp_path)).sources


def test_a_torn_last_line_waits(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("step,loss\n1,0.5\n2,0.2")
    assert series_of(load_logdir(str(tmp_path)).runs["log.csv"]) == {"loss": [(1, 0.5)]}
    path.write_text("step,loss\n1,0.5\n2,0.25\n")
    assert series_of(load_logdir(str(tmp_path)).runs["log.csv"]) == {"loss": [(1, 0.5), (2, 0.25)]}


def test_the_last_line_of_a_settled_table_needs_no_line_feed(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("step,loss\n1,0.5\n2,0.25")
    os.utime(path, (1e9, 1e9))
    assert series_of(load_logdir(str(tmp_path)).runs["log.csv"]) == {"loss": [(1, 0.5), (2, 0.25)]}


def test_what_was_translated_is_continued_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "log.csv"
    path.parent.mkdir()
    path.write_text("step,loss\n1,0.5\n")
    for step in range(2, 5):
        assert (
            len(series_of(load_logdir(str(path.parent), Index(tmp_path / "index")).runs["log.csv"])["loss"]) == step - 1
        )
        with path.open("a") as file:
            file.write(f"{step},0.5\n")
    (event_file,) = (tmp_path / "index").rglob("*.tfevents")
    before = event_file.stat()
    assert len(series_of(load_logdir(str(path.parent), Index(tmp_path / "index")).runs["log.csv"])["loss"]) == 4
    assert event_file.stat().st_ino == before.st_ino


@pytest.mark.parametrize("damage", ["event file", "state"])
def test_a_damaged_translation_is_made_again(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "logs" / "log.csv"
    path.parent.mkdir()
    path.write_text("step,loss\n1,0.5\n2,0.25\n")
    load_logdir(str(path.parent), Index(tmp_path / "index"))
    (damaged,) = (tmp_path / "index").rglob("*.tfevents" if damage == "event file" else "state.json")
    os.truncate(damaged, damaged.stat().st_size - 3)
    run = load_logdir(str(path.parent), Index(tmp_path / "index")).runs["log.csv"]
    assert series_of(run) == {"loss": [(1, 0.5), (2, 0.25)]}


def test_a_table_that_is_written_again_replaces_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "log.csv"
    path.parent.mkdir()
    logdir = Logdir(str(path.parent), 1e6, Index(tmp_path / "index"))
    try:
        path.write_text("step,loss\n1,0.5\n2,0.25\n")
        logdir.step()
        assert series_of(logdir.snapshot.runs["log.csv"]) == {"loss": [(1, 0.5), (2, 0.25)]}
        path.write_text("step,loss,acc\n7,0.125,1\n8,0.5,1\n9,1.5,1\n")
        logdir.walk_soon()
        logdir.step()
        series = series_of(logdir.snapshot.runs["log.csv"])
        assert series == {"loss": [(7, 0.125), (8, 0.5), (9, 1.5)], "acc": [(7, 1), (8, 1), (9, 1)]}
        path.unlink()
        logdir.walk_soon()
        logdir.step()
        assert not logdir.snapshot.runs
    finally:
        logdir.stop_loading()


NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
CELLS = st.one_of(NUMBERS, st.none(), st.text('abc é\n",;', max_size=4))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.fixed_dictionaries({"loss": NUMBERS, "a": CELLS, "b/c": CELLS}), min_size=1, max_size=12),
    st.lists(st.integers(1, 60), max_size=30),
    st.booleans(),
)
def test_a_table_that_grows_byte_by_byte_has_the_rows_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Mapping[str, Any]], cuts: list[int], is_json: bool
) -> None:
    folder = tmp_path_factory.mktemp("grows")
    path = folder / ("log.jsonl" if is_json else "log.csv")
    whole = folder / f"whole{path.suffix}"
    with whole.open("w", newline="") as file:
        if is_json:
            file.writelines(f"{json.dumps({'step': step, **row})}\n" for step, row in enumerate(rows))
        else:
            writer = csv.writer(file, lineterminator="\n")
            names = ("loss", "a", "b/c")
            cells = ((step, *(row[name] for name in names)) for step, row in enumerate(rows))
            writer.writerows([("step", *names), *cells])
    content = whole.read_bytes()
    state: dict[str, Any] = {}
    written: list[bytes] = []
    at = 0
    for cut in [*cuts, len(content)]:
        path.write_bytes(content[: at + cut])
        at += cut
        read_table(str(path), UNCHECKED, state, EventWriter(written.append, "table", is_new=not written))
        if at >= len(content):
            break
    (folder / "events.out.tfevents.1.host").write_bytes(b"".join(written))
    path.unlink()
    whole.rename(path)
    ((_, run),) = load_logdir(str(folder), formats=choose("none")).runs.items()
    assert same(_values_of(run), _expected(rows))


def _values_of(run: RunView) -> Series:
    return {**series_of(run), **{f"text {tag}": [(count, 0.0)] for tag, count in texts_of(run).items()}}


def _expected(rows: list[Mapping[str, Any]]) -> Series:
    expected: Series = {}
    texts: dict[str, int] = {}
    for step, row in enumerate(rows):
        for name, cell in row.items():
            if isinstance(cell, float):
                expected.setdefault(name, []).append((step, cell))
            elif isinstance(cell, str) and cell.strip():
                texts[name] = texts.get(name, 0) + 1
    return {**expected, **{f"text {name}": [(count, 0.0)] for name, count in texts.items()}}


def test_several_places_have_logs_in_other_formats(tmp_path: Path) -> None:
    for name in ("mine", "theirs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.csv").write_text("step,loss,note\n1,0.5,text\n")
    runs = load_logdir({name: str(tmp_path / name) for name in ("mine", "theirs")}).runs
    assert list(runs) == ["mine/log.csv", "theirs/log.csv"]
    assert read_payload(runs["mine/log.csv"], runs["mine/log.csv"].payloads(Tag("text", "note"), 0), 0)


def test_one_log_can_be_opened_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("step,loss\n1,0.5\n")
    (tmp_path / "other.csv").write_text("a,b\n1,0.5\n")
    assert series_of(load_file(str(tmp_path / "log.csv")).runs["log.csv"]) == {"loss": [(1, 0.5)]}
    with pytest.raises(ValueError, match="not an event file"):
        load_file(str(tmp_path / "other.csv"))


def test_inspect_says_why_a_file_was_taken_for_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect.run([str(GOLDEN / "keras")]) == 0
    path = GOLDEN / "keras/training.log"
    why = "its name is 'training.log', its column 'epoch' is a step, and others have numbers"
    assert f"{path} was read as keras: {why}" in capsys.readouterr().out
