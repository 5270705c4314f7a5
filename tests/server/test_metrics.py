"""What those who run a server ask it: GET /healthz and GET /metrics, and /api/health for folders it cannot write."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from support import http
from support.event_files import loss_run
from support.servers import SLOW_SECONDS, Process, start, stop, wait_until

TOKEN = "a-token-for-tests"


@pytest.fixture
def serve_url() -> Iterator[object]:
    """Return a function that starts a server and returns its URL."""
    processes: list[Process] = []

    def serve(logdir: Path, *arguments: str, **variables: str) -> str:
        process, url = start(logdir, *arguments, **variables)
        processes.append(process)
        return url

    yield serve
    for process in processes:
        stop(process)


def metrics(url: str) -> dict[str, Metric]:
    """Return the metric families of a server, by name without the prefix toposcope_."""
    reply = httpx.get(f"{url}metrics", timeout=SLOW_SECONDS)
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/plain; version=")
    families = list(text_string_to_metric_families(reply.text))
    assert all(family.documentation and family.name.startswith("toposcope_") for family in families)
    return {family.name.removeprefix("toposcope_"): family for family in families}


def value(family: Metric, **labels: str) -> float:
    """Return the sum of the samples that have these labels."""
    return sum(sample.value for sample in family.samples if labels.items() <= sample.labels.items())


@pytest.mark.parametrize("arguments", [(), ("--path-prefix", "/topo"), ("--workers", "2")])
def test_liveness_needs_no_token_and_says_nothing(tmp_path: Path, serve_url, arguments: tuple[str, ...]) -> None:
    """Only that the server answers. A token in the URL is ignored: it would end in the log of a probe."""
    url = serve_url(tmp_path, *arguments, TOPOSCOPE_TOKEN=TOKEN)

    for method in ("GET", "HEAD"):
        reply = httpx.request(method, f"{url}healthz", timeout=SLOW_SECONDS)
        assert (reply.status_code, reply.text) == (200, "ok\n" if method == "GET" else "")
        assert reply.headers["cache-control"] == "no-store"
    assert http.get(f"{url}api/health").status_code == 401
    assert http.get(f"{url}metrics").status_code == 401
    assert http.get(f"{url}healthz/runs").status_code == 401
    assert http.get(httpx.URL(url).copy_with(path="/none/healthz")).status_code in (401, 404)


def test_liveness_is_answered_to_probes_by_address_only(tmp_path: Path, serve_url) -> None:
    """As Kubernetes probes the address of a pod. Other names are refused, as for all requests."""
    url = serve_url(tmp_path, "--host", "127.0.0.1", TOPOSCOPE_TOKEN=TOKEN)

    def status(**headers: str) -> int:
        return http.get(f"{url}healthz", headers=headers).status_code

    assert status(host="10.42.0.17:6006") == 200
    assert status(host="[fd00::17]:6006") == 200
    assert status(host="rebound.example.org") == 421
    assert status(origin="https://evil.example.org") == 403


def test_metrics_need_the_token_unless_they_are_public(tmp_path: Path, serve_url) -> None:
    """With --metrics-public they do not, and all else does."""
    url = serve_url(tmp_path, TOPOSCOPE_TOKEN=TOKEN)
    assert http.get(f"{url}metrics").status_code == 401
    assert http.get(f"{url}metrics", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200

    url = serve_url(tmp_path, "--metrics-public", TOPOSCOPE_TOKEN=TOKEN)
    assert http.get(f"{url}metrics").status_code == 200
    assert http.get(f"{url}api/runs").status_code == 401


@pytest.mark.parametrize("prefix", ["", "/topo"])
def test_requests_are_counted_by_route_method_and_status(tmp_path: Path, serve_url, prefix: str) -> None:
    """By templates, as names of runs would make a series of each; what a client makes up is other."""
    loss_run(tmp_path / "a", range(3))
    url = serve_url(tmp_path, *(("--path-prefix", prefix) if prefix else ()))
    base = httpx.URL(url).copy_with(path="/")
    wait_until(lambda: http.get(f"{url}api/notes").json()["runs"] == {})
    for method, path in [
        *[("GET", "api/runs")] * 3,
        ("HEAD", "api/runs"),
        ("GET", "api/scalars?tag=none"),
        ("PUT", "api/runs/a/notes"),
        ("GET", "api/images?run=a&tag=none"),
        ("GET", "healthz"),
        ("GET", ""),
        ("GET", "none"),
        ("BREW", "none"),
    ]:
        httpx.request(method, f"{url}{path}", timeout=SLOW_SECONDS)
    http.get(url, headers={"host": "rebound.example.org"})

    found = metrics(url)
    counts = {
        tuple(sample.labels[name] for name in ("route", "method", "status")): sample.value
        for sample in found["requests"].samples
    }
    counts.pop(("/api/notes", "GET", "200"))
    assert counts == {
        ("/api/runs", "GET", "200"): 3,
        ("/api/runs", "HEAD", "200"): 1,
        ("/api/scalars", "GET", "404"): 1,
        ("/api/runs/{run:path}/notes", "PUT", "422"): 1,
        ("/api/images", "GET", "404"): 1,
        ("/healthz", "GET", "200"): 1,
        ("/", "GET", "200"): 1,
        ("other", "GET", "404"): 1,
        ("other", "other", "404"): 1,
        ("other", "GET", "421"): 1,
    }, base
    assert found["requests"].type == "counter"
    assert found["request_seconds"].type == "histogram"
    assert value(found["request_seconds"], route="/api/runs", le="+Inf") == 4
    assert (value(metrics(url)["requests"], route="/metrics")) == 1


def test_an_open_event_stream_is_counted_when_it_begins(tmp_path: Path, serve_url) -> None:
    """It may last for hours. Connections and streams are those that are open."""
    url = serve_url(tmp_path)
    with httpx.stream("GET", f"{url}api/updates", timeout=SLOW_SECONDS) as stream:
        lines = stream.iter_lines()
        next(lines)
        found = metrics(url)
        assert value(found["requests"], route="/api/updates") == 1
        assert value(found["event_streams"]) == 1
        assert value(found["connections"]) == 2
    wait_until(lambda: value(metrics(url)["event_streams"]) == 0)
    assert value(metrics(url)["connections"]) == 1


def test_figures_of_the_logdir_follow_it(tmp_path: Path, serve_url) -> None:
    """Runs, series, events, damaged records and problems, also when runs grow and are deleted; the loader keeps up."""
    logdir = tmp_path / "runs"
    first = loss_run(logdir / "a", range(3))
    damaged = bytearray(loss_run(logdir / "b", range(5)).read_bytes())
    damaged[-6] ^= 255
    next((logdir / "b").iterdir()).write_bytes(damaged)
    url = serve_url(logdir, "--reload-interval", "0.1", "--index-dir", str(tmp_path / "index"))

    def figures() -> list[float]:
        found = metrics(url)
        names = ("runs", "series", "damaged_records", "unread_event_files", "loading")
        return [value(found[name]) for name in names]

    wait_until(lambda: figures() == [2, 2, 1, 0, 0])
    found = metrics(url)
    assert value(found["event_file_bytes"]) == first.stat().st_size + len(damaged)
    assert value(found["resident_memory_bytes"], process="main") > 10e6
    assert 0 <= value(found["loader_lag_seconds"]) < SLOW_SECONDS
    events = value(found["events"])
    loss_run(logdir / "c", range(7))
    wait_until(lambda: figures() == [3, 3, 1, 0, 0])
    assert value(metrics(url)["events"]) > events
    for run in ("b", "c"):
        (path,) = (logdir / run).iterdir()
        path.unlink()
    wait_until(lambda: figures() == [1, 1, 0, 0, 0])
    wrong = {sample.labels["kind"] for sample in metrics(url)["problems"].samples if sample.value}
    assert wrong <= {"uncompiled_scan"}  # Without a C compiler.
    assert metrics(url)["build_info"].samples[0].labels.keys() == {"version", "python"}


def test_metrics_of_all_workers_have_the_name_of_their_process(tmp_path: Path, serve_url) -> None:
    """Whichever of them is asked; memory of each, and the lag of the process that loads."""
    loss_run(tmp_path / "a", range(3))
    url = serve_url(tmp_path, "--workers", "2")

    def counted() -> dict[str, float]:
        samples = metrics(url)["requests"].samples
        names = {sample.labels["process"] for sample in samples}
        return {
            name: sum(
                each.value for each in samples if (each.labels["process"], each.labels["route"]) == (name, "/api/runs")
            )
            for name in names
        }

    wait_until(lambda: {"0", "1"} <= counted().keys())
    for _ in range(20):
        assert httpx.get(f"{url}api/runs", timeout=SLOW_SECONDS).status_code == 200
    wait_until(lambda: sum(counted().values()) == 20)
    found = metrics(url)
    assert {sample.labels["process"] for sample in found["resident_memory_bytes"].samples} == {"main", "0", "1"}
    assert len(found["loader_lag_seconds"].samples) == 1
    assert value(found["runs"]) == 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_folders_that_cannot_be_written_are_in_health(tmp_path: Path, serve_url, workers: str) -> None:
    """Before anything is to be written, with the folder and the reason; the metrics count them as problems."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "file").touch()
    folders = ("--index-dir", f"{tmp_path}/file/index", "--data-dir", f"{tmp_path}/file/data")
    url = serve_url(tmp_path / "runs", *folders, "--workers", workers)

    def warnings() -> dict[str, str]:
        found = httpx.get(f"{url}api/health", timeout=SLOW_SECONDS).json()["warnings"]
        return {each["kind"]: each["message"] for each in found if each["kind"] != "uncompiled_scan"}

    wait_until(lambda: len(warnings()) == 2)
    assert f"{tmp_path}/file/index" in warnings()["unwritable_index"]
    assert f"{tmp_path}/file/data" in warnings()["unwritable_data"]
    assert all(f"{str(tmp_path / 'file')!r} is not a directory" in message for message in warnings().values())
    problems = metrics(url)["problems"]
    assert (value(problems, kind="unwritable_index"), value(problems, kind="unwritable_data")) == (1, 1)

    (tmp_path / "file").unlink()
    wait_until(lambda: not warnings())


def test_library_of_metrics_is_imported_when_they_are_requested() -> None:
    """It would delay the start, as would psutil."""
    code = (
        "import json, sys, toposcope.server.workers.worker, toposcope.server.later_routes; "
        "print(json.dumps(sorted(sys.modules)))"
    )
    modules = json.loads(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )
    assert not {"prometheus_client", "psutil"} & set(modules)
