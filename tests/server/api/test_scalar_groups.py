"""GET and POST /api/scalars/groups."""

import math
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.event_files import loss_run, scalar_event, write_run
from support.servers import Serve, wait_until

from toposcope.recorder import SummaryRecord, custom_lineage
from toposcope.server.api.series.scalar_groups import ScalarGroups
from toposcope.server.api.series.scalars import Scalars

NAN, INF = float("nan"), float("inf")


def read(client: httpx.Client, **query: Any) -> dict[str, Any]:
    """Return a reply, validated with its model."""
    reply = client.get("api/scalars/groups", params=query).raise_for_status().json()
    ScalarGroups.model_validate(reply, extra="forbid")
    return reply


def write(directory: Path, values: dict[int, float], start: float = 1.0, rank: int = 0) -> Path:
    """Write a run with the tag "loss" and a point every two seconds."""
    records = [scalar_event(start + 2 * step, step, {"loss": value}) for step, value in values.items()]
    return write_run(directory, records, int(start), rank)


def test_golden_runs_form_bands_by_hyperparameter(golden: httpx.Client) -> None:
    """Centre and edges are computed from the series of /api/scalars; the runs of sessions are in their groups."""
    reply = read(golden, tag=["train/loss", "hparam/accuracy"], by="param:lr", points=0, band="std")
    series = golden.get("api/scalars", params={"tag": "train/loss", "points": 0}).json()["series"]
    by_run = {each["run"]: each for each in series}

    assert [(group["tag"], group["group"], group["runs"]) for group in reply["groups"][:2]] == [
        ("train/loss", "0.01", ["tensorboard/tensorboardx/lr_0.01"]),
        ("train/loss", "0.1", ["tensorboard/tensorboardx/lr_0.1"]),
    ]
    assert [group["group"] for group in reply["groups"]] == ["0.01", "0.1", "0.01", "0.1"]
    for group in reply["groups"][:2]:
        run = by_run[group["runs"][0]]
        assert group["step"] == group["x"] == run["step"]
        assert group["centre"] == group["low"] == group["high"] == run["value"]
    assert (reply["ungrouped"], reply["missing"], reply["tag"]) == ([], [], None)

    (together,) = read(golden, tag="train/loss", by="param:opt", centre="median", points=0)["groups"]
    both = [each["value"] for each in series]
    assert (together["group"], together["count"]) == ("sgd", [2] * 200)
    assert together["low"] == [min(pair) for pair in zip(*both, strict=True)]
    assert np.allclose(together["centre"], np.mean(both, axis=0))


def test_runs_of_different_lengths_are_aligned(tmp_path: Path, serve: Serve) -> None:
    """At every step of any run, runs contribute their own value or an interpolated one."""
    write(tmp_path / "a", {0: 0.0, 10: 10.0, 20: 20.0})
    write(tmp_path / "b", {5: 1.0, 10: 2.0})
    client = serve(tmp_path)

    (group,) = read(client, tag="loss")["groups"]

    assert (group["group"], group["runs"], group["total"], group["aligned"]) == ("", ["a", "b"], 4, 4)
    assert group["step"] == group["x"] == [0, 5, 10, 20]
    assert group["centre"] == [0.0, 3.0, 6.0, 20.0]
    assert (group["low"], group["high"]) == ([0.0, 1.0, 2.0, 20.0], [0.0, 5.0, 10.0, 20.0])
    assert (group["count"], group["non_finite"]) == ([1, 2, 2, 1], [0, 0, 0, 0])
    (window,) = read(client, tag="loss", lo=5, hi=9.5, band="none")["groups"]
    assert (window["step"], window["centre"], window["low"], window["total"]) == ([5], [3.0], [], 1)


def test_last_of_equal_steps_counts_and_non_finite_values_are_ignored(tmp_path: Path, serve: Serve) -> None:
    """NaN and infinities are counted at their steps."""
    records = [scalar_event(2.0 + i, step, {"loss": value}) for i, (step, value) in enumerate([(1, 9), (1, 1), (2, 3)])]
    write_run(tmp_path / "a", records)
    write(tmp_path / "b", {1: NAN, 2: 5.0, 3: INF})

    (group,) = read(serve(tmp_path), tag="loss")["groups"]

    assert (group["step"], group["centre"]) == ([1, 2, 3], [1.0, 4.0, "NaN"])
    assert (group["count"], group["non_finite"]) == ([1, 2, 0], [1, 0, 1])


