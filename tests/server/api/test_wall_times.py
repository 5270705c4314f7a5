"""Impossible wall times: other units are recognized, and points without a place on an axis of time are counted."""

import math
from pathlib import Path

import pytest
from support.event_files import NAME, scalar_event, version_event, write_run
from support.servers import Serve

START = 1_700_000_000.0


@pytest.mark.parametrize(
    ("unit", "in_a_second"), [("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9), (None, 1)]
)
def test_other_units_are_converted_to_seconds_and_named(
    tmp_path: Path, serve: Serve, unit: str | None, in_a_second: float
) -> None:
    """The run starts when it did, and says in which unit its times are."""
    write_run(tmp_path, [scalar_event((START + step) * in_a_second, step, {"loss": 1.0}) for step in range(1, 50)])

    client = serve(tmp_path)

    (series,) = client.get("api/scalars", params={"tag": "loss", "axis": "wall_time"}).json()["series"]
    assert series["wall_time"] == pytest.approx([START + step for step in range(1, 50)], abs=1e-3)
    assert series["unplaced"] == 0
    (row,) = client.get("api/overview").json()["runs"]
    assert row["updated"] == pytest.approx(START + 49, abs=1e-3)
    assert row["problems"] == ([f"Wall times were recorded in {unit} and are read as such."] if unit else [])


@pytest.mark.parametrize(
    ("wall_time", "axes"),
    [
        (math.nan, {"relative", "wall_time"}),
        (math.inf, {"relative", "wall_time"}),
        (0.0, {"wall_time"}),
        (-5.0, {"wall_time"}),
    ],
)
def test_points_without_a_place_on_an_axis_of_time_are_counted(
    tmp_path: Path, serve: Serve, wall_time: float, axes: set[str]
) -> None:
    """They are drawn over steps, and nothing is dropped in silence over time."""
    times = [START + step if step % 2 else wall_time for step in range(10)]
    write_run(tmp_path, [scalar_event(time, step, {"loss": 1.0}) for step, time in enumerate(times)])

    client = serve(tmp_path)

    for axis in ("step", "relative", "wall_time"):
        (series,) = client.get("api/scalars", params={"tag": "loss", "axis": axis}).json()["series"]
        assert (len(series["step"]), series["unplaced"]) == ((5, 5) if axis in axes else (10, 0)), axis


def test_points_after_a_clock_was_set_back_are_counted(tmp_path: Path, serve: Serve) -> None:
    """They stand before points of earlier steps over time. Jitter below a second and repeated steps do not count."""
    back = [START + step - (3600 if step >= 30 else 0) for step in range(50)]
    jitter = [START + step - 0.9 * (step % 2) for step in range(50)]
    write_run(tmp_path / "back", [scalar_event(time, step, {"loss": 1.0}) for step, time in enumerate(back)])
    write_run(tmp_path / "jitter", [scalar_event(time, step, {"loss": 1.0}) for step, time in enumerate(jitter)])
    write_run(tmp_path / "epochs", [scalar_event(START + n, n % 10, {"loss": 1.0}) for n in range(50)])

    client = serve(tmp_path)

    for axis, expected in (("relative", 20), ("wall_time", 20), ("step", 0)):
        series = client.get("api/scalars", params={"tag": "loss", "axis": axis}).json()["series"]
        assert {each["run"]: each["set_back"] for each in series} == {"back": expected, "jitter": 0, "epochs": 0}, axis


@pytest.mark.parametrize("back", [6, 12])
def test_clock_that_is_set_back_does_not_move_the_start(tmp_path: Path, serve: Serve, back: int) -> None:
    """The run starts with its first event, whether the clock is set back within a file or between two."""
    events = [scalar_event(START + step - 3600 * (step > back), step, {"loss": 1.0}) for step in range(1, 20)]
    for number, part in ((1, events[:12]), (2, events[12:])):
        version = version_event(START - 3600 * (number > 1), session_id=b"session")
        (tmp_path / NAME.format(seconds=number, rank=0)).write_bytes(version + b"".join(part))

    client = serve(tmp_path)

    (run,) = client.get("api/runs").json()["runs"]
    assert (run["started"], run["attempts"]) == (START, 1)
    assert run["updated"] == START + back


def test_times_that_are_no_dates_are_named(tmp_path: Path, serve: Serve) -> None:
    """A simulation counts from its own start."""
    write_run(tmp_path, [scalar_event(0.5 * step, step, {"loss": 1.0}) for step in range(1, 50)])

    (row,) = serve(tmp_path).get("api/overview").json()["runs"]

    assert row["problems"] == [
        "Wall times are no dates: they seem to count from the start of a machine or a simulation."
    ]
