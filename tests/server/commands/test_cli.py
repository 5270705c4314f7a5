"""The console script: arguments, ports, errors and shutdown."""

import importlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from support import http
from support.event_files import loss_run
from support.servers import SLOW_SECONDS, run, start, stop, wait_until

from toposcope.server import cli

COMMAND = [sys.executable, "-m", "toposcope.server.cli"]


def refuse(*arguments: str) -> str:
    """Run the command, which must fail with status 2 and one line; return the line."""
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--logdir"),
        (["--logdir", "FILE"], "is not a directory"),
        (["--logdir", "DIR", "--port", "http"], "invalid port 'http'"),
        (["--logdir", "DIR", "--port", "70000"], "invalid port '70000'"),
        (["--logdir", "DIR", "--host", "no.such.host.invalid"], "no.such.host.invalid"),
        (["--logdir", "DIR", "--reload-interval", "-1"], "invalid interval '-1'"),
        (["--logdir", "DIR", "--reload-interval", "soon"], "invalid interval 'soon'"),
        (["--logdir", "DIR", "--path-prefix", "a b"], "invalid path prefix 'a b'"),
        (["--logdir", "DIR", "--token", "short"], "token"),
        (["--logdir", "DIR", "--host", "::1", "--bind-all"], "not allowed with"),
        (["--logdir", "DIR", "--logdri", "x"], "--logdri"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    """Errors are one line that contains the invalid value."""
    (tmp_path / "file").touch()
    names = {"FILE": str(tmp_path / "file"), "DIR": str(tmp_path)}

    assert message in refuse(*[names.get(argument, argument) for argument in arguments])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list every directory")
def test_unreadable_directory_is_an_error(tmp_path: Path) -> None:
    """A directory that cannot be listed is an error at startup."""
    (tmp_path / "closed").mkdir(mode=0)

    assert "cannot be read" in refuse("--logdir", str(tmp_path / "closed"))


def test_occupied_port_is_an_error_if_explicit_and_skipped_by_default(tmp_path: Path) -> None:
    """An explicit port must be free; by default the next free one is used."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"port {port} on 127.0.0.1 is in use" in refuse("--logdir", str(tmp_path), "--port", str(port))

    processes = []
    for _ in range(2):
        process = subprocess.Popen([*COMMAND, "--logdir", str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout
        processes.append((process, process.stdout.readline()))
    assert processes[0][1] != processes[1][1]
    for process, line in processes:
        assert "http://127.0.0.1:60" in line
        process.terminate()
        process.communicate(timeout=SLOW_SECONDS)


def test_first_line_has_the_version_and_the_url(tmp_path: Path) -> None:
    """Notebooks and editors read the URL from the only line of standard output."""
    process, url = start(tmp_path)

    out, error = stop(process)

    version = run("--version").stdout.strip()
    assert (out, error) == (f"{version} at {url} (Press CTRL+C to quit)\n", "")
    assert version.startswith("Toposcope ")


def test_underscores_and_flags_of_tensorboard_are_accepted(tmp_path: Path) -> None:
    """TensorBoard's command line works; flags without effect are reported."""
    process, url = start(
        tmp_path,
        "--reload_interval=0.5",
        "--path_prefix",
        "/x",
        "--samples_per_plugin",
        "scalars=0",
        "--load_fast=false",
    )

    assert url.endswith("/x/")
    assert http.get(url).status_code == 200
    _, error = stop(process)
    assert "ignoring --samples-per-plugin" in error
    assert "ignoring --load-fast" in error


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_server_stops_promptly_while_pages_are_open(tmp_path: Path, ending: signal.Signals) -> None:
    """A signal closes the event streams first, so an open page does not delay the shutdown."""
    loss_run(tmp_path / "a", range(3))
    process, url = start(tmp_path)
    with httpx.stream("GET", f"{url}api/updates", timeout=SLOW_SECONDS) as stream:
        lines = stream.iter_lines()
        next(lines)
        process.send_signal(ending)
        started = time.monotonic()
        assert not [line for line in lines if line.startswith("data")][1:]
    process.ended()

    assert time.monotonic() - started < 10
    assert process.returncode == 0


def test_path_prefix_serves_the_page_below_it(tmp_path: Path) -> None:
    """Everything is below the prefix, the prefix without a slash redirects there, and nothing is outside of it."""
    process, url = start(tmp_path, "--path-prefix", "/deep/topo")
    base = url.removesuffix("/deep/topo/")

    reply = http.get(base + "/deep/topo", follow_redirects=True)
    assert reply.url.path == "/deep/topo/"
    assert http.get(url + "built/main.js").status_code == 200
    assert http.get(url + "api/runs").status_code == 200
    assert http.get(base + "/api/runs").status_code == 404
    stop(process)


def test_idle_server_uses_no_processor_time(tmp_path: Path) -> None:
    """A live directory with torn tails costs next to nothing while nothing is recorded."""
    for i in range(20):
        path = loss_run(tmp_path / str(i), range(100))
        path.write_bytes(path.read_bytes()[:-3])
    process, url = start(tmp_path)
    wait_until(lambda: len(http.get(f"{url}api/runs").json()["runs"]) == 20)

    def processor_ticks() -> int:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    revision = http.get(f"{url}api/health").json()["revision"]
    before, started = processor_ticks(), time.monotonic()
    wait_until(lambda: time.monotonic() - started > 3)
    spent = (processor_ticks() - before) / os.sysconf("SC_CLK_TCK")

    assert http.get(f"{url}api/health").json()["revision"] == revision
    # Busy waiting would take three seconds.
    assert spent < 1.5
    stop(process)


def test_an_interrupt_during_an_import_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """CPython 3.11 raised a TypeError where ssl imports a name that _ssl does not have."""

    def import_module(_: str) -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise TypeError("expected a message argument") from None

    monkeypatch.setattr(importlib, "import_module", import_module)
    before = signal.getsignal(signal.SIGINT)
    assert cli.main(["runs", "logs"]) == 130
    assert capsys.readouterr().err == "summary-server: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is before


def test_other_errors_are_not_taken_for_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect of ours ends with its traceback."""
    monkeypatch.setattr(importlib, "import_module", lambda _: None)
    with pytest.raises(AttributeError):
        cli.main(["runs", "logs"])
