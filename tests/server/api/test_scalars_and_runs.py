"""The API routes of runs, tags, scalars and updates."""

import csv
import errno
import io
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import loss_run, scalar_event, version_event, write_run
from support.server_in_process import served
from support.servers import Serve, wait_until

from toposcope.server.api.health import Health
from toposcope.server.api.listings.runs import Runs
from toposcope.server.api.listings.tags import Tags
from toposcope.server.api.series.scalars import Scalars
from toposcope.server.loading.files.file_loader import FileLoader
from toposcope.server.loading.finding.discovery import discover


def test_replies_match_their_models(tmp_path: Path, serve: Serve) -> None:
    """Models are declared but not applied to replies, so they are validated here."""
    write_run(tmp_path / "a", [scalar_event(2.0, 1, {"loss": float("nan")}), scalar_event(3.0, 2, {"loss": 1.0})])
    loss_run(tmp_path / "b", range(5))
    client = serve(tmp_path)

    for path, model in (
        ("api/runs", Runs),
        ("api/tags", Tags),
        ("api/tags?run=a&run=b", Tags),
        ("api/tags?run=a&run=b&together=true", Tags),
        ("api/scalars?tag=loss&smooth=ema:0.5", Scalars),
        ("api/health", Health),
    ):
        reply = client.get(path).raise_for_status()
        assert model.model_validate(reply.json(), extra="forbid")


def test_runs_have_their_properties(tmp_path: Path, serve: Serve) -> None:
    """Times, steps, ranks, attempts, dialect, damage and tags."""
    path = loss_run(tmp_path / "a/b", range(1, 11), seconds=100)
    last_attempt = loss_run(tmp_path / "a/b", range(5, 8), seconds=200)
    loss_run(tmp_path / "a/b", range(1, 11), seconds=100, rank=2)
    content = bytearray(path.read_bytes())
    last = len(scalar_event(110.0, 10, {"loss": 1 / 11}))
    content[-6] ^= 0xFF
    path.write_bytes(content)

    (run,) = serve(tmp_path).get("api/runs").json()["runs"]

    assert [each["rank"] for each in run.pop("recordings")] == [0, 0, 2]
    assert run == {
        "run": "a/b",
        "state": "unknown",
        "phase": None,
        "ended": last_attempt.stat().st_mtime,
        "error": None,
        "started": 100.0,
        "updated": 203.0,
        "first_step": 1,
        "last_step": 10,
        "ranks": [0, 2],
        "writers": 0,
        "attempts": 2,
        "dialect": "mindspore",
        "live": True,
        "events": 25,
        "damaged_records": 1,
        "damage": [{"file": path.name, "offset": len(content) - last, "reason": "payload"}],
        "pending_records": 0,
        "stale": None,
        "parent": None,
        "session_name": None,
        "colour": run["colour"],
        "plugins": {"scalar": 1},
        "plugin_ranks": {"scalar": [0, 2]},
    }


def test_points_that_a_later_attempt_replaces_are_counted_as_hidden(tmp_path: Path, serve: Serve) -> None:
    """The count is of the whole series, whatever the window; each attempt and all of them can be read."""
    loss_run(tmp_path / "a", range(1, 56), seconds=100)
    loss_run(tmp_path / "a", range(41, 111), seconds=500)
    client = serve(tmp_path)

    def counts(query: str) -> tuple[int, int]:
        (series,) = client.get(f"api/scalars?tag=loss&{query}").json()["series"]
        return series["total"], series["hidden"]

    assert counts("") == (110, 15)
    assert counts("lo=1&hi=10") == (10, 15)
    assert counts("attempt=1") == (55, 0)
    assert counts("attempt=2") == (70, 0)
    assert counts("attempt=all") == (125, 0)


