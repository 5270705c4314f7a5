"""A data folder that does not answer: the last known notes are served, and nothing else waits."""

import os
from pathlib import Path

import httpx
from support.event_files import loss_run
from support.servers import Serve, wait_until

ROUTES = ("health", "runs", "runs/columns", "overview", "notes", "views", "scalars?tag=loss")


def hang(data: Path) -> None:
    """Let the reading of a file of notes take for ever: opening a FIFO waits for a writer."""
    (folder,) = (data / "notes").iterdir()
    os.mkfifo(folder / f"{'0' * 32}.json")


def test_the_last_known_notes_are_served(serve_process: Serve, tmp_path: Path) -> None:
    """The reply says that notes cannot be read; changes are refused with the reason."""
    loss_run(tmp_path / "runs" / "run", range(3))
    data = tmp_path / "data"
    client = serve_process(tmp_path / "runs", "--data-dir", str(data))
    assert client.put("/api/notes?run=run", json={"note": "known"}).status_code == 200
    hang(data)

    def problems() -> list[str]:
        found: list[str] = client.get("/api/notes").json()["problems"]
        return found

    assert "the disk does not answer" in wait_until(problems)[0]
    assert client.get("/api/notes").json()["runs"]["run"]["note"] == "known"
    refused = client.put("/api/notes?run=run", json={"note": "new"})
    assert refused.status_code == 503
    assert "the disk does not answer" in refused.json()["detail"]


def test_no_route_waits_for_the_data_folder(serve_process: Serve, tmp_path: Path) -> None:
    """Also of a server that starts while it does not answer; and it ends."""
    loss_run(tmp_path / "runs" / "run", range(3))
    data = tmp_path / "data"
    first = serve_process(tmp_path / "runs", "--data-dir", str(data))
    assert first.put("/api/notes?run=run", json={"note": "known"}).status_code == 200
    hang(data)

    second: httpx.Client = serve_process(tmp_path / "runs", "--data-dir", str(data))
    for route in ROUTES:
        assert second.get(f"/api/{route}").status_code == 200, route
