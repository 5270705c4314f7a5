"""Weights & Biases: the values are those that its own reader returns, also of torn and damaged files."""

import functools
import json
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.proto import wandb_pb2
from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.files.chunked_log import BLOCK_BYTES, read_frames
from toposcope.server.formats.format import Source
from toposcope.server.formats.wandb.wandb import FILE_HEAD, WANDB
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.console import Console
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.parameters.hyper_parameters import read_settings
from toposcope.server.runs.run import RunView
from toposcope.server.values.histogram import read_histogram
from toposcope.server.values.image import read_images
from toposcope.server.values.text import read_text

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = ["wandb", "wandb-0.19"]
VAL_AXES = {"val/*": {"step_metric": "epoch"}}
"""What the golden runs said with define_metric()."""
Series = dict[str, list[tuple[int, float]]]


def expected_runs(version: str) -> list[dict[str, Any]]:
    """Return what W&B's own reader says of the runs of a version."""
    expected: dict[str, dict[str, Any]] = json.loads((GOLDEN / version / "expected.json").read_text())
    return list(expected.values())


def name_of(run: dict[str, Any]) -> str:
    return f"wandb/{run['name']} {run['id']}"


def series_of(run: RunView) -> Series:
    """Return the (step, value) pairs of each scalar tag of a run."""
    return {
        tag: [(int(step), float(value)) for step, _, value in zip(*run.points(tag, 0), strict=True)]
        for tag in run.tags_of("scalar")
        if not tag.startswith("machine/")
    }


def expected_series(history: list[dict[str, Any]]) -> Series:
    """Return the numbers of a history; the parts of media are none."""
    series: Series = {}
    for row in history:
        media = {name.removesuffix("_type") for name in row if name.endswith("/_type")}
        for name, value in row.items():
            is_number = isinstance(value, int | float) and not name.startswith("_")
            if is_number and not name.startswith(tuple(media)):
                series.setdefault(name, []).append((row["_step"], float(value)))
    return series


@pytest.mark.parametrize("version", VERSIONS)
def test_series_are_those_of_its_own_reader(version: str) -> None:
    runs = load_logdir(str(GOLDEN / version)).runs
    assert runs.keys() == {name_of(run) for run in expected_runs(version)}
    for run in expected_runs(version):
        series, expected = series_of(runs[name_of(run)]), expected_series(run["history"])
        in_history = {name: points for name, points in series.items() if name in expected}
        assert repr(sorted(in_history.items())) == repr(sorted(expected.items()))


@pytest.mark.parametrize("version", VERSIONS)
def test_wall_times_are_those_of_the_history(version: str) -> None:
    runs = load_logdir(str(GOLDEN / version)).runs
    for run in expected_runs(version):
        expected = [row["_timestamp"] for row in run["history"] if "train/loss" in row]
        assert runs[name_of(run)].points("train/loss", 0).wall_time.tolist() == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_numbers_of_the_summary_without_a_history_are_scalars(version: str) -> None:
    run = next(run for run in expected_runs(version) if run["name"].startswith("wide"))
    series = series_of(load_logdir(str(GOLDEN / version)).runs[name_of(run)])
    only_in_summary = {tag: series[tag] for tag in series.keys() - expected_series(run["history"]).keys()}
    summary = {"best": run["summary"]["best"], "train/loss/min": run["summary"]["train/loss"]["min"]}
    assert repr(sorted(only_in_summary.items())) == repr([(tag, [(39, summary[tag])]) for tag in sorted(summary)])