def test_one_request_reads_many_tags(tmp_path: Path, serve: Serve) -> None:
    """GET and POST return the same; names without a match are listed as missing."""
    records = [scalar_event(2.0 + i, i, {"loss": i, "accuracy": 2 * i}) for i in range(10)]
    write_run(tmp_path / "a", records)
    loss_run(tmp_path / "b", range(5))
    client = serve(tmp_path)
    query: dict[str, list[str] | int] = {
        "tag": ["loss", "accuracy", "nothing"],
        "run": ["a", "b", "nobody"],
        "points": 4,
    }

    got = client.get("api/scalars", params=query).json()
    posted = client.post("api/scalars", json=query).json()

    assert got == posted
    assert [(series["tag"], series["run"]) for series in got["series"]] == [
        ("loss", "a"),
        ("loss", "b"),
        ("accuracy", "a"),
    ]
    assert got["missing"] == ["nothing", "nobody"]
    assert got["tag"] is None


def test_tag_of_other_runs_is_an_empty_reply(tmp_path: Path, serve: Serve) -> None:
    """It is listed as missing, and not 404."""
    loss_run(tmp_path / "a", range(3))
    loss_run(tmp_path / "b", range(3), tag="accuracy")

    reply = serve(tmp_path).get("api/scalars", params={"tag": "loss", "run": "b"})

    assert reply.status_code == 200
    assert (reply.json()["series"], reply.json()["missing"]) == ([], ["loss"])


def test_posted_lists_may_be_longer_than_a_url(tmp_path: Path, serve: Serve) -> None:
    """A hundred thousand runs may be requested; the size of the body is limited."""
    loss_run(tmp_path / "a", range(3))
    client = serve(tmp_path)
    names = [f"{'x' * 100}{i}" for i in range(99_999)]

    reply = client.post("api/scalars", json={"tag": ["loss"], "run": ["a", *names]})
    too_large = client.post(
        "api/scalars", content=b" " * ((16 << 20) + 1), headers={"Content-Type": "application/json"}
    )

    assert (reply.status_code, reply.json()["missing"]) == (200, names)
    assert too_large.status_code == 413


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b'{"tag": ["loss"], "points": "5"}', 422, "points='5'"),
        (b'{"tag": ["loss"], "lo": true}', 422, "lo=True"),
        (b'{"tag": ["loss"], "lo": NaN}', 422, "lo=nan is above"),
        (b'{"tag": "loss"}', 422, "tag='loss'"),
        (b'{"tag": []}', 422, "expected at least one tag or expr"),
        (b'{"tag": ["loss"]', 422, "JSON"),
        (b"[]", 422, "request=[]"),
        (b"", 422, "required"),
        (b"\xff", 400, "body"),
        (b"[" * 200_000, 400, "body"),
    ],
)
def test_invalid_bodies_are_errors(body: bytes, status: int, error: str, client: httpx.Client) -> None:
    """Bodies are strict JSON: strings and bools are not numbers."""
    reply = client.post("api/scalars", content=body, headers={"Content-Type": "application/json"})

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


def test_missing_filters_select_all(tmp_path: Path, serve: Serve) -> None:
    """All runs and plugins are listed; an unused plugin has no tags."""
    loss_run(tmp_path / "a", range(3))
    loss_run(tmp_path / "b", range(3))
    client = serve(tmp_path)

    def tags(**query: str) -> list[tuple[str, int]]:
        return [(row["tag"], row["runs"]) for row in client.get("api/tags", params=query).json()["tags"]]

    assert tags() == tags(plugin="scalar") == [("loss", 2)]
    assert tags(plugin="image") == []
    assert tags(run="b", together="true") == [("loss", 1)]
    (row,) = client.get("api/tags?run=b").json()["tags"]
    assert row["updated"] == client.get("api/runs").json()["runs"][1]["updated"]
    assert [series["run"] for series in client.get("api/scalars?tag=loss").json()["series"]] == ["a", "b"]
    for path in ("lineage", "hparams"):
        assert client.get(f"api/{path}").json()["runs"] == []
    assert client.get("api/landscapes").json()["landscapes"] == []


