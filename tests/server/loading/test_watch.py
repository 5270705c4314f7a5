"""A real server notices changes in a logdir soon, at any depth, and not only at the next walk."""

import os
import shutil
from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run, scalar_event
from support.servers import Serve, wait_until

from toposcope.server.loading.finding.watch import can_watch

SET_UP = 1.2
SOON = 30.0
"""Seconds; a watched logdir is walked once in 60."""


def totals(client: httpx.Client) -> dict[str, int]:
    """Return how many points of loss each run has."""
    reply = client.get("api/scalars", params={"tag": "loss", "points": 1, "attempt": "all"})
    return {series["run"]: series["total"] for series in reply.json().get("series", [])}


def grow(path: Path, steps: range) -> None:
    """Append steps to an event file."""
    with path.open("ab") as file:
        file.write(b"".join(scalar_event(2.0 + step, step, {"loss": 1.0}) for step in steps))


@pytest.fixture
def watched(tmp_path: Path, serve: Serve) -> tuple[Path, httpx.Client]:
    """Serve a logdir with one run of five steps; return when its watch is set up."""
    loss_run(tmp_path / "runs/first", range(5))
    client = serve(tmp_path / "runs", "--reload-interval", "0.1")
    wait_until(lambda: client.get("api/health").json()["uptime"] > SET_UP, SOON)
    return tmp_path / "runs", client


def test_new_and_growing_runs_are_noticed(watched: tuple[Path, httpx.Client]) -> None:
    """A run in new folders appears and grows."""
    logdir, client = watched
    path = loss_run(logdir / "a/b/c/d", range(3))
    wait_until(lambda: totals(client).get("a/b/c/d") == 3, SOON)
    grow(path, range(3, 7))
    wait_until(lambda: totals(client).get("a/b/c/d") == 7, SOON)


def test_name_that_is_not_utf8_delays_no_other_run(watched: tuple[Path, httpx.Client]) -> None:
    """The watch reports no such name: the logdir is polled then, at once."""
    logdir, client = watched
    os.mkdir(os.fsencode(logdir) + b"/odd\xff")
    path = loss_run(logdir / "new", range(3))
    wait_until(lambda: totals(client).get("new") == 3, SOON)
    grow(path, range(3, 7))
    wait_until(lambda: totals(client).get("new") == 7, SOON)
    later = loss_run(logdir / "later", range(3))
    wait_until(lambda: totals(client).get("later") == 3, SOON)
    odd = os.fsencode(logdir) + b"/odd\xff/" + os.fsencode(later.name)
    with open(odd, "wb") as file:
        file.write(later.read_bytes())
    wait_until(lambda: totals(client).get("odd\\xff") == 3, SOON)


def test_run_moved_into_the_logdir_grows(watched: tuple[Path, httpx.Client], tmp_path: Path) -> None:
    """A folder that is moved into the logdir is a run, and keeps growing."""
    logdir, client = watched
    path = loss_run(tmp_path / "elsewhere", range(3))
    (tmp_path / "elsewhere").rename(logdir / "moved")
    wait_until(lambda: totals(client).get("moved") == 3, SOON)
    grow(logdir / "moved" / path.name, range(3, 7))
    wait_until(lambda: totals(client).get("moved") == 7, SOON)


def test_renamed_run_grows_under_its_new_name(watched: tuple[Path, httpx.Client]) -> None:
    """A run that is renamed is listed with its new name, and with what its writer appends."""
    logdir, client = watched
    (path,) = (logdir / "first").iterdir()
    (logdir / "first").rename(logdir / "second")
    wait_until(lambda: totals(client) == {"second": 5}, SOON)
    grow(logdir / "second" / path.name, range(5, 9))
    wait_until(lambda: totals(client) == {"second": 9}, SOON)


def test_removed_run_is_no_longer_listed(watched: tuple[Path, httpx.Client]) -> None:
    """Removing the folder removes the run."""
    logdir, client = watched
    shutil.rmtree(logdir / "first")
    wait_until(lambda: client.get("api/runs").json()["runs"] == [], SOON)


def test_linked_run_that_appears_grows(watched: tuple[Path, httpx.Client], tmp_path: Path) -> None:
    """A link to a folder outside the logdir is a run; what is written there is noticed soon too."""
    logdir, client = watched
    path = loss_run(tmp_path / "elsewhere", range(3))
    (logdir / "linked").symlink_to(tmp_path / "elsewhere")
    wait_until(lambda: totals(client).get("linked") == 3, SOON)
    grow(path, range(3, 7))
    wait_until(lambda: totals(client).get("linked") == 7, SOON)


def test_linked_file_grows(watched: tuple[Path, httpx.Client], tmp_path: Path) -> None:
    """A link to an event file outside the logdir is read as that file grows."""
    logdir, client = watched
    path = loss_run(tmp_path / "elsewhere", range(3))
    (logdir / "linked").mkdir()
    (logdir / "linked" / path.name).symlink_to(path)
    wait_until(lambda: totals(client).get("linked") == 3, SOON)
    grow(path, range(3, 7))
    wait_until(lambda: totals(client).get("linked") == 7, SOON)


def test_second_name_of_a_run_is_not_a_run(watched: tuple[Path, httpx.Client]) -> None:
    """A link to a run of the same logdir, created while it is watched, adds no run."""
    logdir, client = watched
    (logdir / "zzz").symlink_to(logdir / "first")
    path = loss_run(logdir / "later", range(3))
    wait_until(lambda: totals(client).get("later") == 3, SOON)
    grow(path, range(3, 4))
    wait_until(lambda: totals(client).get("later") == 4, SOON)

    assert sorted(totals(client)) == ["first", "later"]


def test_logdir_that_is_removed_and_created_again_is_watched(watched: tuple[Path, httpx.Client]) -> None:
    """A logdir may be deleted and created again while the server runs."""
    logdir, client = watched
    shutil.rmtree(logdir)
    wait_until(lambda: client.get("api/runs").json()["runs"] == [], SOON)

    path = loss_run(logdir / "again", range(3))
    wait_until(lambda: totals(client) == {"again": 3}, SOON)
    grow(path, range(3, 7))
    wait_until(lambda: totals(client) == {"again": 7}, SOON)


def test_logdir_that_is_renamed_and_replaced_is_watched(watched: tuple[Path, httpx.Client]) -> None:
    """The folder that has the logdir's name now is served."""
    logdir, client = watched
    os.rename(logdir, logdir.with_name("old"))
    path = loss_run(logdir / "again", range(3))
    wait_until(lambda: totals(client) == {"again": 3}, SOON)
    grow(path, range(3, 7))
    wait_until(lambda: totals(client) == {"again": 7}, SOON)


def test_only_existing_folders_can_be_watched(tmp_path: Path) -> None:
    """Files and missing folders cannot be watched."""
    (tmp_path / "file").touch()

    assert can_watch(str(tmp_path))
    assert not can_watch(str(tmp_path / "file"))
    assert not can_watch(str(tmp_path / "missing"))
