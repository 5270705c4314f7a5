"""Heavy requests of a real server: what is refused, and what is sent in parts."""

from pathlib import Path

import numpy as np
import pytest
from support.event_files import scalar_event, write_run
from support.servers import Serve

POINTS = 300_000


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a long series."""
    folder = tmp_path_factory.mktemp("long")
    values = np.random.default_rng(0).normal(size=POINTS)
    write_run(folder / "run", [scalar_event(step, step, {"loss": value}) for step, value in enumerate(values.tolist())])
    return folder


def test_a_request_that_never_fits_names_the_limit(serve: Serve, logdir: Path) -> None:
    """It is refused at once, with advice."""
    reply = serve(logdir, "--memory-limit", "1M").get("/api/scalars?tag=loss&points=0")
    assert reply.status_code == 422
    assert "at most 1 MiB (--memory-limit); request fewer series" in reply.json()["detail"]


def test_heavy_replies_are_complete(serve: Serve, logdir: Path) -> None:
    """A reply that is encoded in parts and sent in parts has every point."""
    (series,) = serve(logdir).get("/api/scalars?tag=loss&points=0").json()["series"]
    assert series["step"] == list(range(POINTS))
    assert series["value"] == np.random.default_rng(0).normal(size=POINTS).astype(np.float32).tolist()


def test_a_long_download_is_complete(serve: Serve, logdir: Path) -> None:
    """Every point is a line, also if it is computed part by part."""
    lines = serve(logdir).get("/api/scalars.csv?expr=loss*2").text.splitlines()
    assert len(lines) == POINTS + 1
    assert lines[-1].split(",")[3] == str(POINTS - 1)