def test_large_json_is_compressed_and_streams_are_not(tmp_path: Path, serve: Serve) -> None:
    """Neither are small replies."""
    loss_run(tmp_path, range(3000))
    client = serve(tmp_path, "--path-prefix", "/topo")

    large = client.get("api/scalars?tag=loss&points=0", headers={"Accept-Encoding": "gzip"})
    with client.stream("GET", "api/updates") as stream:
        first = next(stream.iter_lines())

    assert (large.headers["content-encoding"], large.json()["series"][0]["total"]) == ("gzip", 3000)
    assert "content-encoding" not in client.get("api/health").headers
    assert ("content-encoding" in stream.headers, first) == (False, "retry: 1000")


@pytest.mark.parametrize("path", ["", "built/main.js", "api/runs", "api/scalars?tag=loss", "api/scalars.csv?tag=loss"])
def test_head_is_get_without_the_content(path: str, client: httpx.Client) -> None:
    """Status and headers equal those of GET."""
    head, got = client.head(path), client.get(path)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == got.headers["content-type"]
    assert head.headers.get("content-length") == got.headers.get("content-length")


def test_head_of_the_event_stream_ends(client: httpx.Client) -> None:
    """The reply has no content to wait for."""
    assert client.head("api/updates").headers["content-type"].startswith("text/event-stream")


def test_other_methods_are_405_with_the_allowed_ones(client: httpx.Client) -> None:
    """Those of all routes of the path."""
    scalars, runs = client.put("api/scalars"), client.post("api/runs")

    assert (scalars.status_code, scalars.headers["allow"]) == (405, "GET, HEAD, POST")
    assert (runs.status_code, runs.headers["allow"]) == (405, "GET, HEAD")
    assert runs.json()["detail"] == "method POST is not allowed: expected one of GET, HEAD"


def test_errors_are_short(client: httpx.Client) -> None:
    """Regardless of the number and length of invalid values."""
    reply = client.post("api/scalars", json={"tag": ["x"], "axis": "y" * 1_000_000, "run": list(range(50_000))})

    assert reply.status_code == 422
    assert len(reply.content) < 20_000


def test_everything_is_below_the_prefix(tmp_path: Path, serve: Serve) -> None:
    """The API, its description and the page; nothing is outside."""
    client = serve(tmp_path, "--path-prefix", "/topo")
    root = client.base_url.join("/")

    described = client.get("api/openapi.json").json()["paths"]

    assert all(path.startswith("/topo/") for path in described)
    assert [client.get(path).status_code for path in ("", "built/main.js", "api/runs")] == [200, 200, 200]
    assert [client.get(root.join(path)).status_code for path in ("built/main.js", "api/runs")] == [404, 404]
    redirected = client.get(root.join("/topo")).next_request
    assert redirected is not None
    assert redirected.url.path == "/topo/"


