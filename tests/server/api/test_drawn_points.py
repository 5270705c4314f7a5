"""Statistics are those of the points that are drawn: restarts and repeated steps are left out."""

import math
import random
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import scalar_event, write_run
from support.servers import Serve

Value = float | str
VALUES = [0.25, 1.0, 2.5, -3.0, math.nan, math.inf, -math.inf]


def write_randomly(directory: Path, number: int) -> dict[int, float]:
    """Write a run of up to three files; return the values that are drawn, by step, worked out point by point."""
    chance, drawn, seconds = random.Random(number), dict[int, float](), 1
    for _ in range(chance.randint(1, 3)):
        first = chance.choice([0, max(drawn, default=-1) + 1])
        steps = [first + chance.randint(0, 1 + number % 9) for _ in range(chance.randint(1, 12))]
        if seconds > 1 and min(steps) <= max(drawn):  # A restart.
            steps = sorted(step + 1 for step in steps)
            drawn = {step: value for step, value in drawn.items() if step < steps[0]}
        records = []
        for step in steps:
            value = chance.choice(VALUES)
            drawn[step] = value
            seconds += 1
            records.append(scalar_event(seconds, step, {"loss": value}))
        write_run(directory, records, seconds - len(steps))
        seconds += 10
    return drawn


def number(value: Any) -> float:
    """Return a number of JSON."""
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else value


def extremes(drawn: dict[int, float]) -> list[tuple[float, int] | None]:
    """Return (the smallest, the largest) finite value, each with its first step."""
    finite = [(value, step) for step, value in drawn.items() if math.isfinite(value)]
    return [min(finite, default=None), min(finite, key=lambda each: (-each[0], each[1]), default=None)]


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, dict[int, float]]:
    """Write forty runs."""
    return {f"run{number}": write_randomly(tmp_path / f"run{number}", number) for number in range(40)}


def overview(client: httpx.Client) -> dict[str, Any]:
    """Return the metric of each run."""
    rows = client.get("api/overview", params={"metric": "loss", "sparkline": True}).json()["runs"]
    return {row["run"]: row["metrics"]["loss"] for row in rows}


def test_statistics_are_those_of_the_drawn_points(
    tmp_path: Path, runs: dict[str, dict[int, float]], serve: Serve
) -> None:
    """The best values, the last, the first that is not finite, and sparklines, on random runs."""
    client = serve(tmp_path)
    metrics = overview(client)
    series = {
        each["run"]: each
        for each in client.get("api/scalars", params={"tag": "loss", "run": list(runs)}).json()["series"]
    }

    for name, drawn in runs.items():
        metric, low, high = metrics[name], *extremes(drawn)
        assert dict(zip(series[name]["step"], map(number, series[name]["value"]), strict=True)) == pytest.approx(
            dict(sorted(drawn.items())), nan_ok=True
        ), name
        assert [each and (each["value"], each["step"]) for each in (metric["min"], metric["max"])] == [low, high], name
        best = series[name]
        assert (best["min"], best["min_step"]) == (low or (None, None)), name
        assert (best["max"], best["max_step"]) == (high or (None, None)), name
        assert (metric["last_step"], number(metric["last"])) == pytest.approx(max(drawn.items()), nan_ok=True), name
        bad = min((step for step, value in drawn.items() if not math.isfinite(value)), default=None)
        assert (metric["first_bad"] and metric["first_bad"]["step"]) == bad, name
        finite = {step: value for step, value in sorted(drawn.items()) if math.isfinite(value)}
        assert dict(zip(metric["sparkline"]["step"], metric["sparkline"]["value"], strict=True)) == finite, name


def test_values_that_a_later_one_at_the_same_step_hides_are_not_the_best(tmp_path: Path, serve: Serve) -> None:
    """Two writers record each step: the line and all statistics begin at 1."""
    records = [scalar_event(2.0 + step, step, {"loss": value}) for step in range(9) for value in (0.01, 1.0 + step)]
    write_run(tmp_path, records)

    client = serve(tmp_path)

    (series,) = client.get("api/scalars", params={"tag": "loss"}).json()["series"]
    assert (series["value"][0], series["min"], series["duplicates"]) == (1.0, 1.0, 9)
    assert overview(client)["."]["min"] == {"value": 1.0, "step": 0}
    assert client.get("api/overview", params={"search": "min(loss)<1"}).json()["runs"] == []


def test_a_run_without_a_finite_value_has_no_best_value(tmp_path: Path, serve: Serve) -> None:
    """That is another thing than a best value that is NaN, which nobody recorded; the last value may be NaN."""
    for name, values in {"infinite": [math.inf, -math.inf], "nan": [math.nan], "finite": [2.0, 1.0]}.items():
        write_run(
            tmp_path / name, [scalar_event(step + 2.0, step, {"loss": value}) for step, value in enumerate(values)]
        )
    query = {"min": "loss", "max": "loss", "last": "loss"}

    reply = serve(tmp_path).get("api/runs/columns", params=query).json()

    assert reply["runs"].split("\0") == ["finite", "infinite", "nan"]
    assert reply["min"]["loss"] == {"row": [0], "number": [1.0]}
    assert reply["max"]["loss"] == {"row": [0], "number": [2.0]}
    assert reply["last"]["loss"] == {"row": None, "number": [1.0, "-Infinity", "NaN"]}
