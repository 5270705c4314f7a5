"""Alerts that a training records, as the server reads them."""

from pathlib import Path
from typing import Any

import pytest
from support.recorded_run import run_in, scalars_of

from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.server.cli import main


def test_alerts_are_read_newest_first(tmp_path: Path) -> None:
    """With level, step and time; one has the step 0 unless another one is given."""
    with SummaryRecord(tmp_path) as recorder:
        assert recorder.alert("Low accuracy", "0.1 after *ten* epochs", step=7)
        assert recorder.alert("Disk full", level="ERROR")
    second, first = run_in(tmp_path).alerts

    assert first[:2] + first[3:] == (0, 7, "Low accuracy", "0.1 after *ten* epochs", "warn")
    assert second[:2] + second[3:] == (0, 0, "Disk full", "", "error")
    assert first.wall_time <= second.wall_time


def test_a_watched_run_records_alerts_at_its_step(tmp_path: Path) -> None:
    """At once, and without an end of the step."""
    with SummaryCollector(tmp_path).watch() as run:
        run.step(1.0)
        run.step(2.0)
        run.alert("Loss rises", level="info")
        run.step(3.0)

    (alert,) = run_in(tmp_path).alerts
    assert (alert.step, alert.title, alert.level) == (2, "Loss rises", "info")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("",), TypeError),
        ((None,), TypeError),
        (("title", 1), TypeError),
        (("title", "", "fatal"), ValueError),
        (("title", "", 3), TypeError),
    ],
)
def test_invalid_alerts_are_refused(tmp_path: Path, arguments: tuple[Any, ...], error: type[Exception]) -> None:
    """Nothing is recorded."""
    with SummaryRecord(tmp_path) as recorder:
        with pytest.raises(error):
            recorder.alert(*arguments)
        recorder.log({"loss": 1.0}, 1)

    assert run_in(tmp_path).alerts == []
    assert scalars_of(tmp_path, "loss") == {1: 1.0}


def test_long_alerts_are_cut(tmp_path: Path) -> None:
    """So that a mistake in a loop fills no disk; surrogates do not end the training."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.alert("\ud800" + "t" * 1000, "x" * 100_000)

    (alert,) = run_in(tmp_path).alerts
    assert (len(alert.title), len(alert.text)) == (200, 10_000)


def test_the_command_line_shows_alerts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In words; what is a control character is escaped."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.alert("Low \x1b[31maccuracy", "first line\nsecond line", step=7)

    assert main(["show", str(tmp_path), ".", "--index-dir", str(tmp_path.parent / "index")]) == 0
    lines = capsys.readouterr().out.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("alert (warn, step 7, ")]
    assert lines[at].endswith(r"Low \x1b[31maccuracy")
    assert lines[at + 1 : at + 3] == ["  first line", "  second line"]
