"""summary-server without a subcommand: serves a logdir until a signal stops it."""

import argparse
import contextlib
import errno
import os
import re
import secrets
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from toposcope.server.commands.arguments import Parser, check_listable, is_inside
from toposcope.server.garbage_collection import no_collections
from toposcope.server.loopback import is_loopback
from toposcope.server.version import VERSION

DEFAULT_PORT = 6006
_PORTS_TRIED = 100
# TensorBoard flags that are accepted and ignored, with the number of values that each takes.
_TENSORBOARD_FLAGS = {
    "samples-per-plugin": 1,
    "load-fast": 1,
    "max-reload-threads": 1,
    "reload-multifile": 1,
    "reload-multifile-inactive-secs": 1,
    "reload-task": 1,
    "purge-orphaned-data": 1,
    "detect-file-replacement": 1,
    "window-title": 1,
    "generic-data": 1,
    "extra-data-server-flags": 1,
    "reuse-port": 1,
}
_DESCRIPTION = """\
Serve a dashboard of the training runs in a log directory. Runs are updated
while they are recorded."""
_EPILOG = """\
subcommands:
  inspect               list runs, tags and steps, and verify event files
  repair                copy the intact records of a damaged event file
  export                convert runs to CSV, PNG, NPY and JSON files

Run "summary-server SUBCOMMAND --help" for the options of a subcommand."""


