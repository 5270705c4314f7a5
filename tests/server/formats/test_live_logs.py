"""A real server on logs in other formats: they appear and grow while they are written."""

from pathlib import Path

import httpx
import pytest
from support.servers import SLOW_SECONDS, Serve, wait_until


@pytest.fixture(params=["watching", "polling"])
def logdir(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return an empty logdir; if it contains a link to a directory, changes are not reported and the server polls."""
    folder = tmp_path / "runs"
    folder.mkdir()
    if request.param == "polling":
        (tmp_path / "elsewhere").mkdir()
        (folder / "linked").symlink_to(tmp_path / "elsewhere")
    return folder


def _runs(client: httpx.Client) -> dict[str, tuple[str, int]]:
    """Return the dialect and the last step of each run."""
    runs = client.get("api/runs").json()["runs"]
    return {run["run"]: (run["dialect"], run["last_step"]) for run in runs}


def test_a_table_appears_and_grows(logdir: Path, serve_process: Serve) -> None:
    client = serve_process(logdir)
    assert _runs(client) == {}
    path = logdir / "digits" / "progress.csv"
    path.parent.mkdir()
    with path.open("w") as file:
        file.write("step,loss\n1,0.5\n")
        file.flush()
        wait_until(lambda: _runs(client) == {"digits/progress.csv": ("table", 1)}, SLOW_SECONDS)
        file.write("2,0.25\n3,0.1")
        file.flush()
        wait_until(lambda: _runs(client) == {"digits/progress.csv": ("table", 2)}, SLOW_SECONDS)
    path.unlink()
    wait_until(lambda: _runs(client) == {}, SLOW_SECONDS)


def test_workers_serve_tables(logdir: Path, serve_process: Serve) -> None:
    (logdir / "log.csv").write_text("step,loss,note\n1,0.5,first\n2,0.25,second\n")
    client = serve_process(logdir, "--workers", "2")
    assert _runs(client) == {"log.csv": ("table", 2)}
    texts = client.get("api/text", params={"run": "log.csv", "tag": "note"}).json()
    assert "second" in str(texts)


def test_formats_can_be_turned_off(logdir: Path, serve_process: Serve) -> None:
    (logdir / "log.csv").write_text("step,loss\n1,0.5\n")
    assert _runs(serve_process(logdir, "--formats", "none")) == {}