@pytest.mark.parametrize("version", VERSIONS)
def test_the_configuration_is_hyperparameters(version: str) -> None:
    run = next(run for run in expected_runs(version) if run["name"].startswith("wide"))
    recorded = read_settings(load_logdir(str(GOLDEN / version)).runs[name_of(run)], [])
    config = run["config"]
    parameters = dict(recorded.hyper_parameters)
    assert json.loads(str(parameters.pop("wandb/metrics"))).items() >= VAL_AXES.items()
    assert parameters == {
        "lr": config["lr"],
        "model/depth": config["model"]["depth"],
        "model/width": "[64.0,128.0]",
        "name": config["name"],
        "flag": True,
        "big": str(config["big"]),
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_the_exit_code_is_the_state(version: str) -> None:
    runs = load_logdir(str(GOLDEN / version)).runs
    states = {run["exit_code"]: runs[name_of(run)].state_name for run in expected_runs(version)}
    assert states == {0: "finished", 3: "failed"}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_output_is_the_console(version: str) -> None:
    run = next(run for run in expected_runs(version) if run["name"].startswith("wide"))
    view = load_logdir(str(GOLDEN / version)).runs[name_of(run)]
    console = Console()
    page = console.page(view, 0, console.totals(view, 0), 0, "", 1000, 1 << 20)
    assert "".join(f"{line.line.text}\n" for line in page.lines) == run["console"]


@pytest.mark.parametrize("version", VERSIONS)
def test_media_are_images_histograms_and_tables(version: str) -> None:
    run = next(run for run in expected_runs(version) if run["name"].startswith("wide"))
    view = load_logdir(str(GOLDEN / version)).runs[name_of(run)]
    images = view.payloads(Tag("image", "img"), 0)
    (file,) = (GOLDEN / version).rglob("*.png")
    (image,) = read_images(read_payload(view, images, 0), "image")
    assert (images.step.tolist(), bytes(image.encoded)) == ([20], file.read_bytes())
    histograms = view.payloads(Tag("histogram", "hist"), 0)
    rows = [row for row in run["history"] if "hist/values" in row]
    assert histograms.step.tolist() == [row["_step"] for row in rows]
    histogram = read_histogram(read_payload(view, histograms, 0), "histogram", "tensorboard")
    counts = rows[0]["hist/values"]
    assert (histogram.total_count, histogram.buckets.counts.tolist()) == (sum(counts), counts)
    tables = view.payloads(Tag("text", "table"), 0)
    assert tables.step.tolist() == [20]
    (lines,) = read_text(read_payload(view, tables, 0), "tensor").texts
    first = {"id": 1, "text": "你好", "score": 0.5}
    assert [json.loads(line) for line in lines.split("\n")] == [first, {"id": 2, "text": "b", "score": None}]


def golden_bytes() -> bytes:
    """Return the longest golden file."""
    return max((path.read_bytes() for path in GOLDEN.rglob("*.wandb")), key=len)


def read_in_pieces(folder: Path, content: bytes, ends: list[int]) -> RunView:
    """Return the run in a file that grows to some sizes, one after the other."""
    path = folder / "run-x.wandb"
    written: list[bytes] = []
    state: dict[str, Any] = {}
    source = Source("wandb", str(path), "x", "", str(path), 0.0)

    class Output:
        def run(self, key: str = "", name: str | None = None) -> EventWriter:
            return EventWriter(written.append, "wandb", is_new=not written)

    for end in sorted({*ends, len(content)}):
        path.write_bytes(content[:end])
        while WANDB.read(source, UNCHECKED, state, Output()):
            pass
    (folder / "events.out.tfevents.1.host").write_bytes(b"".join(written))
    path.unlink()
    (run,) = load_logdir(str(folder)).runs.values()
    return run


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(7, 30000), max_size=6))
def test_a_file_that_grows_has_the_records_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, ends: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("grows")
    whole = read_in_pieces(folder, golden_bytes(), [])
    assert repr(series_of(whole)) == repr(series_of(read_in_pieces(folder, golden_bytes(), ends)))
    assert series_of(whole)["train/loss"]


@functools.cache
def blocks_of(count: int) -> bytes:
    """Return a file of so many blocks, with the chunks of the golden file written again into them."""
    payloads = [frame.payload for frame in read_frames(golden_bytes()[7:], 7) if frame.payload]
    content = bytearray(FILE_HEAD)
    while len(content) < count * BLOCK_BYTES:
        for payload in payloads:
            rest, is_first = payload, True
            while rest or is_first:
                left = BLOCK_BYTES - len(content) % BLOCK_BYTES
                if left < 7:
                    content += bytes(left)
                    continue
                part, rest = rest[: left - 7], rest[left - 7 :]
                kind = (1 if not rest else 2) if is_first else (4 if not rest else 3)
                crc = zlib.crc32(bytes((kind,)) + part)
                content += struct.pack("<IHB", crc, len(part), kind) + part
                is_first = False
    return bytes(content)