def test_time_axes(tmp_path: Path, serve: Serve) -> None:
    """Relative to the start of each run, or in seconds since 1970."""
    write(tmp_path / "a", {1: 1.0, 2: 2.0}, start=1000)
    write(tmp_path / "b", {1: 3.0, 2: 6.0}, start=2000)
    client = serve(tmp_path)

    (relative,) = read(client, tag="loss", axis="relative")["groups"]
    (absolute,) = read(client, tag="loss", axis="wall_time")["groups"]

    assert (relative["x"], relative["step"], relative["centre"]) == ([2.0, 4.0], [], [2.0, 4.0])
    assert (absolute["x"], absolute["count"]) == ([1002.0, 1004.0, 2002.0, 2004.0], [1, 1, 1, 1])


def test_relative_steps_begin_at_the_first_step_of_each_run(tmp_path: Path, serve: Serve) -> None:
    """In groups and in series, whose windows are on the same axis; the steps themselves are as recorded."""
    write(tmp_path / "first", {0: 1.0, 10: 2.0, 20: 3.0})
    write(tmp_path / "continued", {1000: 3.0, 1010: 6.0, 1020: 9.0})
    client = serve(tmp_path)

    (group,) = read(client, tag="loss", axis="relative_step")["groups"]
    query: dict[str, str | int] = {"tag": "loss", "axis": "relative_step", "lo": 5, "hi": 15}
    series = client.get("api/scalars", params=query).raise_for_status().json()["series"]

    assert (group["x"], group["centre"], group["count"]) == ([0, 10, 20], [2.0, 4.0, 6.0], [2, 2, 2])
    assert {each["run"]: (each["step"], each["value"]) for each in series} == {
        "first": ([10], [2.0]),
        "continued": ([1010], [6.0]),
    }


def test_each_run_is_smoothed_before_aggregation(tmp_path: Path, serve: Serve) -> None:
    """With every method and axis, the smoothed series equal those of /api/scalars."""
    random = np.random.default_rng(0)
    for name in "abc":
        write(tmp_path / name, dict(enumerate(random.normal(size=60).astype(np.float32).tolist())))
    client = serve(tmp_path)

    for smooth in ("ema:0.8", "time:7.5", "median:5"):
        for axis in ("step", "relative"):
            query = {"tag": "loss", "smooth": smooth, "axis": axis}
            series = client.get("api/scalars", params=query).raise_for_status().json()["series"]
            smoothed = np.array([each["smoothed"] for each in series])
            (group,) = read(client, **query, band="quartiles")["groups"]
            assert np.allclose(group["centre"], smoothed.mean(axis=0), rtol=1e-12)
            assert np.allclose(group["low"], np.quantile(smoothed, 0.25, axis=0), rtol=1e-12)
    by_steps, by_seconds = (
        client.get("api/scalars", params={"tag": "loss", "run": "a", "smooth": smooth, "axis": axis}).json()["series"]
        for smooth, axis in (("time:7.5", "step"), ("time:15", "wall_time"))
    )
    assert np.allclose(by_steps[0]["smoothed"], by_seconds[0]["smoothed"], rtol=1e-12)


