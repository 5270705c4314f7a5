"""The API routes of notes."""

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import http
from support.event_files import loss_run, scalar_event
from support.server_in_process import served
from support.servers import ENVIRONMENT, Serve, run, start, stop, wait_until

from toposcope.server.api.notes import AllNotes, ChangedNotes, NotesOfRun

NOTHING: dict[str, Any] = {"alias": None, "note": "", "labels": [], "colour": None, "hidden": False, "archived": False}


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir of two runs, in a directory with space for data."""
    loss_run(tmp_path / "logdir/a/b", range(3))
    loss_run(tmp_path / "logdir/c", range(3))
    return tmp_path / "logdir"


def put(client: httpx.Client, run: str, **changes: object) -> dict[str, Any]:
    """Change notes; return those of the run."""
    reply = client.put("api/notes", params={"run": run}, json=changes).raise_for_status().json()
    NotesOfRun.model_validate(reply, extra="forbid")
    assert reply["run"] == run
    return reply["notes"]


def notes(client: httpx.Client) -> dict[str, dict]:
    """Return all notes by run."""
    reply = client.get("api/notes").raise_for_status().json()
    AllNotes.model_validate(reply, extra="forbid")
    assert reply["problems"] == []
    return reply["runs"]


def test_change_replaces_only_its_fields(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """Absent fields are kept; all routes return the same notes."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    assert notes(client) == {}
    assert not (tmp_path / "data").exists()

    first = put(client, "a/b", alias="best", labels=["x", " y ", "", "x"], colour="#AABBCC", hidden=True)
    second = put(client, "a/b", note="# Title\n\n<b>bold</b>", hidden=False, alias=None)

    assert first == NOTHING | {"alias": "best", "labels": ["x", "y"], "colour": "#aabbcc", "hidden": True}
    assert second == NOTHING | {"labels": ["x", "y"], "colour": "#aabbcc", "note": "# Title\n\n<b>bold</b>"}
    assert notes(client) == {"a/b": second}
    assert client.get("api/runs/a/b/notes").json()["notes"] == second
    rows = {row["run"]: row["notes"] for row in client.get("api/overview").json()["runs"]}
    assert rows == {"a/b": second, "c": NOTHING}
    assert put(client, "a/b") == second
    assert put(client, "a/b", note="", labels=[], colour=None) == NOTHING
    assert notes(client) == {}


@pytest.mark.parametrize("prefix", ["", "/topo"])
def test_run_may_be_in_the_path(logdir: Path, tmp_path: Path, serve: Serve, prefix: str) -> None:
    """Slashes may be encoded or not, also below a prefix; the run "." requires the query parameter."""
    loss_run(logdir, range(3))
    arguments = ("--path-prefix", prefix) if prefix else ()
    client = serve(logdir, "--data-dir", str(tmp_path / "data"), *arguments)

    assert client.put("api/runs/a/b/notes", json={"alias": "1"}).json()["run"] == "a/b"
    assert client.put("api/runs/a%2Fb/notes", json={"note": "2"}).json()["run"] == "a/b"
    assert client.put("api/notes", params={"run": "."}, json={"note": "3"}).json()["run"] == "."
    assert {name: (each["alias"], each["note"]) for name, each in notes(client).items()} == {
        "a/b": ("1", "2"),
        ".": (None, "3"),
    }


