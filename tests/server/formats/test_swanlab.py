"""SwanLab: the values are those that it logged, also of a file that is torn, damaged or grows."""

import math
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from toposcope.proto import swanlab_pb2
from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.format import Source, StartOver
from toposcope.server.formats.swanlab.swanlab import FILE_HEAD, SWANLAB
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.console import Console
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.parameters.hyper_parameters import read_settings
from toposcope.server.runs.run import RunView
from toposcope.server.values.image import read_images

GOLDEN = Path(__file__).parent / "golden/swanlab"
FIRST, SECOND = "swanlog/first qplfolnr", "swanlog/second tahytu77"


def series_of(run: RunView) -> dict[str, list[tuple[int, float]]]:
    """Return the (step, value) pairs of each scalar tag of a run."""
    return {
        tag: [(int(step), float(value)) for step, _, value in zip(*run.points(tag, 0), strict=True)]
        for tag in run.tags_of("scalar")
    }


def test_series_are_those_that_were_logged() -> None:
    runs = load_logdir(str(GOLDEN)).runs
    expected = {
        "loss": [(step, 1 / (step + 1)) for step in range(5)],
        "train/acc": [(step, step * 0.1) for step in range(5)],
        "odd": [(5, math.nan), (6, math.inf)],
        "whole": [(6, 3.0)],
    }
    assert repr(sorted(series_of(runs[FIRST]).items())) == repr(sorted(expected.items()))
    assert runs[FIRST].points("loss", 0).wall_time[0] == pytest.approx(1795897446.6, abs=0.1)
    assert series_of(runs[SECOND]) == {"loss": [(3, 2.0)]}


def test_state_and_parameters_are_those_of_the_run() -> None:
    runs = load_logdir(str(GOLDEN)).runs
    assert [runs[name].state_name for name in (FIRST, SECOND)] == ["finished", "failed"]
    error = runs[SECOND].state.error
    assert error is not None
    assert error.text == "ValueError: broken"
    parameters = read_settings(runs[FIRST], []).hyper_parameters
    assert parameters == {"late": True, "lr": 0.1, "model/depth": 3, "sizes": "[1.0,2.0]"}


def test_media_notes_and_console_are_those_of_the_run() -> None:
    run = load_logdir(str(GOLDEN)).runs[FIRST]
    assert sorted(run.tags_of("image")) == ["black", "two/0", "two/1"]
    (image,) = read_images(read_payload(run, run.payloads(Tag("image", "two/1"), 0), 0), "image")
    (file,) = GOLDEN.rglob("006-149c47af.png")
    assert bytes(image.encoded) == file.read_bytes()
    texts = {tag: run.payloads(Tag("text", tag), 0).step.tolist() for tag in run.tags_of("text")}
    assert texts == {"notes": [0], "words": [6]}
    console = Console()
    page = console.page(run, 0, console.totals(run, 0), 0, "", 1000, 1 << 20)
    assert [line.line.text for line in page.lines if line.line.text.startswith("line")] == [
        f"line {step}" for step in range(5)
    ]


def start() -> swanlab_pb2.Record:
    record = swanlab_pb2.Record()
    record.start.id, record.start.name = "abc", "../x"
    record.start.started_at.seconds = 1_700_000_000
    return record


def scalar(key: str, step: int, value: float) -> swanlab_pb2.Record:
    record = swanlab_pb2.Record()
    record.scalar.key, record.scalar.step, record.scalar.value.number = key, step, value
    record.scalar.timestamp.seconds = 1_700_000_000 + step
    return record


def framed(*records: swanlab_pb2.Record) -> bytes:
    """Return records as they are in a file; together they fit in one block."""
    parts = [record.SerializeToString() for record in records]
    return b"".join(struct.pack("<IHB", zlib.crc32(b"\1" + part), len(part), 1) + part for part in parts)