def test_groups_by_pattern_and_explicit_groups(tmp_path: Path, serve: Serve) -> None:
    """A pattern matches names; a body may specify groups, with a run in several."""
    for seed, lr in ((0, 0.1), (1, 0.1), (0, 0.01)):
        write(tmp_path / f"lr_{lr}/seed_{seed}", {1: lr, 2: seed})
    write(tmp_path / "other", {1: 5.0})
    client = serve(tmp_path)

    def names(reply: dict) -> dict[str, list[str]]:
        return {group["group"]: group["runs"] for group in reply["groups"]}

    by_pattern = read(client, tag="loss", by="regex:lr_([0-9.]+)")
    assert names(by_pattern) == {"0.01": ["lr_0.01/seed_0"], "0.1": ["lr_0.1/seed_0", "lr_0.1/seed_1"]}
    assert by_pattern["ungrouped"] == ["other"]
    body = {"tag": ["loss", "nothing"], "groups": {"x": ["other", "nobody"], "": ["lr_0.1/seed_0", "other"], "e": []}}
    explicit = client.post("api/scalars/groups", json=body).raise_for_status().json()
    assert names(explicit) == {"x": ["other"], "": ["lr_0.1/seed_0", "other"]}
    assert (explicit["missing"], explicit["ungrouped"]) == (["nothing", "nobody"], [])
    posted = client.post("api/scalars/groups", json={"tag": ["loss"], "by": "regex:lr_([0-9.]+)"}).json()
    assert posted == by_pattern


def test_groups_by_custom_lineage(tmp_path: Path, serve: Serve) -> None:
    """A value of custom lineage is a hyperparameter too."""
    for name, width in (("a", 8), ("b", 16), ("c", 8)):
        with SummaryRecord(tmp_path / name) as recorder:
            recorder.add_value("custom_lineage_data", "custom_lineage_data", custom_lineage({"width": width}))
            recorder.add_value("scalar", "loss", float(width))
            recorder.record(1)
    loss_run(tmp_path / "d", range(3))
    client = serve(tmp_path)

    reply = read(client, tag="loss", by="param:width")

    assert [(group["group"], group["runs"]) for group in reply["groups"]] == [("8", ["a", "c"]), ("16", ["b"])]
    assert reply["ungrouped"] == ["d"]
    assert read(client, tag="loss", by="param:nothing")["ungrouped"] == ["a", "b", "c", "d"]


def test_ranks_and_attempts_are_selected(tmp_path: Path, serve: Serve) -> None:
    """With rank=all every rank is a series; with attempt=all the last of equal steps counts."""
    write(tmp_path / "a", {1: 1.0, 2: 2.0, 3: 3.0}, start=100)
    write(tmp_path / "a", {2: 20.0}, start=200)
    write(tmp_path / "a", {1: 5.0}, start=100, rank=1)
    client = serve(tmp_path)

    def band(**query: Any) -> list[tuple[int, float, int]]:
        (group,) = read(client, tag="loss", **query)["groups"]
        assert group["runs"] == ["a"]
        return list(zip(group["step"], group["centre"], group["count"], strict=True))

    assert band() == [(1, 1.0, 1), (2, 20.0, 1)]
    assert band(rank="all") == [(1, 3.0, 2), (2, 20.0, 1)]
    assert band(rank=1) == [(1, 5.0, 1)]
    assert band(attempt=1) == [(1, 1.0, 1), (2, 2.0, 1), (3, 3.0, 1)]
    assert band(attempt="all") == [(1, 1.0, 1), (2, 20.0, 1), (3, 3.0, 1)]