def test_notes_persist_without_the_server_and_the_run(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """They are kept after a restart, for any path of the logdir, and while the run is missing."""
    data = tmp_path / "data"
    process, url = start(logdir, "--data-dir", str(data))
    with http.client(base_url=url) as client:
        wait_until(lambda: not client.get("api/health").json()["loading"])
        put(client, "a/b", alias="kept")
    process.send_signal(signal.SIGKILL)
    process.ended()
    before = {path: path.stat().st_mtime_ns for path in logdir.rglob("*")}
    (tmp_path / "link").symlink_to(logdir)
    client = serve(tmp_path / "link", "--data-dir", str(data), "--reload-interval", "0.1")

    assert notes(client)["a/b"]["alias"] == "kept"
    assert {path: path.stat().st_mtime_ns for path in logdir.rglob("*")} == before

    next((logdir / "a/b").iterdir()).unlink()
    wait_until(lambda: len(client.get("api/runs").json()["runs"]) == 1)
    assert put(client, "a/b", note="gone")["alias"] == "kept"
    assert client.get("api/runs/a/b/notes").json()["notes"]["note"] == "gone"
    loss_run(logdir / "a/b", range(5))
    wait_until(lambda: len(client.get("api/overview").json()["runs"]) == 2)
    assert client.get("api/overview", params={"run": "a/b"}).json()["runs"][0]["notes"]["alias"] == "kept"


def test_data_folder_states_its_logdir(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """In plain text; each logdir has a separate folder."""
    data = tmp_path / "data"
    loss_run(tmp_path / "other/c", range(3))
    one, other = serve(logdir, "--data-dir", str(data)), serve(tmp_path / "other", "--data-dir", str(data))

    put(one, "c", alias="one")
    put(other, "c", alias="other")

    assert [notes(client)["c"]["alias"] for client in (one, other)] == ["one", "other"]
    logdirs = {path.read_text() for path in data.glob("notes/*/logdir.txt")}
    assert logdirs == {f"{logdir}\n", f"{tmp_path / 'other'}\n"}


@pytest.fixture
def pair(logdir: Path, tmp_path: Path, serve: Serve) -> tuple[httpx.Client, httpx.Client]:
    """Serve one logdir twice with the same data folder."""
    arguments = logdir, "--data-dir", str(tmp_path / "data")
    return serve(*arguments), serve(*arguments)


def test_servers_see_changes_of_each_other(pair: tuple[httpx.Client, httpx.Client]) -> None:
    """Requests and event streams report them immediately; the overview is not 304."""
    one, other = pair
    put(one, "c", alias="from one")
    assert notes(other)["c"]["alias"] == "from one"
    assert put(other, "c", labels=["x"])["alias"] == "from one"
    assert notes(one)["c"]["labels"] == ["x"]

    with other.stream("GET", "api/updates") as stream:
        updates = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        next(updates)
        revision = http.get(other.base_url.join("api/overview")).json()["revision"]
        put(one, "a/b", hidden=True)
        update = next(event for event in updates if event["changed"])
        row = http.get(other.base_url.join("api/overview"), params={"run": "a/b", "since": revision})

    assert (update["changed"], update["added"], update["removed"]) == (["a/b"], [], [])
    assert row.json()["runs"][0]["notes"]["hidden"] is True


def test_change_is_published_to_all_pages(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """Nothing is published if nothing changed."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    with client.stream("GET", "api/updates") as stream:
        updates = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        next(updates)
        for changes in ({"alias": "x"}, {"alias": "x"}, {"note": "y"}):
            http.put(client.base_url.join("api/runs/c/notes"), json=changes).raise_for_status()
        published = [next(updates)["changed"] for _ in range(2)]
        with (logdir / "a/b").joinpath("events.out.events.summary.1.0.host_MS").open("ab") as grows:
            grows.write(scalar_event(9.0, 9, {"loss": 0.0}))
        published.append(next(updates)["changed"])

    assert published == [["c"], ["c"], ["a/b"]]


def test_concurrent_changes_are_all_kept(pair: tuple[httpx.Client, httpx.Client]) -> None:
    """Different fields and runs are changed through two servers concurrently."""
    fields = {"alias": "A", "note": "N", "labels": ["T"], "colour": "#123456", "hidden": True, "archived": True}
    barrier, failures = threading.Barrier(2 * len(fields)), []

    def change(url: httpx.URL, run: str, name: str, value: object) -> None:
        with httpx.Client(timeout=30) as client:
            barrier.wait()
            for _ in range(5):
                reply = client.put(url.join("api/notes"), params={"run": run}, json={name: value})
                if reply.status_code != 200:
                    failures.append(reply.text)

    threads = [
        threading.Thread(target=change, args=(pair[number % 2].base_url, run, name, value))
        for run in ("a/b", "c")
        for number, (name, value) in enumerate(fields.items())
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert [notes(client) for client in pair] == [{"a/b": fields, "c": fields}] * 2


def test_hostile_names_and_texts_are_unchanged(tmp_path: Path, serve: Serve) -> None:
    """None becomes a path, and all are stored exactly."""
    run = 'a <run>&"ü/b%2Fc'
    loss_run(tmp_path / "logdir" / run, range(3))
    client = serve(tmp_path / "logdir", "--data-dir", str(tmp_path / "data"))
    text = "<img src=x onerror=alert(1)>\0\r\n\u2028 [x](javascript:alert(1)) ü😀" + "`" * 1000

    put(client, run, note=text, alias="<script>alert(1)</script>", labels=["../../etc", "ü😀"])

    restarted = serve(tmp_path / "logdir", "--data-dir", str(tmp_path / "data"))
    assert notes(restarted)[run] == NOTHING | {
        "note": text,
        "alias": "<script>alert(1)</script>",
        "labels": ["../../etc", "ü😀"],
    }
    assert {path.name for path in (tmp_path / "data").iterdir()} == {"notes"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve a small run to the tests of errors."""
    folder = tmp_path_factory.mktemp("refused")
    loss_run(folder / "logdir/a", range(3))
    with served(folder / "logdir", "--data-dir", str(folder / "data")) as client:
        yield client
        assert notes(client) == {}


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"colour": "red"}, 422, "colour='red'"),
        ({"colour": "#12345"}, 422, "colour="),
        ({"colour": "#123456\n"}, 422, "colour="),
        ({"alias": 5}, 422, "alias=5"),
        ({"alias": "a\nb"}, 422, "one line of text"),
        ({"alias": "a\u2028b"}, 422, "one line of text"),
        ({"alias": "x" * 201}, 422, "200"),
        ({"note": None}, 422, "note=None"),
        ({"note": "ü" * 32769}, 422, "65536 bytes"),
        ({"note": "x" * 70000}, 422, "65536"),
        ({"labels": "x"}, 422, "labels='x'"),
        ({"labels": ["a\0"]}, 422, "control characters"),
        ({"labels": ["x" * 101]}, 422, "100"),
        ({"labels": [str(i) for i in range(101)]}, 422, "100"),
        ({"hidden": "yes"}, 422, "hidden='yes'"),
        ({"archived": None}, 422, "archived=None"),
        ({"typo": 1}, 422, "typo"),
        ([], 422, "request=[]"),
    ],
)
def test_invalid_changes_are_errors(client: httpx.Client, body: object, status: int, error: str) -> None:
    """The error is one sentence with the value, and nothing is changed."""
    reply = client.put("api/runs/a/notes", json=body)

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


