"""Discovery of event files: links, names that are not valid text, and special files."""

import os
from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run
from support.servers import Serve

from toposcope.server.loading.finding.discovery import discover, find
from toposcope.server.places.local_disk import LocalDisk


def runs(logdir: Path) -> list[str]:
    """Return the names of the runs of a logdir."""
    return sorted({file.run for file in discover(str(logdir)).files})


def test_directory_reached_twice_is_one_run(tmp_path: Path) -> None:
    """Links to a run, to its parent and to each other add no runs, and cycles end."""
    loss_run(tmp_path / "a/b", range(3))
    (tmp_path / "c").symlink_to(tmp_path / "a/b")
    (tmp_path / "a/b/up").symlink_to(tmp_path)
    (tmp_path / "x").symlink_to(tmp_path / "y")
    (tmp_path / "y").symlink_to(tmp_path / "x")

    assert runs(tmp_path) == ["a/b"]


def test_run_with_a_link_to_it_keeps_its_name(tmp_path: Path) -> None:
    """A link such as "latest" does not rename the run that it points to, whichever name sorts first."""
    loss_run(tmp_path / "run_1", range(3))
    (tmp_path / "latest").symlink_to(tmp_path / "run_1")
    (tmp_path / "zzz").symlink_to(tmp_path / "run_1")

    assert runs(tmp_path) == ["run_1"]


def test_further_name_of_a_run_is_reported(tmp_path: Path) -> None:
    """A link such as `latest` is no second run; what became of it is among the problems of the logdir."""
    loss_run(tmp_path / "all" / "run3", range(3))
    (tmp_path / "latest").symlink_to(tmp_path / "all" / "run3")
    (tmp_path / "all" / "loop").symlink_to(tmp_path)

    found = discover(str(tmp_path))

    assert [file.run for file in found.files] == ["all/run3"]
    assert found.unfollowed == {
        str(tmp_path / "latest"): "leads to 'all/run3', which is listed under its own name",
        str(tmp_path / "all" / "loop"): "leads to '.', which is listed under its own name",
    }


def test_linked_run_is_found(tmp_path: Path) -> None:
    """A run outside the logdir has the name of the link."""
    loss_run(tmp_path / "elsewhere", range(3))
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/linked").symlink_to(tmp_path / "elsewhere")

    assert runs(tmp_path / "runs") == ["linked"]


def test_linked_file_is_reported_as_a_link(tmp_path: Path) -> None:
    """An event file that is a link is found, and the result states that there are links."""
    path = loss_run(tmp_path / "elsewhere", range(3))
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / path.name).symlink_to(path)

    discovery = discover(str(tmp_path / "runs"))

    assert [file.run for file in discovery.files] == ["."]
    assert discovery.has_links


def test_only_regular_files_are_found(tmp_path: Path) -> None:
    """A pipe, a directory or a dead link with the name of an event file is ignored; opening a pipe would block."""
    name = "events.out.tfevents.1.host"
    for folder in ("pipe", "dead", "folder"):
        (tmp_path / folder).mkdir()
    os.mkfifo(tmp_path / "pipe" / name)
    (tmp_path / "dead" / name).symlink_to(tmp_path / "nothing")
    (tmp_path / "folder" / name).mkdir()

    assert discover(str(tmp_path)).files == []
    assert find(str(tmp_path), str(tmp_path / "pipe" / name)) is None
    assert find(str(tmp_path), str(tmp_path / "nothing")) is None


def test_missing_logdir_has_no_files(tmp_path: Path) -> None:
    """A logdir that does not exist is not an error."""
    discovery = discover(str(tmp_path / "missing"))

    assert (discovery.files, discovery.unlisted) == ([], {})


