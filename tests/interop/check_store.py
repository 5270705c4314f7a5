"""Logdirs and notes in object stores, with real servers of the S3 protocol: moto's, and s3rver where that can do it."""

import contextlib
import multiprocessing
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import pytest
from support import http
from support.event_files import GOLDEN, loss_run
from support.s3_server import BUCKET, S3Server, s3_server, s3rver
from support.servers import start, stop, wait_until
from support.store_proxy import store_proxy

from toposcope import server
from toposcope.server.data_files.json_files import Content
from toposcope.server.data_files.json_store import JsonStore
from toposcope.server.places.stores.object_store import ObjectStore

WRITERS, MANY_CHANGES = 4, 50
TOKEN = "try-it-out"
DEPLOYMENT = Path(__file__).parents[2] / "examples/deployment"


@pytest.fixture(params=[s3_server, s3rver])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """Return a server of each kind, to which the environment of this process leads."""
    start_server: Callable[[], contextlib.AbstractContextManager[S3Server]] = request.param
    with start_server() as running:
        use(running.environment, monkeypatch)
        yield running


def use(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the variables of the environment that lead clients to a store."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def check_equal_to_golden(address: str) -> None:
    """Check that the runs at an address are those of the golden files."""
    remote, local = server.open(address), server.open(GOLDEN)
    assert (remote.problems, remote.runs.keys()) == (local.problems, local.runs.keys())
    for name, expected in local.runs.items():
        assert remote.runs[name].tags() == expected.tags()
        for tag in expected.tags("scalar"):
            for column, other in zip(remote.runs[name].scalars(tag), expected.scalars(tag), strict=True):
                np.testing.assert_array_equal(column, other)


def test_golden_runs_are_equal_to_local_ones(store: S3Server) -> None:
    """Byte for byte, and so is everything that is read from them."""
    store.put_tree(GOLDEN, "golden")
    place = ObjectStore(f"s3://{BUCKET}/golden")
    place.list(f"s3://{BUCKET}/golden")
    for path in (path for path in GOLDEN.rglob("*") if path.is_file()):
        opened = place.open(f"s3://{BUCKET}/golden/{path.relative_to(GOLDEN)}")
        assert opened.read(0, opened.status.size + 1) == path.read_bytes()
    check_equal_to_golden(f"s3://{BUCKET}/golden")


def test_a_slow_store_that_fails_is_read_completely(store: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 100 ms before each request, of which every tenth fails."""
    store.put_tree(GOLDEN, "golden")
    with store_proxy(store.url) as proxy:
        use(store.environment | {"AWS_ENDPOINT_URL": proxy.url}, monkeypatch)
        proxy.delay, proxy.fail_every = 0.1, 10
        check_equal_to_golden(f"s3://{BUCKET}/golden")
        assert proxy.failed > 1


def test_a_server_goes_on_while_the_store_is_gone(store: S3Server, tmp_path: Path) -> None:
    """What was read is served, and the failure is reported."""
    store.put_tree(GOLDEN, "golden")
    process, url = start(f"s3://{BUCKET}/golden", "--reload-interval", "1", **store.environment)
    runs = wait_until(lambda: (reply := http.get(f"{url}api/runs").json())["loading"] is False and reply)
    store.process.kill()
    wait_until(lambda: http.get(f"{url}api/health").json()["problems"], 60)
    after = http.get(f"{url}api/runs").json()
    assert [run["run"] for run in after["runs"]] == [run["run"] for run in runs["runs"]]
    stop(process)


def add(address: str, number: int) -> None:
    """Add to a counter, and to a list of what this process counted."""
    files = JsonStore(address, 1 << 20)

    def counted(content: Content | None) -> Content:
        old = content or {}
        return old | {"sum": old.get("sum", 0) + 1, str(number): [*old.get(str(number), []), len(old)]}

    for _ in range(MANY_CHANGES):
        files.update("a.json", counted)


def test_processes_lose_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """If-None-Match for the first change of a file, If-Match for the others; none of four gives up."""
    with s3_server() as running:
        use(running.environment, monkeypatch)
        address = f"s3://{BUCKET}/notes"
        context = multiprocessing.get_context("spawn")
        processes = [context.Process(target=add, args=(address, number)) for number in range(WRITERS)]
        for each in processes:
            each.start()
        for each in processes:
            each.join()
            assert each.exitcode == 0
        content = JsonStore(address, 1 << 20).read("a.json")
        assert content["sum"] == WRITERS * MANY_CHANGES
        assert [len(content[str(number)]) for number in range(WRITERS)] == WRITERS * [MANY_CHANGES]


def test_a_store_that_ignores_conditions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two servers would lose each other's notes there."""
    with s3rver() as running:
        use(running.environment, monkeypatch)
        files = JsonStore(f"s3://{BUCKET}/notes", 1 << 20)
        with pytest.raises(OSError, match="ignores If-None-Match"):
            files.update("a.json", lambda _: {"n": 1})
        assert files.stamps() == {}


def test_two_servers_show_each_others_notes(tmp_path: Path) -> None:
    """Within the ten seconds after which the store is listed again."""
    loss_run(tmp_path / "run", range(3))
    with s3_server() as running:
        arguments = (str(tmp_path), "--data-dir", f"s3://{BUCKET}/team")
        one, first = start(*arguments, **running.environment)
        other, second = start(*arguments, **running.environment)
        http.put(f"{first}api/runs/run/notes", json={"alias": "best"})
        http.put(f"{second}api/runs/run/notes", json={"note": "kept"})
        begin = time.monotonic()
        for url in (first, second):
            wait_until(partial(has_both, url))
        assert time.monotonic() - begin < 15
        stop(one)
        stop(other)


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_two_servers_behind_nginx_share_notes(tmp_path: Path) -> None:
    """With the file of examples/deployment: both answer, no change is lost, and one goes on alone."""
    arguments = ("--data-dir", f"s3://{BUCKET}/notes", "--token", TOKEN, "--allowed-host", "*")
    with s3_server() as running, contextlib.ExitStack() as stack:
        running.put_tree(GOLDEN, "golden")
        started = [start(f"s3://{BUCKET}/golden", *arguments, **running.environment) for _ in range(2)]
        clients = [
            stack.enter_context(http.client(headers={"Authorization": f"Bearer {TOKEN}", "User-Agent": f"{number}"}))
            for number in range(12)
        ]
        for _, url in started:
            address = url.partition("?")[0]
            wait_until(partial(is_loaded, clients[0], address))
        proxy = stack.enter_context(nginx(tmp_path, [url for _, url in started]))
        assert len({client.get(f"{proxy}/api/runs").json()["revision"] for client in clients}) == 2
        run = clients[0].get(f"{proxy}/api/runs").json()["runs"][0]["run"]
        for number, client in enumerate(clients):
            change = {"labels": [f"{number}"]} if number % 2 else {"note": f"{number}"}
            client.put(f"{proxy}/api/notes", params={"run": run}, json=change).raise_for_status()
        for client in clients:
            wait_until(partial(has_last_changes, client, proxy, run))
        started[0][0].send_signal(signal.SIGKILL)
        assert {client.get(f"{proxy}/api/runs").status_code for client in clients} == {200}
        stop(started[1][0])


@contextlib.contextmanager
def nginx(folder: Path, urls: list[str]) -> Iterator[str]:
    """Start nginx in front of two servers; return its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    site = (DEPLOYMENT / "nginx.conf").read_text().replace("listen 80", f"listen {address}")
    for name, url in zip(("first:6006", "second:6006"), urls, strict=True):
        site = site.replace(name, url.removeprefix("http://").partition("/")[0])
    paths = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"pid {folder}/pid; error_log {folder}/log; events {{}} http {{ access_log off; {paths} {site} }}"
    )
    with subprocess.Popen(["nginx", "-c", configuration, "-g", "daemon off;"], stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: is_open(address))
        yield f"http://{address}"
        process.terminate()


def is_open(address: str) -> bool:
    """Return whether somebody listens at an address."""
    host, _, port = address.partition(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 1):
        return True
    return False


def is_loaded(client: httpx.Client, url: str) -> bool:
    """Return whether a server has loaded everything."""
    return not client.get(f"{url}api/runs").json()["loading"]


def has_last_changes(client: httpx.Client, url: str, run: str) -> bool:
    """Return whether the last note and the last label are shown."""
    notes = client.get(f"{url}/api/notes").json()["runs"][run]
    return (notes["note"], notes["labels"]) == ("10", ["11"])


def has_both(url: str) -> bool:
    """Return whether a server shows the alias and the note of the run."""
    notes = http.get(f"{url}api/notes").json()["runs"].get("run", {})
    return (notes.get("alias"), notes.get("note")) == ("best", "kept")