def test_names_with_invalid_utf8_are_escaped(tmp_path: Path, serve: Serve) -> None:
    """Such a directory does not affect the listing and reading of others."""
    loss_run(tmp_path / "a", range(3))
    write_run(Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff")), [scalar_event(2.0, 1, {"loss": 0.5})])
    client = serve(tmp_path)

    assert {run["run"] for run in client.get("api/runs").json()["runs"]} == {"a", "b\\xff"}
    assert len(client.get("api/scalars?tag=loss").json()["series"]) == 2
    assert client.get("api/scalars", params={"tag": "loss", "run": "b\\xff"}).json()["series"][0]["total"] == 1
    assert "b\\xff,loss,0,1,2.0,0.5" in client.get("api/scalars.csv?tag=loss").text


def test_window_total_and_raw_points(tmp_path: Path, serve: Serve) -> None:
    """Total counts the window before downsampling; points=0 returns all points."""
    loss_run(tmp_path, range(10_000))
    client = serve(tmp_path)

    (whole,) = client.get("api/scalars", params={"tag": "loss", "points": 100}).json()["series"]
    (window,) = client.get("api/scalars", params={"tag": "loss", "lo": 10, "hi": 19.5, "points": 0}).json()["series"]

    assert whole["total"] == 10_000
    assert len(whole["step"]) < 110
    assert window["step"] == list(range(10, 20))
    assert window["total"] == 10
    assert window["run"] == "."


def test_unchanged_since_a_revision_is_304(tmp_path: Path, serve: Serve) -> None:
    """A client with the newest revision receives no points."""
    path = loss_run(tmp_path / "a", range(10))
    client = serve(tmp_path)
    revision = client.get("api/scalars", params={"tag": "loss"}).json()["revision"]
    query = {"tag": "loss", "since": revision}

    assert client.get("api/scalars", params=query).status_code == 304
    with path.open("ab") as grows:
        grows.write(scalar_event(20.0, 10, {"loss": 0.0}))
    reply = wait_until(lambda: (got := client.get("api/scalars", params=query)).status_code == 200 and got)

    assert reply.json()["series"][0]["total"] == 11


def test_ranks_and_attempts_are_selected(tmp_path: Path, serve: Serve) -> None:
    """The lowest rank is the default, any or all can be selected; one attempt, or all points of all."""
    loss_run(tmp_path, range(1, 6), seconds=100, rank=1)
    loss_run(tmp_path, range(3, 9), seconds=200, rank=1)
    loss_run(tmp_path, range(1, 3), seconds=100, rank=4)
    client = serve(tmp_path)

    def steps(**query: Any) -> list[tuple[int, int]]:
        series = client.get("api/scalars", params={"tag": "loss", **query}).json()["series"]
        return [(each["rank"], len(each["step"])) for each in series]

    assert steps() == [(1, 8)]
    assert steps(rank=4) == [(4, 2)]
    assert steps(rank="all") == [(1, 8), (4, 2)]
    assert steps(attempt=1) == [(1, 5)]
    assert steps(attempt=2, rank="all") == [(1, 6)]
    assert steps(attempt="all") == [(1, 11)]


def test_names_in_csv_are_no_formulas(tmp_path: Path, serve: Serve) -> None:
    """An apostrophe is put before those that spreadsheets would compute, unless formulas are requested."""
    write_run(tmp_path / "=run", [scalar_event(1, 1, {"@tag": -1.0})])
    client = serve(tmp_path)
    query = {"tag": "@tag"}
    assert "\n'=run,'@tag,0,1,1.0,-1.0\r" in client.get("api/scalars.csv", params=query).text
    assert "\n=run,@tag,0,1,1.0,-1.0\r" in client.get("api/scalars.csv", params={**query, "formulas": "true"}).text


def test_csv_is_exact(tmp_path: Path, serve: Serve) -> None:
    """The CSV has every point; its numbers parse to the same doubles, its names to the same strings."""
    tag = 'a "tag", with\nlines'
    values = [0.1, float("nan"), float("inf"), -float("inf"), 1e-300, 5.0]
    records = [scalar_event(1.7e9 + i / 3, i, {tag: value}) for i, value in enumerate(values)]
    write_run(tmp_path / "run", records)
    client = serve(tmp_path)

    reply = client.get("api/scalars.csv", params={"tag": tag}).raise_for_status()
    header, *rows = csv.reader(io.StringIO(reply.text, newline=""))

    assert header == ["run", "tag", "rank", "step", "wall_time", "value"]
    assert [(row[0], row[1], row[2], int(row[3])) for row in rows] == [("run", tag, "0", i) for i in range(6)]
    assert [float(row[4]) for row in rows] == [1.7e9 + i / 3 for i in range(6)]
    assert [row[5] for row in rows] == ["0.10000000149011612", "NaN", "Infinity", "-Infinity", "0.0", "5.0"]
    assert reply.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("api/scalars", 422, "tag"),
        ("api/scalars?tag=nothing", 404, "'nothing'"),
        ("api/scalars?tag=loss&run=nobody", 404, "'nobody'"),
        ("api/tags?run=nobody", 404, "'nobody'"),
        ("api/scalars?tag=loss&points=-1", 422, "points='-1'"),
        ("api/scalars?tag=loss&points=many", 422, "points='many'"),
        ("api/scalars?tag=loss&axis=epoch", 422, "axis='epoch'"),
        ("api/scalars?tag=loss&lo=5&hi=1", 422, "lo=5.0 is above hi=1.0"),
        ("api/scalars?tag=loss&smooth=ema:2", 422, "smooth='ema:2'"),
        ("api/scalars?tag=loss&rank=first", 422, "rank"),
        ("api/scalars?tag=loss&attempt=0", 422, "attempt"),
        ("api/scalars?tag=loss&typo=1", 422, "typo"),
        ("api/scalars.csv?tag=nothing", 404, "'nothing'"),
        ("api/nothing", 404, "Not Found"),
        ("package.json", 404, "Not Found"),
        ("../pyproject.toml", 404, "Not Found"),
    ],
)
def test_errors_contain_the_invalid_value(path: str, status: int, error: str, client: httpx.Client) -> None:
    """Each error is one sentence with the parameter and its value."""
    reply = client.get(path)

    assert (reply.status_code, error in reply.json()["detail"]) == (status, True), reply.text


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve a small run to the tests that only read."""
    logdir = tmp_path_factory.mktemp("logdir")
    loss_run(logdir / "a", range(10))
    with served(logdir) as client:
        yield client


def test_openapi_document_is_served(client: httpx.Client) -> None:
    """It lists every route with its reply."""
    described = client.get("api/openapi.json").json()["paths"]

    assert set(described) == {
        "/api/runs",
        "/api/runs/columns",
        "/api/runs/search",
        "/api/runs/completions",
        "/api/undrawn",
        "/api/tags",
        "/api/scalars",
        "/api/scalars.csv",
        "/api/scalars/groups",
        "/api/overview",
        "/api/notes",
        "/api/runs/{run}/notes",
        "/api/histograms",
        "/api/images",
        "/api/images/data",
        "/api/audio",
        "/api/audio/data",
        "/api/pr_curves",
        "/api/tensors",
        "/api/tensors/data",
        "/api/text",
        "/api/graphs",
        "/api/graphs/nodes",
        "/api/graphs/counts",
        "/api/lineage",
        "/api/lineage/dataset",
        "/api/lineage/datasets",
        "/api/importance",
        "/api/hparams",
        "/api/layouts",
        "/api/landscapes",
        "/api/landscapes.html",
        "/api/landscapes.csv",
        "/api/landscapes.vtp",
        "/api/landscapes/losses",
        "/api/landscapes.npz",
        "/api/landscapes.vti",
        "/api/alerts",
        "/api/alerts/acknowledged",
        "/api/alerts/muted",
        "/api/alerts/rules/{name}",
        "/api/embeddings",
        "/api/embeddings/projection",
        "/api/embeddings/column",
        "/api/embeddings/reduction",
        "/api/embeddings/points",
        "/api/embeddings/neighbours",
        "/api/embeddings/search",
        "/api/embeddings/rows.csv",
        "/api/embeddings/sprite",
        "/api/samples",
        "/api/samples/sample",
        "/api/meshes",
        "/api/meshes/geometry",
        "/api/console",
        "/api/environment",
        "/api/code",
        "/api/files",
        "/api/questions/{name}",
        "/api/views",
        "/api/views/{name}",
        "/api/default-view",
        "/api/links",
        "/api/links/{id}",
        "/api/updates",
        "/api/health",
        "/healthz",
        "/metrics",
    }
    assert described["/api/runs"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]


def test_updates_report_added_changed_and_removed_runs(tmp_path: Path, serve: Serve) -> None:
    """The event stream has increasing revisions."""
    path = loss_run(tmp_path / "a", range(3))
    client = serve(tmp_path, "--reload-interval", "0.1")

    with client.stream("GET", "api/updates") as stream:
        updates = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        first = next(updates)
        with path.open("ab") as grows:
            grows.write(scalar_event(9.0, 9, {"loss": 0.0}))
        changed = next(update for update in updates if update["changed"])
        loss_run(tmp_path / "b", range(3))
        added = next(update for update in updates if update["added"])
        path.unlink()
        removed = next(update for update in updates if update["removed"])

    assert (first["added"], first["changed"], first["removed"]) == ([], [], [])
    assert (changed["changed"], added["added"], removed["removed"]) == (["a"], ["b"], ["a"])
    assert first["revision"] < changed["revision"] < added["revision"] < removed["revision"]


def test_server_waits_for_a_missing_logdir(tmp_path: Path, serve: Serve) -> None:
    """It is empty until the directory is created."""
    logdir = tmp_path / "later"
    client = serve(logdir, "--reload-interval", "0.1")
    assert client.get("api/runs").json()["logdir_exists"] is False

    loss_run(logdir / "a", range(3))

    reply = wait_until(lambda: (got := client.get("api/runs").json())["runs"] and got)
    assert reply["logdir_exists"] is True
    assert reply["runs"][0]["run"] == "a"


def test_other_and_unreadable_files_are_reported(tmp_path: Path, serve: Serve) -> None:
    """Files that are not event files are counted, unreadable ones are listed, and the others are served."""
    loss_run(tmp_path / "a", range(3))
    (tmp_path / "a/model.ckpt").write_bytes(b"weights")
    (tmp_path / "a/notes.txt").write_text("words")
    (tmp_path / "a/events.out.tfevents.1.link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "a/events.out.tfevents.2.pipe")
    garbage = tmp_path / "garbage/events.out.events.summary.1.0.host_MS"
    garbage.parent.mkdir()
    garbage.write_bytes(b"no event file at all " * 100)
    client = serve(tmp_path)

    health = client.get("api/health").json()
    runs = {run["run"]: run for run in client.get("api/runs").json()["runs"]}

    assert health["ignored_files"] == 4
    assert runs["a"]["plugins"] == {"scalar": 1}
    assert runs["garbage"]["damaged_records"] == 1


def test_unreadable_file_is_listed_and_logged_once(tmp_path: Path) -> None:
    """It is listed with the reason, and logged once although it is retried."""
    loss_run(tmp_path / "a", range(3))
    path = loss_run(tmp_path / "b", range(3))
    files = discover(str(tmp_path)).files
    loading = FileLoader(None)
    records: list[logging.LogRecord] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    handler = Collector()
    logging.getLogger("toposcope.server.loading.files.file_loader").addHandler(handler)
    path.unlink()  # Between the walk and the reading, as when permissions change.
    path.symlink_to(path)  # Opening it fails for root too.

    for _ in range(3):
        loading.add(files)
        loading.read(1.0)

    logging.getLogger("toposcope.server.loading.files.file_loader").removeHandler(handler)
    loading.stop()
    assert len(records) == 1
    assert loading.problems == {str(path): os.strerror(errno.ELOOP)}


def test_recreated_file_is_read_again(tmp_path: Path, serve: Serve) -> None:
    """A run whose directory is removed disappears; one with the same name is new."""
    path = loss_run(tmp_path / "a", range(3))
    client = serve(tmp_path, "--reload-interval", "0.1")
    path.unlink()
    wait_until(lambda: not client.get("api/runs").json()["runs"])

    loss_run(tmp_path / "a", range(100, 110))

    run = wait_until(lambda: client.get("api/runs").json()["runs"])[0]
    assert (run["first_step"], run["last_step"]) == (100, 109)


def test_logdir_is_loaded_once(tmp_path: Path, serve: Serve) -> None:
    """With --reload-interval 0, later changes are ignored."""
    path = loss_run(tmp_path / "a", range(3))
    client = serve(tmp_path, "--reload-interval", "0")

    with path.open("ab") as grows:
        grows.write(scalar_event(9.0, 9, {"loss": 0.0}))

    assert client.get("api/scalars?tag=loss").json()["series"][0]["total"] == 3
    assert client.get("api/health").json()["loading"] is False


def test_empty_and_incomplete_files(tmp_path: Path, serve: Serve) -> None:
    """An empty file is not a run yet; one with a version event is a run without tags."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/events.out.events.summary.1.0.host_MS").touch()
    (tmp_path / "without_tags").mkdir()
    (tmp_path / "without_tags/events.out.events.summary.1.0.host_MS").write_bytes(version_event())
    client = serve(tmp_path)

    (run,) = client.get("api/runs").json()["runs"]

    assert (run["run"], run["plugins"], run["first_step"]) == ("without_tags", {}, None)