@pytest.mark.parametrize(
    ("directory", "file"),
    [(b"run\xff", b"events.out.events.summary.1.0.host_MS"), (b"run", b"events.out.events.summary.1.0.h\xff_MS")],
    ids=["directory", "file"],
)
def test_name_that_is_not_utf8_does_not_hide_other_runs(
    tmp_path: Path, serve: Serve, directory: bytes, file: bytes
) -> None:
    """A run or a file whose name is not valid UTF-8 is listed under some name, with the others."""
    intact = loss_run(tmp_path / "intact", range(3))
    os.mkdir(os.fsencode(tmp_path) + b"/" + directory)
    with open(os.fsencode(tmp_path) + b"/" + directory + b"/" + file, "wb") as odd:
        odd.write(intact.read_bytes()[:-1] + b"garbage and more")
    client: httpx.Client = serve(tmp_path)

    listed = client.get("api/runs")

    assert listed.status_code == 200
    names = [run["run"] for run in listed.json()["runs"]]
    assert len(names) == 2
    assert "intact" in names
    (odd_name,) = set(names) - {"intact"}
    assert client.get("api/scalars", params={"tag": "loss", "run": odd_name}).status_code == 200
    assert client.get("api/tags").status_code == 200
    assert client.get("api/health").status_code == 200


def test_different_names_are_different_runs(tmp_path: Path, serve: Serve) -> None:
    r"""A byte that is not valid UTF-8 and the text of its escape do not merge, whatever else is in the name."""
    intact = loss_run(tmp_path / "intact", range(3))
    for name in (b"x\xff", rb"x\xff", rb"x\\xff", b"\\x\xff", rb"a\b"):
        os.mkdir(os.fsencode(tmp_path) + b"/" + name)
        with open(os.fsencode(tmp_path) + b"/" + name + b"/" + os.fsencode(intact.name), "wb") as copy:
            copy.write(intact.read_bytes())
    names = [run["run"] for run in serve(tmp_path).get("api/runs").json()["runs"]]

    assert len(set(names)) == 6
    assert {r"x\xff", r"a\b", "intact"} <= set(names)


def test_rank_of_any_size_is_listed(tmp_path: Path, serve: Serve) -> None:
    """A number in a file name that does not fit a machine word does not hide the other runs."""
    loss_run(tmp_path / "intact", range(3))
    loss_run(tmp_path / "odd", range(3), rank=10**30)
    client: httpx.Client = serve(tmp_path)

    listed = client.get("api/runs")

    assert listed.status_code == 200
    assert len(listed.json()["runs"]) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make links of other users")
def test_link_of_another_user_out_of_the_logdir_is_not_followed(tmp_path: Path) -> None:
    """Such a link is listed with the reason; one that stays inside, or is of the server's user, is followed."""
    logdir = tmp_path / "runs"
    path = loss_run(tmp_path / "elsewhere", range(3))
    loss_run(logdir / "inside", range(3))
    for name, target in (("directory", path.parent), ("own", path.parent), ("chain", logdir / "directory")):
        (logdir / name).symlink_to(target)
    (logdir / "files").mkdir()
    (logdir / "files" / path.name).symlink_to(path)
    (logdir / "files/events.out.tfevents.1.host").symlink_to(next((logdir / "inside").iterdir()))
    for link in (logdir / "directory", logdir / "files" / path.name, logdir / "files/events.out.tfevents.1.host"):
        os.lchown(link, 12345, 12345)
    place = LocalDisk(str(logdir))

    found = discover(str(logdir), place=place)

    assert sorted(file.run for file in found.files) == ["files", "inside", "own"]
    assert sorted(found.unfollowed) == [
        str(logdir / "chain"),
        str(logdir / "directory"),
        str(logdir / "files" / path.name),
    ]
    assert all("of user 12345 that leads out of the logdir" in reason for reason in found.unfollowed.values())
    with pytest.raises(PermissionError, match="--follow-links follows it"):
        place.open(str(logdir / "files" / path.name))
    everything = discover(str(logdir), place=LocalDisk(str(logdir), follow_links=True))
    assert len(everything.files) == 4
    assert set(everything.unfollowed.values()) == {"leads to 'chain', which is listed under its own name"}


def test_pipe_in_the_place_of_an_event_file_does_not_block(tmp_path: Path) -> None:
    """A file that is replaced by a pipe after it was listed cannot be opened, and opening returns at once."""
    path = tmp_path / "events.out.tfevents.1.host"
    os.mkfifo(path)

    with pytest.raises(OSError, match="not a regular file"):
        LocalDisk(str(tmp_path)).open(str(path))
