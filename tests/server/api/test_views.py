"""The API routes of saved views and short links, on real servers."""

import errno
import json
import multiprocessing
import os
import resource
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import HTTPException
from support import http
from support.event_files import loss_run
from support.servers import Serve, start, stop, wait_until

from toposcope.server.api.saved.links import LinkReply
from toposcope.server.api.saved.view_bodies import LinkContent, storing
from toposcope.server.api.saved.views import AllViews, Conflict, SavedView
from toposcope.server.data_files.data_folder import hashed

WORKSPACE = {"version": 1, "sections": [{"name": "loss <b>", "panels": [{"kind": "lines", "w": 0.5}]}]}


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir of one run, in a directory with space for data."""
    loss_run(tmp_path / "logdir/a", range(3))
    return tmp_path / "logdir"


@pytest.fixture
def pair(logdir: Path, tmp_path: Path, serve: Serve) -> tuple[httpx.Client, httpx.Client]:
    """Serve one logdir twice with the same data folder."""
    arguments = logdir, "--data-dir", str(tmp_path / "data")
    return serve(*arguments), serve(*arguments)


def body(address: str = "#scalars", base: str | None = None, **fields: object) -> dict[str, Any]:
    """Return a view to save."""
    return {"page": "scalars", "address": address, "workspace": None, "base": base, **fields}


def save(client: httpx.Client, name: str, **fields: Any) -> dict[str, Any]:
    """Save a view; return it as it is stored."""
    reply = client.put(f"api/views/{name}", json=body(**fields)).raise_for_status().json()
    SavedView.model_validate(reply, extra="forbid")
    return reply


def views(client: httpx.Client) -> dict[str, Any]:
    """List the views."""
    reply = client.get("api/views").raise_for_status().json()
    AllViews.model_validate(reply, extra="forbid")
    return reply


def test_views_are_saved_listed_and_deleted(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """Each change has another version; deleting the default view leaves none."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    assert views(client) == {"views": [], "default": None, "read_only": False, "problems": []}
    assert client.put("api/default-view", json={"name": None}).status_code == 200
    assert not (tmp_path / "data/views").exists()

    first = save(client, "best runs", workspace=WORKSPACE)
    second = save(client, "best runs", address="#other", base=first["version"])
    save(client, "another")

    assert (first["workspace"], second["workspace"], second["address"]) == (WORKSPACE, None, "#other")
    assert first["version"] != second["version"]
    assert client.get("api/views/best runs").json() == second
    listed = views(client)["views"]
    assert [view["name"] for view in listed] == ["another", "best runs"]
    assert listed[1] == {name: second[name] for name in ("name", "page", "version", "changed")}
    client.put("api/default-view", json={"name": "best runs"}).raise_for_status()
    assert views(client)["default"] == "best runs"
    assert client.delete("api/views/best runs", params={"base": second["version"]}).status_code == 204
    assert client.get("api/views/best runs").status_code == 404
    save(client, "best runs")
    assert views(client)["default"] is None


def test_stale_change_is_refused_with_both_versions(pair: tuple[httpx.Client, httpx.Client]) -> None:
    """Through two servers: replaced, created, or deleted meanwhile."""
    one, other = pair
    first = save(one, "v")
    second = save(other, "v", address="#theirs", base=first["version"])

    for base in (first["version"], None):
        sent = body("#mine", base)
        reply = one.put("api/views/v", json=sent)
        Conflict.model_validate(reply.json(), extra="forbid")
        assert (reply.status_code, reply.json()["current"], reply.json()["yours"]) == (409, second, sent)
    refused = one.delete("api/views/v", params={"base": first["version"]})
    assert (refused.status_code, refused.json()["current"]) == (409, second)
    other.delete("api/views/v", params={"base": second["version"]}).raise_for_status()
    gone = one.put("api/views/v", json=body("#mine", second["version"]))
    assert (gone.status_code, gone.json()["current"]) == (409, None)


def _append(url: str, writer: int, failures: "multiprocessing.Queue[str]") -> None:
    """Append words to one view, each based on the version that was read before."""
    with httpx.Client(base_url=url, timeout=30) as client:
        for number in range(10):
            while True:
                stored = client.get("api/views/v").json()
                address = f"{stored['address']} {writer}.{number}"
                reply = client.put("api/views/v", json=body(address, stored["version"]))
                if reply.status_code == 200:
                    break
                if reply.status_code != 409 or f" {writer}.{number}" not in reply.json()["yours"]["address"]:
                    failures.put(reply.text)
                    return


