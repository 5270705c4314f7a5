"""summary-server compact and export --parquet: the tables of a lake from the command line."""

import os
import sys
from pathlib import Path

import obstore
import pytest
from obstore.store import from_url
from support.event_files import GOLDEN, loss_run
from support.lakes import rows, stamps
from support.s3_server import BUCKET, s3_server
from support.servers import run

from toposcope.server.cli import main
from toposcope.server.data_files.data_folder import data_files
from toposcope.server.notes.notes_folder import LARGEST_FILE, NotesFolder


def compact(logdir: Path | str, out: Path | str, folder: Path, status: int = 0) -> str:
    """Run the command; return what it prints."""
    arguments = ("--index-dir", folder / "index", "--data-dir", folder / "data")
    done = run("compact", logdir, "--out", out, *arguments)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_second_call_writes_nothing(tmp_path: Path) -> None:
    """Notes that the server stored are in the table of runs."""
    loss_run(tmp_path / "logs/a", range(3))
    notes = NotesFolder(data_files(tmp_path / "data", "notes", str(tmp_path / "logs"), LARGEST_FILE))
    notes.change("a", {"labels": ["good"]})

    first = compact(tmp_path / "logs", tmp_path / "lake", tmp_path)
    written = stamps(tmp_path / "lake")
    second = compact(tmp_path / "logs", tmp_path / "lake", tmp_path)

    assert "1 runs, 3 points in 1 parts; 1 written" in first
    assert "0 written" in second
    assert stamps(tmp_path / "lake") == written
    assert rows(tmp_path / "lake", "runs")[0]["labels"] == ["good"]


def test_lake_in_an_object_store_equals_the_local_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second call reads what the first one wrote."""
    compact(GOLDEN, tmp_path / "lake", tmp_path)
    with s3_server() as store:
        for name, value in store.environment.items():
            monkeypatch.setenv(name, value)
        arguments = [str(GOLDEN), "--out", f"s3://{BUCKET}/lake", "--index-dir", str(tmp_path / "index")]
        assert [main(["compact", *arguments]) for _ in range(2)] == [0, 0]
        client = from_url(f"s3://{BUCKET}/lake")
        for name in stamps(tmp_path / "lake"):
            path = tmp_path / "copy" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(obstore.get(client, name).bytes()))
    first, second = capsys.readouterr().out.splitlines()
    assert "1 written" in first
    assert "0 written" in second
    for table in ("scalars", "tags", "runs"):
        assert list(map(repr, rows(tmp_path / "copy", table))) == list(map(repr, rows(tmp_path / "lake", table)))


@pytest.mark.parametrize(
    ("logdir", "out", "error"),
    [
        ("logs", "logs/lake", "is inside DIR, which is read-only"),
        ("missing", "lake", "does not exist"),
        ("empty", "lake", "has no runs: expected event files"),
        ("logs", "full", "is not empty, and no lake"),
        ("logs", "ftp://host/lake", "'ftp://host/lake'"),
    ],
)
def test_invalid_places_are_one_line(tmp_path: Path, logdir: str, out: str, error: str) -> None:
    """The error names the place; nothing is written."""
    loss_run(tmp_path / "logs/a", range(3))
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    before = stamps(tmp_path)
    place = out if "://" in out else tmp_path / out

    found = compact(tmp_path / logdir, place, tmp_path, status=2)

    assert error in found
    assert found.count("\n") == 1
    assert stamps(tmp_path) == before


def test_several_logdirs_are_one_lake(tmp_path: Path) -> None:
    """The runs of each begin with its name."""
    loss_run(tmp_path / "one/a", range(3))
    loss_run(tmp_path / "two/a", range(4))
    places = [f"x={tmp_path / 'one'}", f"y={tmp_path / 'two'}"]
    done = run("compact", *places, "--out", tmp_path / "lake", "--index-dir", tmp_path / "index")

    assert (done.returncode, done.stderr) == (0, "")
    assert [(row["run"], row["points"]) for row in rows(tmp_path / "lake", "tags")] == [("x/a", 3), ("y/a", 4)]


def test_missing_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the extra that has it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SystemExit):
        main(["compact", str(GOLDEN), "--out", str(tmp_path / "lake")])
    assert "pip install 'toposcope[lake]'" in capsys.readouterr().err


def test_export_writes_selected_runs_and_tags_once(tmp_path: Path) -> None:
    """Without a state: compact refuses to continue it. Options of the other form of export are refused."""
    name, out = "tensorboard/tensorboardx/lr_0.1", tmp_path / "out"
    done = run("export", GOLDEN, "--parquet", "--out", out, "--run", name, "--tag", "bad")
    again = run("export", GOLDEN, "--parquet", "--out", out)
    other = run("export", GOLDEN, "--parquet", "--out", tmp_path / "new", "--rank", "0")

    assert (done.returncode, done.stderr) == (0, "")
    assert {(row["run"], row["tag"]) for row in rows(out, "scalars")} == {(name, "bad")}
    assert [row["run"] for row in rows(out, "runs")] == [name]
    assert sorted(path.name for path in out.iterdir()) == ["runs.parquet", "scalars", "tags"]
    assert "is not empty, and no lake" in compact(GOLDEN, out, tmp_path, status=2)
    assert (again.returncode, other.returncode) == (2, 2)
    assert "is not empty: choose a new directory" in again.stderr
    assert "--rank cannot be used with --parquet" in other.stderr


def test_export_says_why_its_status_is_1(tmp_path: Path) -> None:
    """It counts what is damaged, and writes what is not."""
    loss_run(tmp_path / "logs/good", range(3))
    path = loss_run(tmp_path / "logs/broken", range(3))
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)

    done = run("export", tmp_path / "logs", "--parquet", "--out", tmp_path / "out")

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == f"{tmp_path / 'out'}: 2 runs, 5 points, 1 damaged places in event files\n"
    steps = [(row["run"], row["step"]) for row in rows(tmp_path / "out", "scalars")]
    assert steps == [("broken", 0), ("broken", 1), ("good", 0), ("good", 1), ("good", 2)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a link of another user")
def test_export_names_what_could_not_be_read(tmp_path: Path) -> None:
    """With the reason; its status is 1 then too."""
    loss_run(tmp_path / "logs/a", range(3))
    loss_run(tmp_path / "elsewhere", range(3))
    link = tmp_path / "logs/linked"
    link.symlink_to(tmp_path / "elsewhere")
    os.lchown(link, 12345, 12345)

    done = run("export", tmp_path / "logs", "--parquet", "--out", tmp_path / "out")

    assert (done.returncode, done.stderr) == (1, "")
    first, second = done.stdout.splitlines()
    assert first == f"{tmp_path / 'out'}: 1 runs, 3 points"
    assert second.startswith(f"{link}: ")
    assert "--follow-links follows it" in second
