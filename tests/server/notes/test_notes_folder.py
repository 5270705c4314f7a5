"""The files of notes: damage, fields of newer versions, crashes and locks."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from toposcope.server.data_files.data_folder import data_files, hashed
from toposcope.server.data_files.json_folder import JsonFolder
from toposcope.server.notes.notes import Notes
from toposcope.server.notes.notes_folder import LARGEST_FILE, NotesFolder
from toposcope.server.notes.run_notes import RunNotes


def test_damaged_files_are_reported_and_kept(tmp_path: Path) -> None:
    """The others are read; changing a damaged one keeps its bytes under another name."""
    folder = NotesFolder(JsonFolder(tmp_path, "logdir", LARGEST_FILE))
    for run in ("a", "b", "c", "d", "e"):
        folder.change(run, {"alias": run})
    path = {run: tmp_path / f"{hashed(run)}.json" for run in "abcde"}
    path["a"].write_bytes(b"{half")
    path["b"].write_bytes(b"{}")
    path["c"].write_text(json.dumps({"run": "c", "colour": "red"}))
    path["d"].write_text(json.dumps({"run": "other"}))

    notes = Notes(folder, lambda: 7)
    snapshot = notes.current()

    assert dict(snapshot.runs) == {"e": RunNotes(alias="e")}
    assert len(snapshot.problems) == 4
    assert all(str(tmp_path) in problem for problem in snapshot.problems)
    assert [word in " ".join(snapshot.problems) for word in ("not JSON", "name a run", "its colour", "'other'")] == [
        True
    ] * 4
    assert notes.change("a", {"hidden": True}) == RunNotes(hidden=True)
    assert path["a"].with_suffix(".damaged").read_bytes() == b"{half"
    assert len(notes.current().problems) == 3

    path["a"].write_bytes(b"[again")
    notes.change("a", {"hidden": True})
    assert path["a"].with_suffix(".damaged").read_bytes() == b"{half"
    assert path["a"].with_suffix(".2.damaged").read_bytes() == b"[again"


def test_fields_of_newer_versions_are_kept(tmp_path: Path) -> None:
    """A change preserves fields that this version does not know."""
    folder = NotesFolder(JsonFolder(tmp_path, "logdir", LARGEST_FILE))
    folder.change("a", {"alias": "x"})
    path = tmp_path / f"{hashed('a')}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"stars": 5}))

    folder.change("a", {"alias": None})

    content = json.loads(path.read_text())
    assert (content["stars"], content["alias"], content["run"]) == (5, None, "a")


def test_revision_of_the_logdir_is_that_of_the_last_change(tmp_path: Path) -> None:
    """It identifies the replies that may lack the change; a change without effect does not increase it."""
    revisions = iter(range(10, 20))
    notes = Notes(NotesFolder(JsonFolder(tmp_path, "logdir", LARGEST_FILE)), lambda: next(revisions))
    notified: list[list[str]] = []
    notes.start(notified.append)
    assert notes.current()[:2] == (0, -1)

    notes.change("a", {"alias": "x"})
    assert notes.current()[:2] == (1, 10)
    notes.change("a", {"alias": "x"})
    assert notes.current()[:2] == (1, 10)
    notes.change("b", {"alias": "y"})
    assert notes.current()[:2] == (2, 11)
    notes.stop()
    assert notified == [["a"], ["b"]]


def test_crash_leaves_only_a_part_file(tmp_path: Path) -> None:
    """What a killed server left half written is ignored and overwritten by the next change."""
    folder = NotesFolder(JsonFolder(tmp_path, "logdir", LARGEST_FILE))
    folder.change("a", {"alias": "x"})
    (tmp_path / "draft").write_bytes(b'{"run": "a", "al')

    assert dict(Notes(folder, lambda: 0).current().runs) == {"a": RunNotes(alias="x")}
    folder.change("a", {"note": "y"})
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["lock", "logdir.txt", f"{hashed('a')}.json"])


def test_change_fails_while_another_server_holds_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that hangs while holding it must not block the others."""
    monkeypatch.setattr("toposcope.server.data_files.json_folder._LOCK_SECONDS", 0.1)
    descriptor = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)

    with pytest.raises(TimeoutError, match="another server has locked"):
        NotesFolder(JsonFolder(tmp_path, "logdir", LARGEST_FILE)).change("a", {"alias": "x"})

    os.close(descriptor)
    assert NotesFolder(JsonFolder(tmp_path, "logdir", LARGEST_FILE)).change("a", {"alias": "x"}) == RunNotes(alias="x")


def test_a_logdir_has_one_folder_for_all_its_paths(tmp_path: Path) -> None:
    """Relative, or through a link; another logdir has another folder."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "runs")

    folders = {
        data_files("data", "notes", str(path), LARGEST_FILE).address
        for path in (tmp_path / "runs", tmp_path / "link", tmp_path / "runs/../runs")
    }

    assert len(folders) == 1
    assert data_files("data", "notes", str(tmp_path), LARGEST_FILE).address not in folders