def test_invalid_requests_are_errors(client: httpx.Client) -> None:
    """Unknown runs, lone surrogates, malformed and large bodies, and other methods."""
    headers = {"Content-Type": "application/json"}
    for path in ("api/runs/nobody/notes", "api/notes?run=nobody"):
        reply = client.put(path, json={"alias": "x"})
        assert (reply.status_code, reply.json()["detail"]) == (404, "no run 'nobody'")
    assert client.get("api/runs/nobody/notes").status_code == 404
    half = client.put("api/runs/a/notes", content=b'{"alias": "\\ud83d"}', headers=headers)
    assert (half.status_code, "unicode" in half.json()["detail"]) == (422, True)
    assert client.put("api/runs/a/notes", content=b"\xff", headers=headers).status_code == 400
    assert client.put("api/runs/a/notes", content=b" " * (2 << 20), headers=headers).status_code == 413
    assert client.put("api/notes", json={"alias": "x"}).status_code == 422
    assert client.delete("api/notes").status_code == 405


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Content-Type": "text/plain"}, 422),
    ],
)
def test_pages_of_other_origins_change_nothing(client: httpx.Client, headers: dict[str, str], status: int) -> None:
    """Neither with preflighted requests nor with simple ones."""
    body = b'{"alias": "stolen"}'
    headers = {"Content-Type": "application/json"} | headers

    assert client.put("api/runs/a/notes", content=body, headers=headers).status_code == status
    preflight = {"Origin": "http://evil.example", "Access-Control-Request-Method": "PUT"}
    assert client.options("api/runs/a/notes", headers=preflight).status_code == 403


def test_page_of_this_origin_and_token_may_change(logdir: Path, tmp_path: Path) -> None:
    """If a token is required, a change without it is rejected."""
    token = "a-token-for-tests"
    process, url = start(logdir, "--data-dir", str(tmp_path / "data"), "--host", "127.0.0.1", "--token", token)
    target = httpx.URL(url).copy_with(query=None).join("api/runs/c/notes")
    allowed = {"Authorization": f"Bearer {token}", "Origin": f"http://{target.host}:{target.port}"}
    wait_until(lambda: http.get(target, headers=allowed).status_code == 200)

    assert http.put(target, json={"alias": "x"}).status_code == 401
    assert http.put(target, json={"alias": "x"}, headers=allowed).json()["notes"]["alias"] == "x"
    stop(process)


def test_unwritable_folder_is_reported(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """Reading still works; a change is rejected with the reason and a remedy."""
    (tmp_path / "data").write_text("a file in the way")
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))

    reply = client.put("api/runs/c/notes", json={"alias": "x"})

    assert reply.status_code == 503
    assert "Not a directory" in reply.json()["detail"]
    assert "--data-dir" in reply.json()["detail"]
    listed = client.get("api/notes").json()
    assert (listed["runs"], "cannot be read: Not a directory" in listed["problems"][0]) == ({}, True)
    assert len(client.get("api/overview").json()["runs"]) == 2


