"""GET and POST /api/overview."""

import json
import math
import os
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import (
    GOLDEN,
    NAME,
    end_event,
    landscape_event,
    loss_run,
    scalar_event,
    version_event,
    write_run,
)
from support.servers import Serve, wait_until

from toposcope.proto import summary_pb2
from toposcope.recorder import SummaryRecord
from toposcope.recorder.messages.lineage import custom_lineage, train_lineage
from toposcope.server.api.listings.overview import OverviewReply

NAN, INF = math.nan, math.inf


def overview(client: httpx.Client, *metrics: str, run: str | None = None) -> dict[str, dict[str, Any]]:
    """Return the rows by run."""
    query = {"metric": list(metrics)} | ({"run": run} if run else {})
    reply = client.get("api/overview", params=query).raise_for_status().json()
    OverviewReply.model_validate(reply, extra="forbid")
    return {row["run"]: row for row in reply["runs"]}


def test_golden_metrics_equal_those_of_the_writers(golden: httpx.Client) -> None:
    """Last values, extremes, counts and first non-finite points are computed from all recorded points."""
    expected = json.loads((GOLDEN / "tensorboard/tensorboardx/expected.json").read_text())
    for name, holds in expected.items():
        (row,) = overview(golden, *holds["scalars"], run=f"tensorboard/tensorboardx/{name}").values()
        assert row["metrics"].keys() == holds["scalars"].keys()
        for tag, recorded in holds["scalars"].items():
            points = [(step, float(value)) for step, value in recorded]
            finite = [point for point in points if math.isfinite(point[1])]
            got = row["metrics"][tag]
            assert (got["points"], got["last_step"]) == (len(points), points[-1][0])
            assert float(got["last"]) == pytest.approx(points[-1][1], nan_ok=True)
            assert got["min"] == _extreme(min(finite, key=lambda point: point[1], default=None))
            assert got["max"] == _extreme(max(finite, key=lambda point: point[1], default=None))
            bad = next((point for point in points if not math.isfinite(point[1])), None)
            assert (got["first_bad"] and got["first_bad"]["step"]) == (bad and bad[0])
            assert set(zip(got["sparkline"]["step"], got["sparkline"]["value"], strict=True)) <= set(finite)
            assert len(got["sparkline"]["step"]) <= 40


def _extreme(point: tuple[int, float] | None) -> dict | None:
    return point and {"step": point[0], "value": point[1]}


def test_golden_runs_have_hyperparameters(golden: httpx.Client) -> None:
    """Those of MindSpore's lineage, custom lineage and TensorBoard writers are merged by name."""
    rows = overview(golden)

    mindspore, lr = rows["mindspore/digits_momentum"], rows["tensorboard/tensorboardx/lr_0.1"]
    assert mindspore["hyper_parameters"] == {
        "optimizer": "Momentum",
        "learning_rate": 0.05,
        "loss_function": "SoftmaxCrossEntropyWithLogits",
        "epoch": 4,
        "parallel_mode": "stand_alone",
        "device_num": 1,
        "batch_size": 64,
        "note": "seed1",
        "lr0": 0.05,
        "width": 8,
    }
    assert lr["hyper_parameters"] == {"batch": 32, "lr": 0.1, "opt": "sgd"}
    (session,) = (row for row in rows.values() if row["parent"] == lr["run"])
    assert session["hyper_parameters"] == lr["hyper_parameters"]
    assert (lr["first_bad"]["tag"], lr["first_bad"]["step"], lr["first_bad"]["value"]) == ("bad", 0, "NaN")
    assert mindspore["first_bad"] is None


def test_rows_agree_with_the_list_of_runs(golden: httpx.Client) -> None:
    """Both lists have the same runs in the same order."""
    listed = golden.get("api/runs").json()["runs"]
    rows = golden.get("api/overview").json()["runs"]

    both = listed[0].keys() & rows[0].keys()
    assert {"run", "started", "updated", "first_step", "last_step", "plugins", "parent", "dialect"} <= both
    assert [{name: run[name] for name in both} for run in listed] == [
        {name: row[name] for name in both} for row in rows
    ]
    assert all(row["duration"] == row["updated"] - row["started"] for row in rows)


def test_custom_lineage_hyperparameters_and_environment_are_separate(tmp_path: Path, serve: Serve) -> None:
    """A custom name with a conflicting value is prefixed; the environment is a separate field."""
    custom = {
        "seed": 3,
        "optimizer": "mine",
        "custom/optimizer": "theirs",
        "batch_size": 32,
        "flag": True,
        "ratio": NAN,
        "environment/host": "node",
        "environment/version/torch": "2.3",
        "environment/": "a name like any other",
        "long": "x" * 5000,
        "<img src=x onerror=alert(1)>": "<script>",
    }
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("train_lineage", "train", train_lineage(optimizer="SGD", batch_size=32))
        recorder.add_value("custom_lineage_data", "custom", custom_lineage(custom))
        recorder.record(1)

    (row,) = overview(serve(tmp_path)).values()

    assert row["hyper_parameters"] == {
        "optimizer": "SGD",
        "batch_size": 32,
        "seed": 3,
        "custom/optimizer": "theirs",
        "custom/custom/optimizer": "mine",
        "flag": True,
        "ratio": "NaN",
        "environment/": "a name like any other",
        "long": "x" * 999 + "…",
        "<img src=x onerror=alert(1)>": "<script>",
    }
    assert row["environment"] == {"host": "node", "version/torch": "2.3"}


