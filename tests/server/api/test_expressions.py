"""Expressions and other tags as x, requested from a real server."""

from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.cbor import decode_cbor
from support.event_files import scalar_event, version_event, write_run
from support.servers import Serve

GAP = "validation/loss - train/loss"


@pytest.fixture
def client(tmp_path: Path, serve: Serve) -> httpx.Client:
    """Serve two runs with a validation loss at every tenth step, one without, and one with two attempts."""
    for name, factor in (("a", 1), ("b", 2)):
        write_run(tmp_path / name, [version_event(1), *(_event(step, factor) for step in range(5000))])
    losses = [scalar_event(step + 1, step, {"train/loss": 1.0}) for step in range(3)]
    write_run(tmp_path / "c", [version_event(1), *losses])
    return serve(tmp_path)


def _event(step: int, factor: float) -> bytes:
    values = {"train/loss": factor / (step + 1), "epoch": float(step // 100)}
    if step % 10 == 0:
        values["validation/loss"] = 2 * factor / (step + 1)
    return scalar_event(step + 1, step, values)


def series(client: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    """Return the series of the reply."""
    reply = client.get("api/scalars", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()["series"]


def test_an_expression_is_a_series_of_each_run_that_has_its_tags(client: httpx.Client) -> None:
    """It is computed from all points, and then downsampled; it may be requested beside tags."""
    a, b = series(client, expr=GAP, points=0)
    assert [(each["tag"], each["expr"], each["run"], each["total"]) for each in (a, b)] == [
        (GAP, True, "a", 500),
        (GAP, True, "b", 500),
    ]
    assert a["step"] == list(range(0, 5000, 10))
    np.testing.assert_allclose(b["value"], [2 / (step + 1) for step in a["step"]], rtol=1e-6)

    (every, *_), (few, *_) = (series(client, expr="rate(train/loss)", points=points) for points in (0, 100))
    assert (every["total"], every["step"][0]) == (4999, 1)
    assert len(few["step"]) <= 110
    assert set(few["step"]) <= set(every["step"])

    both = series(client, tag="train/loss", expr="train/loss", run="a", points=0)
    assert [each["expr"] for each in both] == [False, True]
    assert both[0]["value"] == both[1]["value"]


def test_operands_are_joined_by_the_last_value_before(client: httpx.Client) -> None:
    """The series begins at the first step at which all have a value, and has the time of the newest."""
    (joined,) = series(client, expr=GAP, join="last", run="a", points=0)
    assert joined["step"] == list(range(5000))
    assert joined["value"][7] == pytest.approx(2 - 1 / 8)
    assert joined["wall_time"][7] == 8


@pytest.mark.parametrize("encoding", ["json", "cbor"])
def test_values_of_another_tag_are_the_positions(client: httpx.Client, encoding: str) -> None:
    """Points are in the order of x, and a window is one of x."""
    query: dict[str, Any] = {"tag": "train/loss", "x": "validation/loss", "run": "a", "lo": 0.01, "hi": 1, "points": 0}
    if encoding == "json":
        (found,) = series(client, **query)
    else:
        reply = client.get("api/scalars", params=query, headers={"Accept": "application/cbor"})
        (found,) = decode_cbor(reply.content)["series"]
    steps = [step for step in range(0, 5000, 10) if 0.01 <= np.float32(2 / (step + 1)) <= 1]
    assert found["step"][:3] == steps[::-1][:3] if encoding == "json" else True
    np.testing.assert_allclose(found["x"], [2 / (step + 1) for step in reversed(steps)], rtol=1e-6)
    np.testing.assert_allclose(found["value"], np.divide(found["x"], 2), rtol=1e-6)

    (by_epoch,) = series(client, tag="train/loss", x="epoch", run="a", points=50)
    assert (by_epoch["total"], by_epoch["x"][0], by_epoch["x"][-1]) == (5000, 0, 49)
    assert by_epoch["x"] == sorted(by_epoch["x"])


def test_groups_and_csv_of_expressions(client: httpx.Client) -> None:
    """They have bands, and exact points."""
    (band,) = client.get("api/scalars/groups", params={"expr": GAP, "by": "none", "points": 0}).json()["groups"]
    assert (band["tag"], band["expr"], band["runs"]) == (GAP, True, ["a", "b"])
    np.testing.assert_allclose(band["centre"], [1.5 / (step + 1) for step in band["step"]], rtol=1e-6)
    (over,) = client.get(
        "api/scalars/groups", params={"tag": "train/loss", "x": "epoch", "by": "none", "points": 0}
    ).json()["groups"]
    assert (over["x"], over["step"]) == (list(range(50)), [])

    lines = client.get("api/scalars.csv", params={"expr": "2 * train/loss", "run": "c"}).text.splitlines()
    assert lines[1:] == ["c,2 * train/loss,0,0,1.0,2.0", "c,2 * train/loss,0,1,2.0,2.0", "c,2 * train/loss,0,2,3.0,2.0"]


def test_only_changes_are_sent(client: httpx.Client, tmp_path: Path) -> None:
    """Expressions have cursors, and a revision."""
    body = {"expr": ["exp(train/loss)"], "points": 0}
    first = client.post("api/scalars", json=body).json()
    cursors = [each["cursor"] for each in first["series"]]
    again = client.post("api/scalars", json={**body, "cursor": cursors}).json()["series"]
    assert [each["kept"] for each in again] == [4999, 4999, 2]
    assert client.get("api/scalars", params={"expr": "exp(train/loss)", "since": first["revision"]}).status_code == 304
    other = client.post("api/scalars", json={"expr": ["exp(train/loss)"], "join": "last", "cursor": cursors}).json()
    assert all(each["kept"] == 0 for each in other["series"])


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ({"expr": "train/loss +"}, 422, "found the end at character 13, expected a number, a tag, a function or '('"),
        ({"expr": "train/loss-1"}, 404, "no scalar tag 'train/loss-1'; to divide or subtract tags, put spaces around"),
        ({"expr": "nothing + train/loss"}, 404, "no scalar tag 'nothing'"),
        ({"expr": "a" * 1001}, 422, "expr"),
        ({"tag": "train/loss", "x": "nothing"}, 404, "no scalar tag 'nothing'"),
        (
            {"tag": "train/loss", "x": "epoch", "axis": "relative"},
            422,
            "x='epoch' cannot be combined with axis=relative",
        ),
        ({"expr": GAP, "join": "nearest"}, 422, "join"),
        ({}, 422, "expected at least one tag or expr"),
    ],
)
def test_errors(client: httpx.Client, query: dict[str, str], status: int, error: str) -> None:
    """They name what was found and what was expected."""
    reply = client.get("api/scalars", params=query)
    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


def test_an_expression_without_series_is_missing(client: httpx.Client) -> None:
    """If other requested series are found, or other runs have its tags."""
    reply = client.get("api/scalars", params={"tag": "train/loss", "expr": "1 + nothing", "run": "c"}).json()
    assert (len(reply["series"]), reply["missing"]) == (1, ["1 + nothing"])
    assert client.get("api/scalars", params={"expr": GAP, "run": "c"}).json()["missing"] == [GAP]