def test_writers_at_once_lose_no_word(pair: tuple[httpx.Client, httpx.Client]) -> None:
    """Two processes write through two servers: every accepted change is in the last version, in order."""
    save(pair[0], "v", address="#")
    failures: multiprocessing.Queue[str] = multiprocessing.get_context("spawn").Queue()
    writers = [
        multiprocessing.get_context("spawn").Process(target=_append, args=(str(client.base_url), number, failures))
        for number, client in enumerate(pair)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert failures.empty()
    _, *words = pair[0].get("api/views/v").json()["address"].split()
    assert [[word for word in words if word.startswith(str(writer))] for writer in (0, 1)] == [
        [f"{writer}.{number}" for number in range(10)] for writer in (0, 1)
    ]
    assert len(words) == 20


def test_changes_are_announced_by_every_worker(
    logdir: Path, tmp_path: Path, serve: Serve, serve_process: Serve
) -> None:
    """And by other servers of the data folder."""
    data = "--data-dir", str(tmp_path / "data")
    one, other = serve_process(logdir, *data, "--workers", "2"), serve(logdir, *data)
    save(one, "first")
    wait_until(lambda: len(views(other)["views"]) == 1)
    for client in (one, other):
        with client.stream("GET", "api/updates") as stream:
            updates = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
            assert "views" not in next(updates)
            http.put(one.base_url.join(f"api/views/{client.base_url.port}"), json=body()).raise_for_status()
            update = next(event for event in updates if "views" in event)
        assert (update["views"], update["added"], update["changed"], update["removed"]) == (True, [], [], [])
    for _ in range(8):
        assert len(http.get(one.base_url.join("api/views")).json()["views"]) == 3


def test_full_disk_loses_nothing(logdir: Path, tmp_path: Path) -> None:
    """A change is refused with the folder's name, what was stored stays, and later changes succeed."""
    process, url = start(logdir, "--data-dir", str(tmp_path / "data"))
    with http.client(base_url=url) as client:
        wait_until(lambda: not client.get("api/health").json()["loading"])
        stored = save(client, "v", workspace=WORKSPACE)
        link = client.post("api/links", json={"address": "#a"}).json()["id"]
        limits = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, limits[1]))

        for method, path, sent in (
            ("PUT", "api/views/v", body("#" + "x" * 9000, stored["version"])),
            ("PUT", "api/views/new", body("#" + "x" * 9000)),
            ("POST", "api/links", {"address": "#" + "x" * 9000}),
        ):
            reply = client.request(method, path, json=sent)
            assert (reply.status_code, str(tmp_path / "data") in reply.json()["detail"]) == (503, True), reply.text

        assert client.get("api/views/v").json() == stored
        assert client.get(f"api/links/{link}").json()["address"] == "#a"
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limits)
        save(client, "v", address="#" + "x" * 9000, base=stored["version"])
        assert views(client)["problems"] == []
    stop(process)


@pytest.mark.parametrize(("number", "remedy"), [(errno.ENOSPC, "free some space"), (errno.EACCES, "make that place")])
def test_the_remedy_is_that_of_the_reason(number: int, remedy: str) -> None:
    """A full disk needs space, and another place permissions."""
    with (
        pytest.raises(HTTPException, match=f"the view cannot be stored in '/data': .*; {remedy}"),
        storing("the view", "/data"),
    ):
        raise OSError(number, os.strerror(number))


def test_unwritable_folder_is_reported(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """A file in the way: lists are empty with the problem, changes are refused with a remedy."""
    (tmp_path / "data").write_text("a file in the way")
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))

    replies = client.put("api/views/v", json=body()), client.post("api/links", json={"address": "#"})

    for reply in replies:
        assert (reply.status_code, "--data-dir" in reply.json()["detail"]) == (503, True)
    assert "Not a directory" in views(client)["problems"][0]