def test_states_of_runs(tmp_path: Path, serve: Serve) -> None:
    """A row has the state of the run, when it ended and the exception that ended it, without the traceback."""
    start = version_event(1.0, b"session", start=summary_pb2.RecordingStart(process_id=7))
    failed = end_event(4.0, "STATE_FAILED", error_type="ValueError", error_text="no")
    contents = {"failed": start + failed, "finished": start + end_event(4.0), "running": start}
    for name, content in contents.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / NAME.format(seconds=1, rank=0)).write_bytes(content)
    os.utime(write_run(tmp_path / "unknown", []), (1e9, 1e9))

    rows = overview(serve(tmp_path))

    assert {name: row["state"] for name, row in rows.items()} == {name: name for name in rows}
    assert {name: row["ended"] for name, row in rows.items()} == {
        "failed": 4.0,
        "finished": 4.0,
        "running": None,
        "unknown": 1e9,
    }
    assert rows["failed"]["error"] == {"type": "ValueError", "text": "no"}
    assert rows["running"]["duration"] == 0
    assert rows["running"]["last_step"] is None


def test_first_bad_step_is_the_first_of_all_tags_and_ranks(tmp_path: Path, serve: Serve) -> None:
    """At the smallest step, and there the earliest; by-products of landscapes are ignored."""
    write_run(
        tmp_path / "a",
        [
            scalar_event(10.0, 5, {"loss": INF, "accuracy": 1.0}),
            scalar_event(11.0, 4, {"loss": -INF}),
            scalar_event(12.0, 9, {"loss": NAN}),
        ],
    )
    write_run(tmp_path / "a", [scalar_event(9.5, 4, {"norm": NAN})], rank=3)
    write_run(tmp_path / "b", [scalar_event(2.0, 1, {"loss": 1.0})])
    write_run(tmp_path / "b", [landscape_event(9.0, "landscape", {"loss/auto": NAN})], seconds=8)

    rows = overview(serve(tmp_path), "loss")

    bad = {"tag": "norm", "rank": 3, "step": 4, "wall_time": 9.5, "value": "NaN"}
    assert rows["a"]["first_bad"] == bad
    assert rows["a"]["metrics"]["loss"]["first_bad"] == {"step": 4, "wall_time": 11.0, "value": "-Infinity"}
    assert (rows["a"]["metrics"]["loss"]["last"], rows["a"]["metrics"]["loss"]["min"]) == ("NaN", None)
    assert rows["a"]["metrics"]["loss"]["sparkline"] == {"step": [], "value": []}
    assert rows["b"]["first_bad"] is None


def test_points_repeated_by_a_restart_are_ignored(tmp_path: Path, serve: Serve) -> None:
    """A NaN before the restart step is not reported."""
    write_run(tmp_path, [scalar_event(10.0 + i, i, {"loss": NAN if i > 5 else 10.0 - i}) for i in range(1, 9)], 9)
    write_run(tmp_path, [scalar_event(50.0 + i, i, {"loss": 20.0 - i}) for i in range(4, 9)], 49)

    (row,) = overview(serve(tmp_path), "loss").values()

    metric = row["metrics"]["loss"]
    assert (row["attempts"], row["first_bad"], metric["first_bad"]) == (2, None, None)
    assert (metric["points"], metric["last"], metric["last_step"]) == (8, 12.0, 8)
    assert (metric["min"], metric["max"]) == ({"value": 7.0, "step": 3}, {"value": 16.0, "step": 4})


def test_metrics_of_a_growing_run_are_updated(tmp_path: Path, serve: Serve) -> None:
    """After each point they equal those of all points; without changes since a revision the reply is 304."""
    path = write_run(tmp_path / "a", [scalar_event(1.0, 1, {"loss": 5.0, "other": 1.0})])
    loss_run(tmp_path / "b", range(3))
    client = serve(tmp_path, "--reload-interval", "0.1")

    def is_changed(since: int) -> bool:
        query: dict[str, str | int] = {"metric": "loss", "run": "a", "since": since}
        return client.get("api/overview", params=query).status_code == 200

    def row_of(points: int) -> dict[str, Any] | None:
        row = overview(client, "loss")["a"]
        return row if row["metrics"]["loss"]["points"] == points else None

    lowest = 5.0
    for step, value in ((2, 4.0), (3, 6.0), (4, NAN), (5, 1.0)):
        revision = client.get("api/overview", params={"metric": "loss"}).json()["revision"]
        with path.open("ab") as grows:
            grows.write(scalar_event(float(step), step, {"loss": value}))
        wait_until(partial(is_changed, revision))
        row = wait_until(partial(row_of, step))
        lowest = min(lowest, value) if math.isfinite(value) else lowest
        assert row["metrics"]["loss"]["min"]["value"] == lowest
        assert (row["first_bad"] and row["first_bad"]["step"]) == (4 if step >= 4 else None)
        assert row["metrics"]["loss"]["sparkline"]["step"] == [each for each in range(1, step + 1) if each != 4]
    revision = client.get("api/overview").json()["revision"]
    assert client.get("api/overview", params={"since": revision}).status_code == 304
    assert client.get("api/overview", params={"since": revision, "run": "b"}).status_code == 304


