"""The subcommands that answer questions, with --server: the same output and status as with the directory."""

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from support.certificates import write_certificate
from support.event_files import GOLDEN, loss_run
from support.servers import FOLDER, run, start, stop

from toposcope.recorder import SummaryRecord, train_lineage
from toposcope.server import cli

Command = Callable[..., subprocess.CompletedProcess[str]]
MINDSPORE = "golden/mindspore/digits_momentum"
HOSTILE = "a\x1b[31mb ü&x=1;+%2F"
LONG = "long" * 60
TOKEN = "secret-token"
LONG_TAG = "tag" * 1000


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory of the golden runs, a hostile one, and one with a very long name."""
    folder = tmp_path_factory.mktemp("logdir")
    (folder / "golden").symlink_to(GOLDEN)
    for name in (HOSTILE, LONG):
        with SummaryRecord(folder / name) as recorder:
            recorder.add_value("train_lineage", "lineage", train_lineage(learning_rate=float("nan")))
            recorder.add_value("text", "note\x1b", "a\n\x1b]0;title\x07")
            recorder.add_value("image", "picture", np.full((1, 3, 4, 6), 40, np.uint8))
            for step in range(40):
                value = [1.0, float("nan"), float("inf"), 1e308][step % 4]
                recorder.add_value("scalar", "train/loss", value)
                recorder.add_value("scalar", LONG_TAG, -value)
                recorder.record(step)
    return folder


@pytest.fixture(scope="module")
def url(logdir: Path) -> Iterator[str]:
    """Serve it by two workers, with a token, below a path, and unchangeable; return the URL that is printed."""
    options = ("--workers", "2", "--path-prefix", "/a/b", "--token", TOKEN, "--read-only", "--follow-links")
    process, url = start(logdir, *options)
    yield url
    stop(process)


@contextmanager
def answering(*replies: tuple[int, dict[str, str], bytes]) -> Iterator[str]:
    """Answer requests with these replies, the last one again and again; yield the URL."""
    left = list(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    """Run a subcommand in this process; return its exit status and output."""
    try:
        status: object = cli.main(arguments)
    except SystemExit as error:
        status = error.code
    return status, *capsys.readouterr()


@pytest.mark.parametrize(
    "arguments",
    [
        ("runs",),
        ("runs", "--json"),
        ("runs", "--jsonl", "--limit", "2", "--descending"),
        ("runs", f"name:{HOSTILE}", "--columns", "state,learning_rate,min(train/loss),last(train/loss)"),
        ("runs", "name:nothing"),
        ("runs", "lr<"),
        ("runs", "--sort", "a b"),
        ("tags",),
        ("tags", "--run", HOSTILE, "--jsonl"),
        ("get", "--tag", "train/loss"),
        ("get", "--tag", "train/loss", "--expr", f"`{LONG_TAG}` * 2", "--json"),
        ("get", "--run", HOSTILE, "--tag", "train/loss", "--steps", "2:9", "--smooth", "ema:0.5", "--jsonl"),
        ("get",),
        ("get", "--expr", "1 +"),
        ("get", "--tag", "nothing"),
        ("plot", "--tag", "loss/auto", "--expr", "rate(`loss/auto`)", "--tag", "nothing", "--width", "70"),
        ("plot", "--tag", "nothing"),
        ("show", HOSTILE),
        ("show", LONG, "--json"),
        ("show", MINDSPORE),
        ("show", "nothing"),
        ("compare", HOSTILE, LONG, MINDSPORE),
        ("compare", HOSTILE, LONG, "--json"),
        ("compare", HOSTILE),
        ("best", "--metric", "loss/auto"),
        ("best", "--metric", "max(train/loss)", f"name:{LONG}", "--json"),
        ("best", "--metric", "nothing"),
        ("console", MINDSPORE, "--after", "-2"),
        ("text", HOSTILE),
        ("text", HOSTILE, "--json"),
        ("text", HOSTILE, "--tag", "nothing"),
        ("diagnose", HOSTILE),
        ("diagnose", HOSTILE, "--json"),
        ("check", "--fail-if", "min(loss/auto) < 0.1"),
        ("check", "name:golden/mindspore", "--fail-if", "min(loss/auto) > 100", "--json"),
        ("check", "--fail-if", "max(nothing) < 0.9"),
    ],
)
def test_answers_are_those_of_the_directory(
    capsys: pytest.CaptureFixture[str], logdir: Path, url: str, arguments: tuple[str, ...]
) -> None:
    """Text, JSON, lines of JSON, errors and the exit status."""
    name, *rest = arguments
    places = ("--follow-links", "--index-dir", f"{FOLDER}/index", "--data-dir", f"{FOLDER}/data")
    expected = ask(capsys, name, str(logdir), *rest, *places)
    found = ask(capsys, name, "--server", url, *rest)
    assert found == expected
    assert "\x1b" not in found[1] + found[2]


def test_an_image_is_that_of_the_directory(command: Command, logdir: Path, url: str, tmp_path: Path) -> None:
    """The bytes and the line; nothing is written if there is none."""
    one, other = tmp_path / "one.png", tmp_path / "other.png"
    expected = command("image", logdir, HOSTILE, "picture", "--step", 0, "--out", one)
    found = command("image", "--server", url, HOSTILE, "picture", "--step", 0, "--out", other)
    assert (found.returncode, found.stdout) == (0, expected.stdout.replace("one.png", "other.png"))
    assert one.read_bytes() == other.read_bytes()

    found = command("image", "--server", url, HOSTILE, "nothing", "--out", tmp_path / "none")
    assert (found.returncode, "no image tag 'nothing'" in found.stderr) == (1, True)
    assert not (tmp_path / "none").exists()


def test_a_token_is_that_of_the_url_a_file_or_the_environment(url: str, tmp_path: Path) -> None:
    """Without, and with a wrong one, one line says what to do."""
    page, file = url.partition("?")[0], tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o600)
    assert run("runs", "--server", f"{page}?token={TOKEN}").returncode == 0
    assert run("runs", "--server", page.rstrip("/"), "--token-file", file).returncode == 0
    assert run("runs", "--server", page, TOPOSCOPE_TOKEN=TOKEN).returncode == 0
    for address in (page, f"{page}?token=wrong-token"):
        done = run("runs", "--server", address)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"summary-server runs: {page} requires a token: expected the URL that")
    assert not (tmp_path / "missing").exists()
    assert "cannot be read" in run("runs", "--server", page, "--token-file", tmp_path / "missing").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("runs", "--server", "http://127.0.0.1:1/?token=secret-token"), "no server answers at http://127.0.0.1:1/: "),
        (("runs", "--server", "http://no.such.host.invalid/"), "no server answers at http://no.such.host.invalid/: "),
        (("runs", "--server", "localhost:6006"), "expected a URL such as http://localhost:6006/"),
        (("runs", "--server", "ftp://host/?token=secret-token"), "--server 'ftp://host/': expected a URL such as"),
        (("runs", "--server", "http://host:port/"), "expected a URL such as http://localhost:6006/"),
        (("runs", "--server"), "argument --server: expected one argument"),
        (("tags", "--server", "URL", "DIR"), "unknown argument 'DIR'"),
        (("show", "--server", "URL", "DIR", "RUN"), "unknown argument 'RUN'"),
        (("show", "--server", "URL"), "the following arguments are required: RUN"),
        (("runs",), "the following arguments are required: DIR"),
        (("runs", "DIR", "--token-file", "x"), "--token-file 'x' needs --server"),
        (("runs", "--server", "URL", "--index-dir", "x"), "--index-dir says how to read DIR: omit it with --server"),
        (("runs", "--server", "URL", "--data-dir", "x"), "--data-dir says how to read DIR: omit it with --server"),
        (("runs", "--server", "URL", "--formats", "none"), "--formats says how to read DIR: omit it with --server"),
        (("runs", "--server", "URL", "--follow-links"), "--follow-links says how to read DIR: omit it with --server"),
        (("runs", "--server", "URL", "--limit", "-1"), "invalid number '-1'"),
    ],
)
def test_wrong_arguments_are_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    """The status is 2, and no token is printed."""
    status, out, error = ask(capsys, *(each if each != "URL" else "http://127.0.0.1:1/" for each in arguments))
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert message in error
    assert TOKEN not in error


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((302, {"Location": "https://login.example.org/"}, b""), "redirects to 'https://login.example.org/', as to a"),
        ((200, {}, b"<html>Log in"), "is not the address of a Toposcope server that answers questions"),
        ((200, {}, b'{"detail": 1}'), "is not the address of a Toposcope server that answers questions"),
        ((404, {}, b'{"detail":"Not Found"}'), "it may be an older one"),
        ((404, {}, b"no such page"), "it may be an older one"),
        ((421, {}, b"Host 'x' is not allowed.\x1b\nMore"), r"replies with status 421: Host 'x' is not allowed.\x1b"),
        ((500, {}, b""), "replies with status 500: "),
        ((503, {}, b'{"detail": "what was requested cannot be read at present: gone"}'), "at present: gone"),
    ],
)
def test_other_replies_are_one_line(
    capsys: pytest.CaptureFixture[str], reply: tuple[int, dict[str, str], bytes], message: str
) -> None:
    """It names the address, and what came instead of an answer."""
    with answering(reply) as url:
        status, out, error = ask(capsys, "runs", "--server", url)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert f"summary-server runs: {url} " in error
    assert message in error


def test_a_server_that_still_reads_is_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Its first reply says when; what it prints then is safe for terminals."""
    answer = orjson.dumps({"status": 1, "answer": None, "lines": ["a\x1b[31m"]})
    with answering((503, {"Retry-After": "1"}, b'{"detail": "reading"}'), (200, {}, answer)) as url:
        assert ask(capsys, "runs", "--server", url) == (1, "a\\x1b[31m\n", "")


def test_certificates_are_verified(tmp_path: Path) -> None:
    """One that is not known is refused, unless the environment names it."""
    loss_run(tmp_path / "logs", range(3))
    certfile, keyfile = write_certificate(tmp_path)
    process, url = start(tmp_path / "logs", "--certfile", str(certfile), "--keyfile", str(keyfile))
    refused = run("runs", "--server", url)
    accepted = run("runs", "--server", url, SSL_CERT_FILE=str(certfile))
    plain = run("runs", "--server", url.replace("https:", "http:"))
    stop(process)

    assert (refused.returncode, refused.stderr) == (
        2,
        f"summary-server runs: no server answers at {url}: self-signed certificate\n",
    )
    assert accepted.returncode == 0
    assert (plain.returncode, plain.stderr.count("\n")) == (2, 1)
