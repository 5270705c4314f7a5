"""A client that has the series of an earlier reply is sent only what is new."""

from pathlib import Path

import pytest
from support.event_files import loss_run, scalar_event, write_run
from support.servers import Serve, wait_until


def test_series_that_have_not_changed_are_left_out(serve: Serve, tmp_path: Path) -> None:
    """With a revision, the reply contains the series of runs that have changed since then."""
    for run in ("a", "b"):
        path = write_run(tmp_path / run, [scalar_event(100, 1, {"loss": 0.5})])
    live = serve(tmp_path)
    revision = live.get("/api/scalars?tag=loss").json()["revision"]
    assert live.get(f"/api/scalars?tag=loss&since={revision}").status_code == 304
    with path.open("ab") as file:
        file.write(scalar_event(101, 2, {"loss": 0.25}))
    url = f"/api/scalars?tag=loss&since={revision}"
    reply = wait_until(lambda: (reply := live.get(url)).status_code == 200 and reply.json())
    assert reply["since"] == revision
    assert [(series["run"], series["value"]) for series in reply["series"]] == [("b", [0.5, 0.25])]
    assert live.get("/api/scalars?tag=loss").json()["since"] is None


@pytest.mark.parametrize("workers", ["1", "2"])
def test_revisions_of_another_server_are_unknown(serve: Serve, tmp_path: Path, workers: str) -> None:
    """A server that was started again does not take a revision of its predecessor for one of its own."""
    run = loss_run(tmp_path / "a", range(3))
    first = serve(tmp_path, "--workers", workers)
    paths = ("scalars?tag=loss", "scalars/groups?tag=loss", "overview?metric=loss")
    revisions = {path: first.get(f"/api/{path}").json()["revision"] for path in paths}
    for path, revision in revisions.items():
        assert first.get(f"/api/{path}&since={revision}").status_code == 304
    with run.open("ab") as file:
        file.write(scalar_event(9, 9, {"loss": 0.25}))
    second = serve(tmp_path, "--workers", workers)
    for path, revision in revisions.items():
        for _ in range(4):  # Of several workers.
            reply = second.get(f"/api/{path}&since={revision}", headers={"Connection": "close"})
            assert reply.status_code == 200
            assert reply.json().get("since") is None
