"""Heavy requests of a real server: what is refused, and what is sent in parts."""

import signal
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import httpx
import numpy as np
import pytest
from support.event_files import scalar_event, write_run
from support.servers import SLOW_SECONDS, Serve, start, stop, wait_until

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


def test_requests_that_the_end_of_the_server_cancels_get_503(logdir: Path) -> None:
    """Those that wait when it stops get 503 with the reason, and no error; with many cores none may wait so long."""
    process, url = start(logdir)
    wait_until(lambda: httpx.get(f"{url}api/scalars?tag=loss", timeout=SLOW_SECONDS).status_code == 200)
    with ThreadPoolExecutor(40) as clients:
        many = [
            clients.submit(httpx.get, f"{url}api/scalars?tag=loss&points=0", timeout=SLOW_SECONDS) for _ in range(40)
        ]
        next(as_completed(many))
        process.send_signal(signal.SIGTERM)
        replies = [each.result() for each in many if each.exception() is None]
    stop(process)

    assert {reply.status_code for reply in replies} <= {200, 503}
    assert {reply.json()["detail"] for reply in replies if reply.status_code == 503} <= {"the server stops"}
