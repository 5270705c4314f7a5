"""Queries shared by the routes of images, histograms, tensors and texts."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import write_run
from support.server_in_process import served
from support.servers import Serve
from support.summary_values import MindSporeValue, record


def texts_run(directory: Path, steps: range, seconds: int = 1, rank: int = 0) -> Path:
    """Write a run with a text at each step, one per second."""
    records = [record(seconds + i, step, MindSporeValue(tag="note", text=f"{step}")) for i, step in enumerate(steps, 1)]
    return write_run(directory, records, seconds, rank)


def request_texts(client: httpx.Client, **query: Any) -> tuple[list[int], int]:
    """Return (listed steps, total)."""
    reply = client.get("api/text", params={"run": "a", "tag": "note"} | query).raise_for_status().json()
    return [entry["step"] for entry in reply["texts"]], reply["total"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve a run of a hundred texts to the tests that only read."""
    logdir = tmp_path_factory.mktemp("logdir")
    texts_run(logdir / "a", range(100))
    with served(logdir) as client:
        yield client


def test_points_are_spread_evenly(client: httpx.Client) -> None:
    """The first and last point are included; total counts all; a limit of one returns the last."""
    assert request_texts(client, limit=4) == ([0, 33, 66, 99], 100)
    assert request_texts(client, limit=1) == ([99], 100)
    assert request_texts(client, limit=1000) == (list(range(100)), 100)
    assert len(request_texts(client)[0]) == 50


def test_window_bounds_are_inclusive(client: httpx.Client) -> None:
    """A window without points is an empty list."""
    assert request_texts(client, lo=10, hi=12.5) == ([10, 11, 12], 3)
    assert request_texts(client, lo=98) == ([98, 99], 2)
    assert request_texts(client, lo=200) == ([], 0)


def test_points_are_ordered_by_step(tmp_path: Path, serve: Serve) -> None:
    """Points with equal steps are all listed, in file order."""
    records = [record(2 + i, step, MindSporeValue(tag="note", text=str(i))) for i, step in enumerate([5, 0, 5, 3])]
    write_run(tmp_path / "a", records)

    reply = serve(tmp_path).get("api/text", params={"run": "a", "tag": "note"}).json()

    assert [(entry["step"], entry["text"]) for entry in reply["texts"]] == [(0, "1"), (3, "3"), (5, "0"), (5, "2")]


def test_ranks_and_attempts_are_selected(tmp_path: Path, serve: Serve) -> None:
    """By default the lowest rank with attempts stitched; one attempt, or all in file order."""
    texts_run(tmp_path / "a", range(1, 6), seconds=100, rank=1)
    texts_run(tmp_path / "a", range(3, 9), seconds=200, rank=1)
    texts_run(tmp_path / "a", range(1, 3), seconds=100, rank=4)
    client = serve(tmp_path)

    assert request_texts(client) == (list(range(1, 9)), 8)
    assert request_texts(client, rank=4) == ([1, 2], 2)
    assert request_texts(client, rank=0) == ([], 0)
    assert request_texts(client, attempt=1) == ([1, 2, 3, 4, 5], 5)
    assert request_texts(client, attempt=2, rank=4) == ([], 0)
    assert request_texts(client, attempt="all") == ([1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8], 11)


def test_unreadable_points_are_counted_and_others_listed(tmp_path: Path, serve: Serve) -> None:
    """Points beyond the end of a truncated file are omitted, but included in the total."""
    path = texts_run(tmp_path / "a", range(3))
    client = serve(tmp_path, "--reload-interval", "0")
    os.truncate(path, path.stat().st_size - 6)

    reply = client.get("api/text", params={"run": "a", "tag": "note"}).json()

    assert ([entry["step"] for entry in reply["texts"]], reply["total"], reply["damaged"]) == ([0, 1], 3, 1)


@pytest.mark.parametrize("route", ["images", "histograms", "tensors", "text", "tensors/data"])
@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ("run=nobody&tag=note", 404, "no run 'nobody'"),
        ("run=a&tag=nothing", 404, "'nothing' in run 'a'"),
        ("run=a", 422, "tag"),
        ("tag=note", 422, "run"),
        ("run=a&tag=note&rank=-1", 422, "rank='-1'"),
        ("run=a&tag=note&attempt=0", 422, "attempt"),
        ("run=a&tag=note&typo=1", 422, "typo"),
    ],
)
def test_errors_contain_the_invalid_value(
    route: str, query: str, status: int, error: str, client: httpx.Client
) -> None:
    """Each error of every route is one sentence with the parameter and its value."""
    reply = client.get(f"api/{route}?{query}")

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("limit=0", "limit='0'"),
        ("limit=1001", "limit='1001'"),
        ("lo=5&hi=1", "lo=5.0 is above hi=1.0"),
        ("lo=nan", "lo=nan is above hi=inf"),
    ],
)
def test_invalid_windows_are_errors(query: str, error: str, client: httpx.Client) -> None:
    """The error contains both bounds."""
    reply = client.get(f"api/text?run=a&tag=note&{query}")

    assert (reply.status_code, error in reply.json()["detail"]) == (422, True), reply.text


def test_tag_of_another_plugin_is_unknown(client: httpx.Client) -> None:
    """A tag of texts has no images."""
    reply = client.get("api/images?run=a&tag=note")

    assert (reply.status_code, reply.json()["detail"]) == (404, "no image tag 'note' in run 'a'")