def test_data_folder_inside_the_logdir_is_an_error(logdir: Path) -> None:
    """The logdir is never written."""
    done = run("--logdir", logdir, "--data-dir", logdir / "c/data")

    assert (done.returncode, done.stdout) == (2, "")
    assert "--data-dir" in done.stderr
    assert "is inside the logdir, which is read-only" in done.stderr


def test_notes_are_in_the_data_folder_of_the_user(
    logdir: Path, tmp_path: Path, serve_process: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It follows the XDG base directory specification."""
    monkeypatch.setitem(ENVIRONMENT, "XDG_DATA_HOME", str(tmp_path / "share"))
    client = serve_process(logdir)

    put(client, "c", alias="x")

    assert len(list((tmp_path / "share/toposcope/notes").glob("*/*.json"))) == 1


def test_many_runs_are_changed_by_one_request(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """Labels are added to those a run has; runs that cannot be changed are named and the others are changed."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    put(client, "c", labels=["x", "old"], alias="C")
    put(client, "a/b", labels=[str(number) for number in range(100)])

    edits = [
        {"runs": ["a/b", "c", "gone"], "change": {"archived": True, "add_labels": ["y"], "remove_labels": ["old"]}}
    ]
    reply = client.post("api/notes", json={"changes": edits})

    ChangedNotes.model_validate(reply.json(), extra="forbid")
    assert (reply.status_code, reply.json()["changed"]) == (200, 1)
    assert {each["run"]: each["detail"] for each in reply.json()["problems"]} == {
        "gone": "there is no such run",
        "a/b": "the run would have 101 labels: expected at most 100",
    }
    assert notes(client)["c"] == NOTHING | {"alias": "C", "labels": ["x", "y"], "archived": True}
    assert notes(client)["a/b"]["archived"] is False
    client.post("api/notes", json={"changes": [{"runs": ["a/b", "c"], "change": {"labels": [], "archived": True}}]})
    assert [notes(client)[run]["labels"] for run in ("a/b", "c")] == [[], []]


def test_change_of_many_runs_is_published_once(logdir: Path, tmp_path: Path, serve: Serve) -> None:
    """Other pages learn of all runs together."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    with client.stream("GET", "api/updates") as stream:
        updates = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        next(updates)
        changes = [{"runs": ["a/b", "c"], "change": {"hidden": True}}]
        http.post(client.base_url.join("api/notes"), json={"changes": changes})
        assert next(updates)["changed"] == ["a/b", "c"]


@pytest.mark.parametrize(
    ("edits", "word"),
    [
        ([], "at least 1"),
        ([{"runs": [], "change": {}}], "at least 1"),
        ([{"runs": ["c"] * 6000, "change": {}}] * 2, "12000 runs: expected at most 10000"),
        ([{"runs": ["c"], "change": {"stars": 1}}], "stars"),
        ([{"runs": ["c"], "change": {"add_labels": "x"}}], "add_labels"),
    ],
)
def test_invalid_change_of_many_runs_is_explained(
    logdir: Path, tmp_path: Path, serve: Serve, edits: object, word: str
) -> None:
    """Nothing is changed."""
    client = serve(logdir, "--data-dir", str(tmp_path / "data"))
    reply = client.post("api/notes", json={"changes": edits})
    assert reply.status_code == 422
    assert word in reply.text
    assert notes(client) == {}


def test_notes_on_all_runs_together_are_bounded(serve: Serve, tmp_path: Path) -> None:
    """A note for many runs is refused for those for which there is no room."""
    runs = [f"run{number:03}" for number in range(300)]
    for name in runs:
        loss_run(tmp_path / "runs" / name, range(2))
    client = serve(tmp_path / "runs", "--data-dir", str(tmp_path / "data"))
    edit = {"changes": [{"runs": runs, "change": {"note": "x" * 65_000}}]}
    reply = client.post("/api/notes", json=edit).json()
    assert reply["changed"] == 16 * 2**20 // 65_000
    assert {problem["detail"] for problem in reply["problems"]} == {
        "the notes on all runs would have more than 16,777,216 characters"
    }
    refused = client.put("/api/notes", params={"run": runs[-1]}, json={"note": "y" * 65_000})
    assert refused.status_code == 422
    assert client.put("/api/notes", params={"run": runs[0]}, json={"note": ""}).status_code == 200
