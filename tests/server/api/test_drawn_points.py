"""Statistics are those of the points that are drawn: restarts and repeated steps are left out."""

import csv
import io
import math
import random
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.event_files import scalar_event, write_run
from support.lakes import rows
from support.servers import Serve

from toposcope.server.lake.compaction import compact
from toposcope.server.lake.folder import LocalFolder
from toposcope.server.loading.load_once import load_logdir

Value = float | str
VALUES = [0.25, 1.0, 2.5, -3.0, math.nan, math.inf, -math.inf]


def write_randomly(directory: Path, chance: random.Random) -> dict[int, float]:
    """Write a run of up to three files; return the values that are drawn, by step, worked out point by point."""
    drawn, seconds, spread = dict[int, float](), 1, chance.randint(1, 9)
    for _ in range(chance.randint(1, 3)):
        first = chance.choice([0, max(drawn, default=-1) + 1])
        steps = [first + chance.randint(0, spread) for _ in range(chance.randint(1, 12))]
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
    return {f"run{number}": write_randomly(tmp_path / f"run{number}", random.Random(number)) for number in range(40)}


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


def drawn_of_csv(client: httpx.Client) -> dict[str, dict[int, float]]:
    """Return the last value of each step of each run in the CSV document."""
    lines = csv.DictReader(io.StringIO(client.get("api/scalars.csv", params={"tag": "loss"}).raise_for_status().text))
    drawn: dict[str, dict[int, float]] = {}
    for line in lines:
        drawn.setdefault(line["run"], {})[int(line["step"])] = number(line["value"])
    return drawn


def column(client: httpx.Client, which: str) -> dict[str, float]:
    """Return a statistic of all runs that have it, from the columns of the table."""
    reply = client.get("api/runs/columns", params={which: "loss"}).raise_for_status().json()
    names, values = reply["runs"].split("\0"), reply[which]["loss"]
    places = range(len(names)) if values["row"] is None else values["row"]
    return {names[place]: number(value) for place, value in zip(places, values["number"], strict=True)}


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.randoms())
def test_every_output_equals_a_slow_evaluation(
    tmp_path_factory: pytest.TempPathFactory, serve: Serve, chance: random.Random
) -> None:
    """CSV, the columns of the table, searches and the lake, on random runs with restarts and repeated steps."""
    logdir, lake = tmp_path_factory.mktemp("logdir"), tmp_path_factory.mktemp("lake")
    runs = {name: write_randomly(logdir / name, chance) for name in ("a", "b", "c", "d")}
    client = serve(logdir)
    compact(LocalFolder(str(lake)), load_logdir(str(logdir)).runs)
    last = {name: drawn[max(drawn)] for name, drawn in runs.items()}
    least, most = ({name: found for name, drawn in runs.items() if (found := extremes(drawn)[at])} for at in (0, 1))

    assert {run: list(map(repr, sorted(each.items()))) for run, each in drawn_of_csv(client).items()} == {
        run: list(map(repr, sorted(each.items()))) for run, each in runs.items()
    }
    assert column(client, "last") == pytest.approx(last, nan_ok=True)
    assert column(client, "min") == {name: value for name, (value, _) in least.items()}
    assert column(client, "max") == {name: value for name, (value, _) in most.items()}
    for name, statistics in {
        "min": least,
        "max": most,
        "last": {run: (value, 0) for run, value in last.items()},
    }.items():
        reply = client.get("api/overview", params={"search": f"{name}(loss)<1"}).raise_for_status().json()
        assert {row["run"] for row in reply["runs"]} == {run for run, (value, _) in statistics.items() if value < 1}
    for row in rows(lake, "tags"):
        low, high = extremes(runs[row["run"]])
        assert (row["min"], row["min_step"]) == (low or (None, None))
        assert (row["max"], row["max_step"]) == (high or (None, None))
        assert (row["last_step"], row["last"]) == pytest.approx(max(runs[row["run"]].items()), nan_ok=True)


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