def test_get_and_post_return_the_same(golden: httpx.Client) -> None:
    """Lists may be posted; missing metrics are listed, and optional fields can be omitted."""
    query = {"metric": ["train/loss", "nothing", "train/loss"], "run": ["tensorboard/tensorboardx/lr_0.1"]}
    flags = {"sparkline": False, "environment": False}

    got = golden.get("api/overview", params={**query, "sparkline": "false", "environment": "false"}).json()
    posted = golden.post("api/overview", json=query | flags).json()

    assert got == posted
    assert got["missing"] == ["nothing"]
    (row,) = got["runs"]
    assert (row["environment"], row["metrics"]["train/loss"]["sparkline"]) == (None, None)
    assert list(row["metrics"]) == ["train/loss"]
    assert golden.get("api/overview", params=query).json()["runs"][0]["metrics"]["train/loss"]["sparkline"]["step"]


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [("run=nobody&run=nowhere", 404, "'nobody', 'nowhere'"), ("typo=1", 422, "typo"), ("since=-1", 422, "since='-1'")],
)
def test_errors_contain_the_invalid_value(golden: httpx.Client, query: str, status: int, error: str) -> None:
    """Each error is one sentence with the parameter and its value."""
    reply = golden.get(f"api/overview?{query}")

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


def test_hostile_names_and_times_are_unchanged(tmp_path: Path, serve: Serve) -> None:
    """Also below a path prefix; times that are not finite are strings."""
    name, tag = 'a <run>&"ü/b%2Fc', "<img src=x onerror=alert(1)>"
    write_run(tmp_path / name, [scalar_event(NAN, -(2**63), {tag: 1e30}), scalar_event(INF, 2**63 - 1, {tag: -1e30})])
    write_run(tmp_path / "headless", [version_event()])

    rows = overview(serve(tmp_path, "--path-prefix", "/topo"), tag)

    metric = rows[name]["metrics"][tag]
    assert (metric["min"], metric["max"]) == (
        {"value": pytest.approx(-1e30), "step": 2**63 - 1},
        {"value": pytest.approx(1e30), "step": -(2**63)},
    )


def test_runs_are_searched_sorted_and_paged(tmp_path: Path, serve: Serve) -> None:
    """Both lists of runs accept a search, a field to sort by and a page; labels are those of the notes."""
    for number in range(12):
        write_run(tmp_path / "logs" / f"run-{number}", [scalar_event(10.0, 1, {"loss": float(number % 6)})])
    client = serve(tmp_path / "logs", "--data-dir", str(tmp_path / "data"))
    for number in range(0, 12, 2):
        client.put("api/notes", params={"run": f"run-{number}"}, json={"labels": ["even"]}).raise_for_status()
    query: dict[str, Any] = {
        "search": "label:even loss<=2",
        "sort": "loss",
        "descending": True,
        "offset": 1,
        "limit": 2,
    }

    for path in ("api/overview", "api/runs"):
        reply = client.get(path, params=query).raise_for_status().json()
        assert [run["run"] for run in reply["runs"]] == ["run-8", "run-0"]
        assert (reply["total"], reply["unknown"]) == (4, [])

    posted = client.post("api/overview", json=query | {"run": ["run-0", "run-1", "run-2"]}).json()
    assert ([run["run"] for run in posted["runs"]], posted["total"]) == (["run-0"], 2)
    assert client.get("api/runs", params={"search": "los<1"}).json()["unknown"] == ["los"]


def test_invalid_searches_are_refused(golden: httpx.Client) -> None:
    """The reply says what was expected, and where."""
    for query in ({"search": "lr<"}, {"sort": "a b"}, {"search": "state:nowhere"}, {"limit": -1}):
        reply = golden.get("api/overview", params=query)
        assert reply.status_code == 422
        assert "expected" in reply.json()["detail"] or "greater than or equal" in reply.json()["detail"]


def test_integers_that_doubles_do_not_hold_keep_their_digits(tmp_path: Path, serve: Serve) -> None:
    """Two seeds that differ in the last digit were one number in JavaScript."""
    seeds = {"a": 356686000032329832, "b": 356686000032329833}
    for name, seed in seeds.items():
        with SummaryRecord(str(tmp_path / name)) as record:
            record.add_value("custom_lineage_data", "custom_lineage_data", custom_lineage({"seed": seed}))
            record.record(1)

    rows = serve(tmp_path).get("api/overview").raise_for_status().json()["runs"]

    assert {row["run"]: row["hyper_parameters"]["seed"] for row in rows} == {
        run: str(seed) for run, seed in seeds.items()
    }