def run(arguments: Sequence[str]) -> int:
    """Serve a logdir as the arguments specify; return the exit status."""
    options = parse(arguments)
    try:
        with contextlib.suppress(FileNotFoundError):  # The server waits for a missing logdir.
            check_listable("--logdir", options.logdir)
        check_outside_logdir("--index-dir", options.index_dir, options.logdir)
        check_outside_logdir("--data-dir", options.data_dir, options.logdir)
        listener = bind(options.host, options.port)
    except (OSError, ValueError) as error:
        print(f"summary-server: {error}", file=sys.stderr)
        return 2
    with listener:
        serve(options, listener)
    return 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; underscores in flags equal hyphens, other TensorBoard flags are ignored with a notice."""
    options = _parser().parse_hyphenated(arguments)
    for flag in _TENSORBOARD_FLAGS:
        if getattr(options, flag.replace("-", "_")) is not None:
            print(f"summary-server: ignoring --{flag}, a TensorBoard flag that has no effect", file=sys.stderr)
    if options.bind_all:
        options.host = options.host or "0.0.0.0"
    options.host = options.host or "127.0.0.1"
    if options.token is None and not options.no_token and not is_loopback(options.host):
        options.token = secrets.token_urlsafe(24)
    options.logdir = os.path.expanduser(options.logdir)
    return options


def _parser() -> Parser:
    parser = Parser("summary-server", _DESCRIPTION, _EPILOG)
    parser.add_argument(
        "--logdir",
        required=True,
        metavar="DIR",
        help="directory of runs, searched recursively (required); may be created later",
    )
    parser.add_argument(
        "--port",
        type=_port,
        metavar="N",
        help=f"port to listen on, 0 for any free port; default: {DEFAULT_PORT}, or the next free port",
    )
    address = parser.add_mutually_exclusive_group()
    address.add_argument("--host", type=_host, metavar="ADDRESS", help="address to listen on; default: 127.0.0.1")
    address.add_argument(
        "--bind-all", action="store_true", help="listen on all addresses; requests need the token of the printed URL"
    )
    parser.add_argument(
        "--reload-interval",
        type=_seconds,
        default=2.0,
        metavar="SECONDS",
        help="seconds between scans for new runs, 0 to load once; default: 2",
    )
    parser.add_argument(
        "--follow-links",
        action="store_true",
        help="follow symbolic links of other users that lead out of the logdir; default: those of the server's user "
        "and of root only",
    )
    parser.add_argument(
        "--path-prefix", type=_prefix, default="", metavar="PATH", help="serve below this path, for a reverse proxy"
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="host name that requests may use, for a reverse proxy; repeatable",
    )
    parser.add_argument(
        "--index-dir",
        metavar="DIR",
        help="directory for the index of data already read, which makes restarts fast; default: in the user's cache",
    )
    parser.add_argument(
        "--data-dir",
        metavar="DIR",
        help="directory for notes on runs: aliases, labels, colours; default: in the user's data directory",
    )
    token = parser.add_mutually_exclusive_group()
    token.add_argument(
        "--token",
        type=_token,
        metavar="T",
        help="token that requests must present; default: none on loopback, else a random one",
    )
    token.add_argument("--no-token", action="store_true", help="do not require a token")
    parser.add_argument("--open", action="store_true", help="open the dashboard in a browser")
    parser.add_argument("--version", action="version", version=f"Toposcope {VERSION}")
    for flag in _TENSORBOARD_FLAGS:
        parser.add_argument(f"--{flag}", nargs="?", const="", help=argparse.SUPPRESS)
    return parser


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"invalid port {text!r}: expected an integer from 0 to 65535")
    return int(text)


def _host(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError(f"invalid address {text!r}: expected a host name or an IP address")
    return text


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"invalid interval {text!r}: expected seconds, 0 or more")
    return seconds


def _prefix(text: str) -> str:
    prefix = "/" + text.strip("/")
    if not re.fullmatch(r"(/[\w.~-]+)*/?", prefix, re.ASCII):
        raise argparse.ArgumentTypeError(f"invalid path prefix {text!r}: expected a path such as /toposcope")
    return prefix.rstrip("/")


def _token(text: str) -> str:
    if not re.fullmatch(r"[\w.~-]{8,}", text, re.ASCII):
        raise argparse.ArgumentTypeError("invalid token: expected at least 8 of the characters A-Z a-z 0-9 _ . ~ -")
    return text


def check_outside_logdir(flag: str, folder: str | None, logdir: str) -> None:
    """Check that the directory of a flag, which is written to, is not inside the logdir, which is read-only.

    Raises:
        ValueError: it is inside.
    """
    if folder and is_inside(folder, logdir):
        raise ValueError(f"{flag} {folder!r} is inside the logdir, which is read-only: choose another directory")


def bind(host: str, port: int | None) -> socket.socket:
    """Return a listening socket; without a port, at the first free port from DEFAULT_PORT.

    Raises:
        OSError: the address cannot be bound; the message contains the reason.
    """
    candidates = range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TRIED) if port is None else [port]
    try:
        family, _, _, _, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise OSError(f"--host {host!r} cannot be resolved: {error.strerror}") from None
    for candidate in candidates:
        # asyncio sets TCP_NODELAY only on sockets with an explicit protocol; without it each reply waits 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address[0], candidate))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise OSError(f"cannot listen on {host}:{candidate}: {error.strerror}") from None
            continue
        return listener
    if port is None:
        raise OSError(f"no free port from {DEFAULT_PORT} to {candidates[-1]} on {host}: choose one with --port")
    raise OSError(f"port {port} on {host} is in use: choose another, or omit --port to use the next free port")


def serve(options: argparse.Namespace, listener: socket.socket) -> None:
    """Serve until a signal stops the server.

    The logdir is read while the application is imported, which takes longer: what reads is imported first.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # Starting them takes time, and no matrices are multiplied.
    with no_collections():
        from toposcope.server.installation import log_installation_warnings
        from toposcope.server.loading.logdir import Logdir
        from toposcope.server.places.local_disk import LocalDisk
        from toposcope.server.reading.index import Index, default_folder

        index = Index(Path(options.index_dir) if options.index_dir else default_folder())
        place = LocalDisk(options.logdir, follow_links=options.follow_links)
        logdir = Logdir(options.logdir, options.reload_interval, index, place)
        logdir.start()
        port = listener.getsockname()[1]
        url = page_url(options.host, port, options.path_prefix, options.token)
        print(f"Toposcope {VERSION} at {url} (Press CTRL+C to quit)", flush=True)
        log_installation_warnings()

        from toposcope.server.api.updates import Streams
        from toposcope.server.app import make_app
        from toposcope.server.commands.web_server import run_web_server
        from toposcope.server.exposure import make_exposure

        streams = Streams()
        exposure = make_exposure(options.host, port, options.allowed_host, options.token)
        data_folder = Path(options.data_dir) if options.data_dir else None
        app = make_app(logdir, streams, exposure, options.path_prefix, data_folder)
    if options.open:
        import webbrowser

        webbrowser.open(url)
    run_web_server(app, streams, listener)


def page_url(host: str, port: int, path_prefix: str, token: str | None) -> str:
    """Return the URL of the dashboard, with the host name if bound to all addresses, and with the token if any."""
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}{path_prefix}/" + (f"?token={token}" if token else "")