@settings(deadline=None, max_examples=60)
@given(st.integers(7, 3 * BLOCK_BYTES - 1), st.integers(1, 255))
def test_a_damaged_byte_costs_one_block(at: int, change: int) -> None:
    content = bytearray(blocks_of(4))
    intact = [frame.payload for frame in read_frames(bytes(content[7:]), 7)]
    content[at] ^= change
    frames = list(read_frames(bytes(content[7:]), 7))
    damaged = [frame for frame in frames if frame.payload is None]
    read = [frame.payload for frame in frames if frame.payload is not None]
    is_padding = not damaged and read == intact
    assert is_padding or [frame.start // BLOCK_BYTES for frame in damaged] == [at // BLOCK_BYTES]
    remaining = iter(intact)
    assert all(payload in remaining for payload in read)  # In order, and nothing that was not there.


def test_damage_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    content = bytearray(blocks_of(4))
    content[BLOCK_BYTES + 5000] ^= 1
    (tmp_path / "run-x.wandb").write_bytes(content)
    loaded = load_logdir(str(tmp_path))
    assert len(loaded.runs) == 1
    assert "1 damaged places were left out, at bytes" in loaded.problems[str(tmp_path / "run-x.wandb")]


@pytest.mark.parametrize("content", [b"", FILE_HEAD, b":W&B\xe1\xbe\x01", b"text", FILE_HEAD + bytes(100)])
def test_what_is_no_run_is_ignored(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run-x.wandb").write_bytes(content)
    loaded = load_logdir(str(tmp_path))
    assert (dict(loaded.runs), loaded.ignored_files) == ({}, 1)


def test_media_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "wandb", tmp_path / "logs")
    (folder,) = (tmp_path / "logs").rglob("media")
    shutil.rmtree(folder)
    run = next(run for run in load_logdir(str(tmp_path)).runs.values() if "wide" in run.name)
    assert "image" not in run.plugins


def resumed_part(path: Path, started: int, steps: range) -> None:
    """Write a file of a run of W&B with a loss at some steps, a second each."""
    run = wandb_pb2.Record()
    run.run.run_id, run.run.display_name = "abc", "resumed"
    run.run.start_time.seconds = started
    records = [run]
    for second, step in enumerate(steps):
        record = wandb_pb2.Record()
        row = {"_step": step, "_timestamp": float(started + second), "loss": float(started)}
        for name, value in row.items():
            record.history.item.add(key=name, value_json=json.dumps(value))
        records.append(record)
    write_records(path, records)


def write_records(path: Path, records: list[wandb_pb2.Record]) -> None:
    """Write a file that fits in one block."""
    content = b"".join(
        struct.pack("<IHB", zlib.crc32(b"\1" + part), len(part), 1) + part
        for part in (record.SerializeToString() for record in records)
    )
    path.parent.mkdir()
    path.write_bytes(FILE_HEAD + content)


def test_files_of_a_resumed_run_are_its_attempts(tmp_path: Path) -> None:
    """Of steps that were run again, the later values are shown."""
    resumed_part(tmp_path / "offline-run-1-abc/run-abc.wandb", 1_700_000_000, range(6))
    resumed_part(tmp_path / "offline-run-2-abc/run-abc.wandb", 1_700_001_000, range(4, 9))
    (run,) = load_logdir(str(tmp_path)).runs.values()
    expected = [(step, 1_700_000_000.0 if step < 4 else 1_700_001_000.0) for step in range(9)]
    assert (len(run.attempts[0]), series_of(run)) == (2, {"loss": expected})


def test_x_axes_of_define_metric_are_a_hyperparameter(tmp_path: Path) -> None:
    """Where our recorder keeps them too. The dots of nested names are escaped if they are in a name itself."""
    records = [wandb_pb2.Record() for _ in range(5)]
    records[0].run.run_id = "abc"
    records[1].metric.name = "epoch"
    records[2].metric.glob_name, records[2].metric.step_metric = "val/*", "epoch"
    records[3].metric.name, records[3].metric.step_metric = r"a.b\.c", "at.step"
    records[4].history.item.add(key="_step", value_json="0")
    records[4].history.item.add(key="epoch", value_json="1")
    write_records(tmp_path / "offline-run-1-abc/run-abc.wandb", records)
    (run,) = load_logdir(str(tmp_path)).runs.values()
    axes = read_settings(run, []).hyper_parameters["wandb/metrics"]
    assert json.loads(str(axes)) == {"val/*": {"step_metric": "epoch"}, "a/b.c": {"step_metric": "at/step"}}
