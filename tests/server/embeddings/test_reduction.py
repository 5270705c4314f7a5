"""UMAP and t-SNE: by their libraries, in processes that report their progress, kept beside the index."""

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.servers import Serve

from toposcope.recorder import SummaryWriter
from toposcope.server.embeddings import replies
from toposcope.server.embeddings.projections.reduction import MAX_REDUCED, METHODS, Method, Reduction, reduced

CLUSTERS = np.repeat([0, 1, 2], 20)
VECTORS = (np.random.default_rng(0).normal(size=(60, 70)) + 20 * np.eye(70)[CLUSTERS]).astype(np.float32)
LIBRARIES = {"umap": "umap", "tsne": "openTSNE"}


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> Method:
    """Return a method whose library is installed."""
    pytest.importorskip(LIBRARIES[request.param])
    found: Method = request.param
    return found


def distances(positions: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the distance of each position to each other one."""
    found: np.ndarray[Any, Any] = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    return found


def test_clusters_stay_apart_and_a_seed_gives_equal_positions(method: Method) -> None:
    """The nearest position of each is in its cluster; a vector with a NaN has none."""
    shares: list[float] = []
    vectors = np.concatenate([VECTORS, np.full((1, 70), np.nan, np.float32)])

    found = reduced(vectors, Reduction(method, 2, 1), shares.append)

    assert np.isnan(found.positions[60]).all()
    assert found.left_out == 1
    between = distances(found.positions[:60]) + np.diag(np.full(60, np.inf))
    np.testing.assert_array_equal(CLUSTERS[between.argmin(axis=1)], CLUSTERS)
    assert shares[-1] == 1.0
    np.testing.assert_array_equal(reduced(vectors, Reduction(method, 2, 1), shares.append).positions, found.positions)


def test_too_few_vectors_are_refused(method: Method) -> None:
    with pytest.raises(ValueError, match="4 finite vectors are too few"):
        reduced(VECTORS[:4], Reduction(method, 2, 0), lambda _: None)


def ask(client: httpx.Client, query: dict[str, Any]) -> list[dict[str, Any]]:
    """Compute a reduction; return the reports."""
    reply = client.post("api/embeddings/reduction", json=query, timeout=300).raise_for_status()
    return [json.loads(line) for line in reply.text.splitlines()]


def test_a_reduction_is_computed_once_and_kept(serve: Serve, tmp_path: Path) -> None:
    """It is not there before it is computed; then also after a restart."""
    pytest.importorskip("openTSNE")
    with SummaryWriter(str(tmp_path / "logs/run")) as writer:
        writer.add_embedding(VECTORS, tag="layer")
    query: dict[str, Any] = {"run": "run", "name": "layer", "method": "tsne", "components": 2, "seed": 3}
    index = tmp_path / "index"
    client = serve(tmp_path / "logs", "--index-dir", str(index))
    assert client.get("api/embeddings/reduction", params=query).status_code == 409

    reports = ask(client, query)

    for report in reports:
        replies.Report.model_validate(report, extra="forbid")
    assert reports[0]["progress"] == 0
    assert all(report["problem"] is None for report in reports)
    found = client.get("api/embeddings/reduction", params=query).raise_for_status().json()
    replies.Projection.model_validate(found, extra="forbid")
    assert (found["total"], found["placed"], found["explained"]) == (60, 60, [])
    again = serve(tmp_path / "logs", "--index-dir", str(index))
    assert again.get("api/embeddings/reduction", params=query).raise_for_status().json()["axes"] == found["axes"]


def test_a_reduction_whose_client_leaves_makes_way_for_the_next(serve: Serve, tmp_path: Path) -> None:
    """One is computed at a time: it would wait for ever if the first one were not ended."""
    pytest.importorskip("openTSNE")
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_embedding(np.random.default_rng(0).normal(size=(20_000, 40)), tag="many")
        writer.add_embedding(VECTORS, tag="few")
    client = serve(tmp_path)
    query: dict[str, Any] = {"run": "run", "method": "tsne", "components": 2, "seed": 0}

    with client.stream("POST", "api/embeddings/reduction", json={**query, "name": "many"}) as reply:
        next(reply.iter_lines())

    assert ask(client, {**query, "name": "few"})[-1]["problem"] is None
    assert client.get("api/embeddings/reduction", params={**query, "name": "many"}).status_code == 409


def test_evenly_spread_vectors_are_placed_if_there_are_more(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toposcope.server.embeddings.projections.reduction.MAX_REDUCED", 20)
    assert MAX_REDUCED > 20

    found = reduced(VECTORS, Reduction(method, 2, 0), lambda _: None)

    np.testing.assert_array_equal(np.flatnonzero(np.isfinite(found.positions[:, 0])), np.arange(0, 60, 3))