def test_damaged_files_block_no_other(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """They are reported, and kept under another name by a change."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    for name in ("a", "b", "c", "d"):
        save(client, name)
    client.put("api/default-view", json={"name": "c"}).raise_for_status()
    (folder,) = (tmp_path / "data/views").iterdir()
    path = {name: folder / f"{hashed(name)}.json" for name in "abcd"}
    path["a"].write_bytes(b"{half")
    path["b"].write_text(json.dumps({"name": "b"}))
    path["d"].write_bytes(path["c"].read_bytes())

    listed = views(client)

    assert ([view["name"] for view in listed["views"]], listed["default"]) == (["c"], "c")
    assert [word in " ".join(listed["problems"]) for word in ("not JSON", "contain a view", "another name")] == [
        True
    ] * 3
    assert client.get("api/views/a").status_code == 404
    save(client, "a", address="#new")
    assert path["a"].with_suffix(".damaged").read_bytes() == b"{half"
    assert len(views(client)["problems"]) == 2
    (folder / "default.json").write_bytes(b"[")
    assert (views(client)["default"], len(views(client)["problems"])) == (None, 3)


def test_read_only_server_stores_nothing(logdir: Path, serve: Serve) -> None:
    """Lists are empty, changes are refused."""
    client = serve(logdir, "--read-only")

    assert views(client) == {"views": [], "default": None, "read_only": True, "problems": []}
    assert client.get("api/views/v").status_code == 404
    assert client.get("api/links/aaaaaaaaaa").status_code == 404
    for method, path, sent in (
        ("PUT", "api/views/v", body()),
        ("DELETE", "api/views/v?base=x", None),
        ("PUT", "api/default-view", {"name": None}),
        ("POST", "api/links", {"address": "#"}),
    ):
        reply = client.request(method, path, json=sent)
        assert (reply.status_code, "--read-only" in reply.json()["detail"]) == (403, True)


def test_links_are_short_and_stay(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """Equal views have equal links, also after a restart."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    contents = [{"address": "#a", "workspace": None}, {"address": "#a", "workspace": WORKSPACE}]

    links = [LinkReply.model_validate(client.post("api/links", json=each).json()).id for each in [*contents, *contents]]

    assert (links[:2], len(set(links)), {len(link) for link in links}) == (links[2:], 2, {10})
    restarted = serve(logdir, "--data-dir", str(tmp_path / "data"))
    replies = [restarted.get(f"api/links/{link}").json() for link in links[:2]]
    assert replies == contents
    LinkContent.model_validate(replies[1])
    assert restarted.get("api/links/aaaaaaaaaa").status_code == 404


HOSTILE = ["../../etc/passwd", "<script>alert(1)</script>", "a/b/c", "ü😀", "%2e%2e", "con.json", "default", "x" * 200]


def test_hostile_names_are_unchanged(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """None becomes a path."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))

    for name in HOSTILE:
        quoted = "".join(f"%{byte:02X}" for byte in name.encode())
        assert client.put(f"api/views/{quoted}", json=body(name)).json()["name"] == name
        assert client.get(f"api/views/{quoted}").json()["address"] == name

    assert {view["name"] for view in views(client)["views"]} == set(HOSTILE)
    assert {path.name for path in (tmp_path / "data").iterdir()} == {"views"}


def nested(depth: int) -> dict[str, Any]:
    """Return a workspace of so many levels."""
    value: dict[str, Any] = {}
    for _ in range(depth - 1):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("path", "sent", "status", "error"),
    [
        ("api/views/a%09b", body(), 422, "one line of text"),
        ("api/views/%20", body(), 422, "not blank"),
        ("api/views/" + "x" * 201, body(), 422, "200"),
        ("api/views/v", body(page=""), 422, "page"),
        ("api/views/v", body(workspace=[]), 422, "workspace=[]"),
        ("api/views/v", body(workspace=nested(33)), 422, "32 levels"),
        ("api/views/v", body(workspace={"a": "x" * (1 << 20)}), 422, "1048576 bytes"),
        ("api/views/v", body(workspace={"a": 2**70}), 422, "64-bit"),
        ("api/views/v", body("x" * ((1 << 20) + 1)), 422, "address"),
        ("api/views/v", body(typo=1), 422, "typo"),
        ("api/views/v", {"page": "a", "address": ""}, 422, "base"),
        ("api/views/v", body("x" * (3 << 20)), 413, None),
        ("api/default-view", {"name": "nobody"}, 404, "no view 'nobody'"),
        ("api/default-view", {}, 422, "name"),
    ],
)
def test_invalid_changes_are_errors(
    logdir: Path, tmp_path: Path, serve: Serve, path: str, sent: object, status: int, error: str | None
) -> None:
    """The error is one sentence with what was expected, and nothing is stored."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))

    reply = client.put(path, json=sent)

    assert reply.status_code == status, reply.text
    assert error is None or error in reply.json()["detail"]
    assert views(client)["views"] == []


def test_malformed_bodies_are_errors(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """Deep JSON, NaN, lone surrogates."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    text = json.dumps(body(workspace={"a": 0}))
    for value, status in (("[" * 100_000, 400), ("[" * 100_000 + "]" * 100_000, 400), ("NaN", 422), ('"\\ud83d"', 422)):
        sent = text.replace('{"a": 0}', f'{{"a": {value}}}')
        reply = client.put("api/views/v", content=sent, headers={"Content-Type": "application/json"})
        assert reply.status_code == status, reply.text
    assert views(client)["views"] == []


def test_concurrent_creations_of_one_name(pair: tuple[httpx.Client, httpx.Client]) -> None:
    """Exactly one of those that create a view is accepted."""
    barrier, statuses = threading.Barrier(8), []

    def create(url: httpx.URL, number: int) -> None:
        barrier.wait()
        statuses.append(httpx.put(url.join("api/views/v"), json=body(str(number)), timeout=30).status_code)

    threads = [threading.Thread(target=create, args=(pair[number % 2].base_url, number)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [200, *[409] * 7]
