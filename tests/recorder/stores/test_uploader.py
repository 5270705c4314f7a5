"""The uploader of a spool: pieces, complete files, other files, and stores that fail."""

import contextlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import obstore
import psutil
import pytest
from support.s3_server import BUCKET, S3Server, s3_server
from support.servers import wait_until
from support.store_proxy import StoreProxy, store_proxy

from toposcope.proto.piece_name import parse_piece_name, piece_name
from toposcope.recorder.stores.spool import OWNER, SEALED
from toposcope.recorder.stores.sync import main
from toposcope.recorder.stores.uploader import Uploader, part_bytes
from toposcope.server.places.stores.object_store import ObjectStore

NAME = "events.out.events.summary.1.0.host-ab_MS"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[S3Server, StoreProxy]]:
    """Return a server with an empty bucket, and a proxy that leads to it."""
    with s3_server() as running, store_proxy(running.url) as proxy:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        yield running, proxy


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return the folder of a run in a spool."""
    (tmp_path / OWNER).write_text(json.dumps({"host": "another", "pid": 1, "started": 0.0}))
    folder = tmp_path / "s3" / BUCKET / "run"
    folder.mkdir(parents=True)
    return folder


def shown() -> bytes:
    """Return the content of the event file as the server reads it."""
    place = ObjectStore(f"s3://{BUCKET}/run")
    (entry,) = place.list(f"s3://{BUCKET}/run").entries
    assert entry.name == NAME
    opened = place.open(entry.path)
    return opened.read(0, opened.status.size)


def keys(store: S3Server) -> set[str]:
    """Return the keys of all objects."""
    return {found["path"] for page in obstore.list(store.client) for found in page}


def test_each_byte_is_sent_twice_at_most(store: tuple[S3Server, StoreProxy], run: Path, tmp_path: Path) -> None:
    """In a piece, and with the whole file, which replaces the pieces; readers see every byte once at any time."""
    server, proxy = store
    uploader, path = Uploader(tmp_path, piece_seconds=0), run / NAME
    content = bytes(range(256)) * 40
    for start in range(0, len(content), 2048):
        with path.open("ab") as file:
            file.write(content[start : start + 2048])
        assert not uploader.upload(is_ended=False)
        assert shown() == content[: start + 2048]
    assert len(keys(server)) == 5
    assert all(parse_piece_name(key) for key in keys(server))
    Path(f"{path}{SEALED}").touch()
    assert not uploader.upload(is_ended=False)
    assert keys(server) == {f"run/{NAME}"}
    assert shown() == content
    assert not any(run.iterdir())
    assert sum(request.sent for request in proxy.requests if request.method == "PUT") <= 2.1 * len(content)


def test_pieces_have_an_interval(store: tuple[S3Server, StoreProxy], run: Path, tmp_path: Path) -> None:
    """Nothing is sent before it is over, nor if nothing was recorded."""
    _, proxy = store
    uploader, path = Uploader(tmp_path, piece_seconds=3600), run / NAME
    for _ in range(3):
        with path.open("ab") as file:
            file.write(b"more")
        uploader.upload(is_ended=False)
    assert [request.method for request in proxy.requests] == ["PUT"]


def test_files_of_a_directory_take_turns(store: tuple[S3Server, StoreProxy], run: Path, tmp_path: Path) -> None:
    """The lineage of a run is uploaded although its scalars grow all the time."""
    server, _ = store
    uploader, lineage = Uploader(tmp_path, piece_seconds=0.1), NAME.replace("_MS", "_lineage")
    (run / lineage).write_bytes(b"lineage")

    def has_both() -> bool:
        with (run / NAME).open("ab") as file:
            file.write(b"more")
        uploader.upload(is_ended=False)
        return {f"run/{piece_name(name, 0)}" for name in (NAME, lineage)} <= keys(server)

    wait_until(has_both)


def test_a_missing_bucket_loses_nothing(store: tuple[S3Server, StoreProxy], tmp_path: Path, run: Path) -> None:
    """The store reports it as it reports a missing object."""
    path = run.parent.parent / "no-bucket" / NAME
    path.parent.mkdir()
    path.write_bytes(b"content")
    uploader = Uploader(tmp_path)
    assert not uploader.upload(is_ended=True)
    assert "not found" in uploader.failure
    assert path.read_bytes() == b"content"


def test_a_bucket_that_fails_does_not_stop_another_one(
    store: tuple[S3Server, StoreProxy], tmp_path: Path, run: Path
) -> None:
    """Nor does a file that cannot be read stop those beside it, while it is recorded and at the end."""
    server, _ = store
    missing = run.parent.parent / "a-missing-bucket" / NAME
    missing.parent.mkdir()
    missing.write_bytes(b"content")
    unreadable = run / "checkpoint.pt"
    unreadable.symlink_to(unreadable)
    uploader = Uploader(tmp_path, piece_seconds=0)
    (run / NAME).write_bytes(b"first")
    uploader.upload(is_ended=False)
    wait_until(lambda: uploader.upload(is_ended=False) or keys(server))
    assert shown() == b"first"
    assert not uploader.upload(is_ended=True)
    assert keys(server) == {f"run/{NAME}"}
    assert uploader.failure
    missing.unlink()
    unreadable.unlink()
    assert uploader.upload(is_ended=True)
    assert not uploader.failure


def test_a_store_that_is_gone_is_asked_less_and_less(
    store: tuple[S3Server, StoreProxy], tmp_path: Path, run: Path
) -> None:
    """However many files wait."""
    _, proxy = store
    proxy.fail_every = 1
    for number in range(20):
        (run / f"{number}.npy").write_bytes(b"content")
        make_old(run / f"{number}.npy")
    uploader = Uploader(tmp_path)
    uploader.upload(is_ended=False)
    tried = len(proxy.requests)
    for _ in range(20):
        uploader.upload(is_ended=False)
    assert len(proxy.requests) == tried <= 3


def test_a_file_that_disappears_while_it_fails_loses_no_other(
    store: tuple[S3Server, StoreProxy], tmp_path: Path, run: Path
) -> None:
    """A process of a killed training may still delete its checkpoints; what was not tried after them is kept."""
    server, proxy = store
    proxy.fail_every = 1
    for name in ("a.npy", "b.npy"):
        (run / name).write_bytes(b"content")
    uploader = Uploader(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        is_done = pool.submit(uploader.upload, is_ended=True)
        wait_until(lambda: len(proxy.requests) > 0)
        (run / "a.npy").unlink()
        assert not is_done.result()
    assert (run / "b.npy").exists()
    proxy.fail_every = 0
    assert uploader.upload(is_ended=True)
    assert keys(server) == {"run/b.npy"}


def test_a_file_has_as_many_parts_as_s3_accepts() -> None:
    """10,000: checkpoints may have more than 50 GB."""
    assert part_bytes(100) == 5 << 20
    assert (200 << 30) / part_bytes(200 << 30) <= 10_000


def test_a_killed_recorder_has_ended_before_its_parent_asks(run: Path, tmp_path: Path) -> None:
    """A launcher may never wait for the process that it started."""
    del run
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        owner = {"host": platform.node(), "pid": process.pid, "started": psutil.Process(process.pid).create_time()}
        (tmp_path / OWNER).write_text(json.dumps(owner))
        assert Uploader(tmp_path).is_owned()
        process.kill()
        wait_until(lambda: not Uploader(tmp_path).is_owned())


def test_a_store_that_is_gone_loses_nothing(store: tuple[S3Server, StoreProxy], run: Path, tmp_path: Path) -> None:
    """What was recorded meanwhile is uploaded when it is back, even if it has forgotten the pieces."""
    _, proxy = store
    uploader, path = Uploader(tmp_path, piece_seconds=0), run / NAME
    path.write_bytes(b"first")
    uploader.upload(is_ended=False)
    with contextlib.ExitStack() as stack:
        proxy.fail_every = 1
        with path.open("ab") as file:
            file.write(b", second")
        assert not uploader.upload(is_ended=True)
        assert uploader.failure
        proxy.fail_every = 0
        other = stack.enter_context(s3_server())
        proxy.target = other.url
        assert uploader.upload(is_ended=True)
        assert shown() == b"first, second"
    assert not tmp_path.exists()


def test_other_files_are_mirrored(store: tuple[S3Server, StoreProxy], run: Path, tmp_path: Path) -> None:
    """A replaced checkpoint is replaced, a deleted one is deleted, and an exported tensor is moved to the store."""
    server, _ = store
    uploader = Uploader(tmp_path)
    for name in ("best.pt", "last.pt", "t_1.npy", ".part"):
        (run / name).write_bytes(name.encode())
        make_old(run / name)
    uploader.upload(is_ended=False)
    assert keys(server) == {"run/best.pt", "run/last.pt", "run/t_1.npy"}
    assert not (run / "t_1.npy").exists()
    (run / "best.pt").unlink()
    (run / "last.pt").write_bytes(b"replaced")
    make_old(run / "last.pt", 1)
    uploader.upload(is_ended=False)
    assert keys(server) == {"run/last.pt", "run/t_1.npy"}
    assert bytes(obstore.get(server.client, "run/last.pt").bytes()) == b"replaced"
    (run / "last.pt").write_bytes(b"still being written")
    uploader.upload(is_ended=False)
    assert bytes(obstore.get(server.client, "run/last.pt").bytes()) == b"replaced"


def test_a_spool_of_another_machine_is_left_when_it_does_not_change(run: Path, tmp_path: Path) -> None:
    """Heartbeats change the files of a recorder that still runs; its process cannot be seen from here."""
    (run / NAME).write_bytes(b"growing")
    make_old(tmp_path / OWNER)
    assert Uploader(tmp_path).is_owned()
    make_old(run / NAME)
    assert not Uploader(tmp_path).is_owned()


def make_old(path: Path, seconds: int = 0) -> None:
    """Make a file one that was modified long ago."""
    os.utime(path, (seconds, seconds))


def test_an_uploader_goes_on_where_another_one_has_ended(
    store: tuple[S3Server, StoreProxy], run: Path, tmp_path: Path
) -> None:
    """It sends no byte that is in a piece already."""
    _, proxy = store
    content = bytes(range(256)) * 40
    for size in (4096, len(content)):
        (run / NAME).write_bytes(content[:size])
        Uploader(tmp_path, piece_seconds=0).upload(is_ended=False)
        assert shown() == content[:size]
    assert sum(request.sent for request in proxy.requests if request.method == "PUT") <= 1.1 * len(content)


@pytest.mark.parametrize("owner", ["{}", "[]", "nothing", '{"host": 1, "pid": "x", "started": null}'])
def test_a_spool_with_an_unreadable_owner_is_uploaded(
    store: tuple[S3Server, StoreProxy], run: Path, tmp_path: Path, owner: str
) -> None:
    """Nobody records to it."""
    server, _ = store
    (tmp_path / OWNER).write_text(owner)
    (run / NAME).write_bytes(b"recorded")
    assert not Uploader(tmp_path).is_owned()
    assert main([str(tmp_path)]) == 0
    assert keys(server) == {f"run/{NAME}"}


def test_a_link_in_a_spool_is_not_followed(store: tuple[S3Server, StoreProxy], run: Path, tmp_path: Path) -> None:
    """Else it would upload any file that the user may read."""
    server, _ = store
    (run / "secret.bin").symlink_to("/etc/passwd")
    (run / NAME).write_bytes(b"recorded")
    Uploader(tmp_path).upload(is_ended=True)
    assert keys(server) == {f"run/{NAME}"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_a_spool_of_another_user_is_left_alone(
    store: tuple[S3Server, StoreProxy], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In a folder that users share, anybody could have anything uploaded with the rights of others."""
    server, _ = store
    for name in ("planted", "own"):
        folder = tmp_path / name / "s3" / BUCKET / name
        folder.mkdir(parents=True)
        (folder / NAME).write_bytes(b"recorded")
        (tmp_path / name / OWNER).write_text("{}")
    os.chown(tmp_path / "planted", 12345, 12345)
    assert main([str(tmp_path)]) == 1
    assert keys(server) == {f"own/{NAME}"}
    assert "belongs to another user" in caplog.text