class Events:
    """Takes the records of events."""

    def __init__(self) -> None:
        self.records: list[bytes] = []

    def run(self, key: str = "", name: str | None = None) -> EventWriter:
        return EventWriter(self.records.append, "swanlab", is_new=False)


def read(path: Path, state: dict[str, Any]) -> list[bytes]:
    """Translate what is new in a file; return the records."""
    events = Events()
    SWANLAB.read(Source("swanlab", str(path), "x", "", "", 0.0), UNCHECKED, state, events)
    return events.records


def test_a_torn_record_waits_for_its_rest(tmp_path: Path) -> None:
    path, state = tmp_path / "run-abc.swanlab", dict[str, Any]()
    content = FILE_HEAD + framed(start(), scalar("loss", 1, 0.5))
    path.write_bytes(content[:-3])
    assert not any(b"loss" in record for record in read(path, state))
    path.write_bytes(content)
    (record,) = read(path, state)
    assert b"loss" in record
    assert read(path, state) == []


def test_a_file_that_has_shrunk_is_read_again(tmp_path: Path) -> None:
    path, state = tmp_path / "run-abc.swanlab", dict[str, Any]()
    path.write_bytes(FILE_HEAD + framed(start(), scalar("loss", 1, 0.5)))
    read(path, state)
    path.write_bytes(FILE_HEAD + framed(start()))
    with pytest.raises(StartOver):
        read(path, state)


def test_damage_is_reported_and_the_next_block_is_read(tmp_path: Path) -> None:
    block = FILE_HEAD + framed(start(), scalar("loss", 1, 0.5))
    damaged = block + bytes([255]) * ((32 << 10) - len(block))
    (tmp_path / "run-abc.swanlab").write_bytes(damaged + framed(scalar("loss", 2, 0.25)))
    loaded = load_logdir(str(tmp_path))
    assert [series_of(run) for run in loaded.runs.values()] == [{"loss": [(1, 0.5), (2, 0.25)]}]
    assert list(loaded.problems.values()) == [f"1 damaged places were left out, at bytes {len(block)}"]


def test_measurements_of_the_machine_have_the_step_of_the_training(tmp_path: Path) -> None:
    records = start(), scalar("loss", 7, 0.5), scalar("__swanlab__.cpu.pct", 0, 99.0)
    (tmp_path / "run-abc.swanlab").write_bytes(FILE_HEAD + framed(*records))
    (run,) = load_logdir(str(tmp_path)).runs.values()
    assert (run.name, series_of(run)) == (".._x abc", {"loss": [(7, 0.5)], "machine/cpu.pct": [(7, 99.0)]})


def test_media_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    record = swanlab_pb2.Record()
    record.media.key, record.media.type = "words", 4
    record.media.value.items.add(filename="../../secret.txt")
    (tmp_path / "run/media/text").mkdir(parents=True)
    path = tmp_path / "run/run-abc.swanlab"
    path.write_bytes(FILE_HEAD + framed(start(), record, scalar("loss", 1, 0.5)))
    (run,) = load_logdir(str(tmp_path)).runs.values()
    assert "text" not in run.plugins


@pytest.mark.parametrize("content", [b"", FILE_HEAD, FILE_HEAD[:-1] + b"\3", b"text", FILE_HEAD + bytes(100)])
def test_files_without_a_run_are_no_logs(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "run-abc.swanlab").write_bytes(content)
    assert not load_logdir(str(tmp_path)).sources


@pytest.mark.parametrize("config", ["lr: [", "[]", "lr: 1", "a: &a [x]\nb: *a\n"])
def test_a_malformed_configuration_costs_only_the_parameters(config: str, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files/config.yaml").write_text(config)
    (tmp_path / "run-abc.swanlab").write_bytes(FILE_HEAD + framed(start(), scalar("loss", 1, 0.5)))
    (run,) = load_logdir(str(tmp_path)).runs.values()
    assert (series_of(run), read_settings(run, []).hyper_parameters) == ({"loss": [(1, 0.5)]}, {})