def test_unchanged_since_a_revision_is_304(tmp_path: Path, serve: Serve) -> None:
    """A run that grew changes the reply."""
    path = loss_run(tmp_path / "a", range(10))
    client = serve(tmp_path)
    query = {"tag": "loss", "since": read(client, tag="loss")["revision"], "by": "param:lr"}

    assert client.get("api/scalars/groups", params=query).status_code == 304
    with path.open("ab") as grows:
        grows.write(scalar_event(20.0, 10, {"loss": 0.0}))
    reply = wait_until(lambda: (got := client.get("api/scalars/groups", params=query)).status_code == 200 and got)

    assert reply.json()["ungrouped"] == ["a"]


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ({}, 422, "tag"),
        ({"tag": "no such"}, 404, "no scalar tag 'no such'"),
        ({"tag": "train/loss", "run": "nobody"}, 404, "no run 'nobody'"),
        ({"tag": "train/loss", "lo": 2, "hi": 1}, 422, "lo=2.0 is above hi=1.0"),
        ({"tag": "train/loss", "by": "lr"}, 422, "by='lr': expected none, label, regex:PATTERN"),
        ({"tag": "train/loss", "by": "regex:("}, 422, "by='regex:(': the pattern is not a valid regular expression: "),
        ({"tag": "train/loss", "by": "regex:" + "a" * 201}, 422, "of at most 200 characters"),
        ({"tag": "train/loss", "centre": "mode"}, 422, "centre='mode'"),
        ({"tag": "train/loss", "band": "iqr"}, 422, "band='iqr'"),
        ({"tag": "train/loss", "smooth": "median:4"}, 422, "smooth='median:4': expected"),
        ({"tag": "train/loss", "smooth": "median:1003"}, 422, "odd number of points up to 1001"),
        ({"tag": "train/loss", "groups": "a"}, 422, "groups"),
    ],
)
def test_errors_contain_the_invalid_value(query: dict[str, Any], status: int, error: str, golden: httpx.Client) -> None:
    """Each error is one sentence."""
    reply = golden.get("api/scalars/groups", params=query)

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"groups": {"a": ["x"]}, "by": "none"}, "cannot be combined with run or by"),
        ({"groups": {"a": ["x"]}, "run": ["x"]}, "cannot be combined with run or by"),
        ({"groups": {}}, "the groups are empty"),
        ({"groups": {"a": []}}, "the groups are empty"),
        ({"groups": {"a": "x"}}, "groups.a"),
        ({"points": "5"}, "points='5'"),
    ],
)
def test_errors_of_bodies_contain_the_invalid_value(body: dict[str, Any], error: str, golden: httpx.Client) -> None:
    """Each error is one sentence."""
    reply = golden.post("api/scalars/groups", json={"tag": ["train/loss"], **body})

    assert (reply.status_code, error in reply.json()["detail"]) == (422, True), reply.text


def test_pattern_that_backtracks_elsewhere_is_answered(tmp_path: Path, serve: Serve) -> None:
    """Python's own engine would take years for this one."""
    loss_run(tmp_path / ("a" * 200), range(3))
    reply = serve(tmp_path).get("api/scalars/groups", params={"tag": "loss", "by": "regex:(a+)+!"})

    assert (reply.status_code, reply.json()["groups"]) == (200, [])


def test_series_have_their_extremes(golden: httpx.Client, tmp_path: Path, serve: Serve) -> None:
    """They are computed from all finite points in the window, before downsampling."""
    query: dict[str, str | int] = {"tag": "train/loss", "lo": 20, "hi": 150}
    whole = golden.get("api/scalars", params={**query, "points": 0}).json()["series"]
    drawn = golden.get("api/scalars", params={**query, "points": 4, "smooth": "ema:0.9"}).json()
    Scalars.model_validate(drawn, extra="forbid")
    for each, few in zip(whole, drawn["series"], strict=True):
        for name, extreme in (("min", min), ("max", max)):
            best = extreme(each["value"])
            assert (few[name], few[f"{name}_step"]) == (best, each["step"][each["value"].index(best)])

    write(tmp_path / "bad", {1: NAN, 2: INF})
    write(tmp_path / "some", {1: NAN, 2: 5.0, 3: 5.0, 4: -INF})
    bad, some = serve(tmp_path).get("api/scalars?tag=loss").json()["series"]

    assert [bad[name] for name in ("min", "min_step", "max", "max_step")] == [None] * 4
    assert [some[name] for name in ("min", "min_step", "max", "max_step")] == [5.0, 2, 5.0, 2]
    assert all(math.isfinite(some[name]) for name in ("min", "max"))


def test_sum_over_ranks(tmp_path: Path, serve: Serve) -> None:
    """With rank=all, the sum is that of all ranks of a run; count is the number of ranks that have a value."""
    write(tmp_path / "run", {1: 10.0, 2: 20.0, 3: 30.0}, rank=0)
    write(tmp_path / "run", {1: 1.0, 2: 2.0}, rank=1)
    client = serve(tmp_path)

    (group,) = read(client, tag="loss", rank="all", centre="sum", points=0)["groups"]

    assert (group["step"], group["centre"], group["count"]) == ([1, 2, 3], [11.0, 22.0, 30.0], [2, 2, 1])
