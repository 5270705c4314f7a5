"""The index and the data folder are as private as the most private logdir."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.event_files import loss_run
from support.servers import Serve

from toposcope.server.places.private_folders import make_private


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Let new folders be accessible to everybody, as most systems do."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(folder: Path) -> int:
    """Return who may open a folder."""
    return folder.stat().st_mode & 0o777


def test_the_folders_of_a_server_are_for_its_user_only(tmp_path: Path, serve: Serve) -> None:
    """Names of runs, their values and notes are in them."""
    loss_run(tmp_path / "logs", range(3))
    options = ("--index-dir", str(tmp_path / "index"), "--data-dir", str(tmp_path / "data"))

    client = serve(tmp_path / "logs", *options)
    client.post("api/notes", json={"changes": [{"runs": ["."], "change": {"note": "secret"}}]}).raise_for_status()

    assert [mode(tmp_path / name) for name in ("index", "data")] == [0o700, 0o700]


@pytest.mark.parametrize(("before", "after"), [(0o755, 0o700), (0o700, 0o700), (0o2775, 0o770), (0o750, 0o700)])
def test_an_existing_folder_is_tightened_once(
    tmp_path: Path, before: int, after: int, caplog: pytest.LogCaptureFixture
) -> None:
    """One that a group may write is shared with it on purpose."""
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(before)

    make_private(folder)
    make_private(folder)

    assert mode(folder) == after
    assert caplog.text.count("it is private now") == (before & 0o777 != after)


def test_a_folder_that_cannot_be_created_is_no_error(tmp_path: Path) -> None:
    """What writes to it reports it."""
    (tmp_path / "file").touch()
    make_private(tmp_path / "file" / "folder")
