"""Notes and views in an object store: no change of several servers is lost, and failures are reported."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import obstore
import pytest
from support import http
from support.event_files import loss_run
from support.s3_server import BUCKET, S3Server, s3_server
from support.servers import start, stop
from support.store_proxy import store_proxy

from toposcope.server.data_files.json_files import Content, DamagedFileError
from toposcope.server.data_files.json_store import JsonStore
from toposcope.server.views.view import ViewContent
from toposcope.server.views.views_folder import ConflictError, NoViewError, ViewsFolder

LARGEST = 1 << 20


@pytest.fixture(scope="module")
def store() -> Iterator[S3Server]:
    """Return a server with an empty bucket, to which the environment of this process leads."""
    with s3_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.mark.usefixtures("store")
def test_changes_of_several_servers_are_all_kept() -> None:
    """Each adds to a file what the others may have replaced since it was read."""
    servers = [JsonStore(f"s3://{BUCKET}/counted", LARGEST) for _ in range(3)]

    def count(number: int) -> None:
        def add(content: Content | None) -> Content:
            old = content or {}
            return old | {"sum": old.get("sum", 0) + 1, f"server-{number}": True}

        for _ in range(5):
            servers[number].update("a.json", add)

    with ThreadPoolExecutor() as pool:
        list(pool.map(count, range(3)))
    assert servers[0].read("a.json") == {"sum": 15, "server-0": True, "server-1": True, "server-2": True}


@pytest.mark.parametrize("header", ["If-None-Match", "If-Match"])
def test_a_store_that_ignores_a_condition_is_refused(
    store: S3Server, header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several servers would lose each other's changes there."""
    with store_proxy(store.url) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        proxy.ignored_header = header.lower()
        files = JsonStore(f"s3://{BUCKET}/refused", LARGEST)
        with pytest.raises(OSError, match=f"ignores {header}"):
            files.update("a.json", lambda _: {"n": 1})
        assert list(obstore.list(store.client, "refused").collect()) == []


def test_deleted_and_damaged_files(store: S3Server) -> None:
    """A deleted file is missing until it is written again; the bytes of a damaged one are kept under another name."""
    files = JsonStore(f"s3://{BUCKET}/files", LARGEST)
    files.update("a.json", lambda _: {"n": 1})
    files.update("a.json", lambda _: None)
    with pytest.raises(FileNotFoundError):
        files.read("a.json")
    assert files.stamps() == {}
    files.update("a.json", lambda content: {"was": content})
    assert files.read("a.json") == {"was": None}
    store.put("files/b.json", b"{half")
    with pytest.raises(DamagedFileError, match="not JSON"):
        files.read("b.json")
    assert files.update_many([("b.json", lambda content: {"was": content})]) == {}
    assert files.read("b.json") == {"was": None}
    assert files.stamps().keys() == {"a.json", "b.json"}
    files.delete("a.json")
    files.delete("a.json")
    assert files.stamps().keys() == {"b.json"}


@pytest.mark.usefixtures("store")
def test_a_view_that_another_server_replaced_is_refused() -> None:
    """Both versions are known then; a deleted view can be stored again."""
    one, other = (ViewsFolder(JsonStore(f"s3://{BUCKET}/views", LARGEST)) for _ in range(2))
    content = ViewContent("scalars", "#1", None)
    first = one.replace("a", content, None)
    second = other.replace("a", content._replace(address="#2"), first.listed.version)
    with pytest.raises(ConflictError) as refused:
        one.replace("a", content, first.listed.version)
    assert refused.value.stored == second == one.find("a")
    one.delete("a", second.listed.version)
    with pytest.raises(NoViewError):
        other.delete("a", second.listed.version)
    assert other.replace("a", content, None) == one.find("a")


def test_servers_share_notes_in_a_store(store: S3Server, tmp_path: Path) -> None:
    """Notes of one server are those of the next one; a store that is gone loses nothing that was read."""
    loss_run(tmp_path / "run", range(3))
    arguments = (str(tmp_path), "--data-dir", f"s3://{BUCKET}/team")
    first, url = start(*arguments, **store.environment)
    changed = http.put(f"{url}api/runs/run/notes", json={"alias": "best"})
    assert changed.json()["notes"]["alias"] == "best"
    stop(first)
    with s3_server() as gone:
        other, url = start(*arguments, **store.environment)
        assert http.get(f"{url}api/notes").json()["runs"]["run"]["alias"] == "best"
        stop(other)
        failing, url = start(*arguments, **gone.environment)
        gone.process.kill()
        gone.process.wait()
        refused = httpx.put(f"{url}api/runs/run/notes", json={"alias": "lost"}, timeout=60)
        assert refused.status_code == 503, refused.text
        assert "cannot be stored" in refused.json()["detail"]
        stop(failing)
