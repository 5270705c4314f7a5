"""summary-server plot: charts in the terminal."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from support.event_files import GOLDEN

from toposcope.recorder import SummaryRecord

Command = Callable[..., subprocess.CompletedProcess[str]]


def record(folder: Path, values: list[float]) -> None:
    """Record a loss at each step."""
    with SummaryRecord(folder) as run:
        for step, value in enumerate(values):
            run.add_value("scalar", "loss", value)
            run.record(step)


def test_each_tag_is_a_chart_of_all_runs(command: Command, tmp_path: Path) -> None:
    """A chart has the tag, the runs, the range of the values and the size that is asked for."""
    for number in range(2):
        record(tmp_path / f"run{number}", [number + 4.0, 2.0, 1.0])
    done = command("plot", tmp_path, "--tag", "loss", "--expr", "loss*2", "--width", 60, "--height", 12)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.strip() for line in lines[::12]] == ["loss", "loss*2"]
    assert len(lines) == 24
    assert max(map(len, lines)) == 60
    assert "\x1b" not in done.stdout  # It is no terminal.
    for name in ("run0", "run1", "5.0", "10.0"):
        assert name in done.stdout


def test_values_that_are_not_finite_are_counted(command: Command, tmp_path: Path) -> None:
    """They have no place on the chart."""
    record(tmp_path / "run", [1.0, float("nan"), float("inf"), 0.5])
    assert (
        "2 values that are not finite, or beyond 1e+300, are left out."
        in command("plot", tmp_path, "--tag", "loss").stdout
    )


def test_a_series_without_finite_values_is_not_drawn(command: Command, tmp_path: Path) -> None:
    """The chart is empty, and says why."""
    record(tmp_path / "run", [float("nan")] * 3)
    done = command("plot", tmp_path, "--tag", "loss")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("3 values that are not finite, or beyond 1e+300, are left out.\n")


def test_ten_series_differ_without_colours(command: Command, tmp_path: Path) -> None:
    """Each has a character of its own in the legend and on the chart; what is not drawn is counted."""
    for number in range(12):
        record(tmp_path / f"run{number:02}", [number, number])
    lines = command("plot", tmp_path, "--tag", "loss", "--height", 30).stdout.splitlines()
    characters = [line[line.index(" run") - 1] for line in lines if " run" in line]
    assert len(set(characters)) == 10
    assert all("".join(lines).count(character) > 20 for character in characters)
    assert lines[-1] == "10 of 12 series are drawn: choose some with --run."


def test_a_chart_of_nothing_has_a_status(command: Command) -> None:
    """1: no run has the tag; 2: no tag is named."""
    missing = command("plot", GOLDEN, "--tag", "nothing")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "no run has 'nothing'" in missing.stderr
    assert command("plot", GOLDEN).returncode == 2


def test_values_whose_range_overflows_are_left_out(command: Command, tmp_path: Path) -> None:
    """What is near the largest number has no place on an axis."""
    record(tmp_path / "run", [1.0, 1.7e308, -1.7e308, 0.5])
    done = command("plot", tmp_path, "--tag", "loss")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("2 values that are not finite, or beyond 1e+300, are left out.\n")
