"""summary-server without a subcommand: serves a logdir until a signal stops it."""

import argparse
import errno
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from toposcope.server.agents.package import check_package
from toposcope.server.commands.serve_options import (
    DEFAULT_PORT,
    check_combination,
    check_data_dir,
    check_formats,
    check_logdir,
    check_outside_logdir,
    parse,
)
from toposcope.server.commands.tls import Certificate, choose_certificate
from toposcope.server.commands.token import Token, choose_token
from toposcope.server.http.host_names import is_loopback
from toposcope.server.places.addresses import addresses_of, is_remote, place_of, text_of
from toposcope.server.process.ending import end_soon
from toposcope.server.process.garbage_collection import freeze_what_is_loaded, no_collections
from toposcope.server.process.version import VERSION

if TYPE_CHECKING:
    from toposcope.server.alerts.rules.rules_file import RulesFile
    from toposcope.server.loading.logdir import Logdir
    from toposcope.server.workers.settings import Settings

_PORTS_TRIED = 100


def run(arguments: Sequence[str]) -> int:
    """Serve a logdir as the arguments specify; return the exit status."""
    options = parse(arguments)
    try:
        check_logdir(options.logdir)
        for address in addresses_of(options.logdir):
            check_outside_logdir("--index-dir", options.index_dir, address)
            check_outside_logdir("--data-dir", options.data_dir, address)
            check_outside_logdir("--token-file", options.token_file, address)
        check_data_dir(options.data_dir)
        check_formats(options.formats)
        if options.index_dir and is_remote(options.index_dir):
            place_of(options.index_dir)
        if options.mcp:
            check_package("--mcp")
        rules = read_alert_rules(options.alerts)
        certificate = choose_certificate(options.certfile, options.keyfile)
        token = choose_token(options.token, options.token_file, options.no_token, not is_loopback(options.host))
        check_combination(options, token)
        listener = bind(options.host, options.port)
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print(f"summary-server: {error}", file=sys.stderr)
        return 2
    with listener:
        serve(options, listener, token, certificate, rules)
    return 0


def read_alert_rules(path: str | None) -> "RulesFile | None":
    """Return the rules of alerts in a file; None if there is no file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is invalid.
    """
    if path is None:
        return None
    from toposcope.server.alerts.rules.rules_file import read_rules

    return read_rules(path)


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


def serve(
    options: argparse.Namespace,
    listener: socket.socket,
    token: Token,
    certificate: Certificate | None,
    rules: "RulesFile | None" = None,
) -> None:
    """Serve until a signal stops the server.

    The logdir is read while the application is imported, which takes longer: what reads is imported first.
    """
    from toposcope.server.process.freed_memory import limit_arenas
    from toposcope.server.process.log_limit import limit_log
    from toposcope.server.process.switching import switch_quickly

    signal.signal(signal.SIGTERM, _end)
    limit_log(options.log_format)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # Starting them takes time, and no matrices are multiplied.
    limit_arenas()
    switch_quickly()
    freeze_what_is_loaded()
    if options.workers > 1:
        serve_with_workers(options, listener, token, certificate, rules)
        return
    with no_collections():
        logdir = make_logdir(options)
        logdir.start()
        url = print_url(options, listener, token, is_encrypted=certificate is not None)

        from toposcope.server.workers.worker import make_requests_app

        streams, app = make_requests_app(logdir, make_settings(options, listener, token, certificate))
    open_browser(options, url)

    from toposcope.server.http.http_server import serve_http

    certfile, keyfile = certificate or (None, None)
    with watching(options, logdir, rules):
        serve_http(app, streams, listener, certfile, keyfile)


def _end(*_: object) -> None:
    """End with status 0: after its own shutdown uvicorn raises the signal again."""
    end_soon()
    sys.exit(0)


def make_logdir(options: argparse.Namespace) -> "Logdir":
    """Import what reads, and return the logdir of the command line, which is not started."""
    from toposcope.server.formats.formats import choose
    from toposcope.server.loading.logdir import Logdir
    from toposcope.server.reading.index.index import open_index

    index = open_index(options.index_dir)
    place = place_of(options.logdir, follow_links=options.follow_links)
    return Logdir(text_of(options.logdir), options.reload_interval, index, place, choose(options.formats))


@contextmanager
def watching(options: argparse.Namespace, logdir: "Logdir", rules: "RulesFile | None") -> Iterator[None]:
    """Watch the rules of alerts: those of the file, and those that are made on the page."""
    if rules is None and options.read_only:
        yield
        return
    from toposcope.server.alerts.alert_files import LARGEST_FILE, AlertFiles
    from toposcope.server.alerts.watch import AlertWatch
    from toposcope.server.data_files.data_folder import data_files, default_data_folder
    from toposcope.server.notes import notes_folder
    from toposcope.server.notes.notes import Notes
    from toposcope.server.notes.notes_folder import NotesFolder

    folder = options.data_dir or default_data_folder()
    notes = Notes(NotesFolder(data_files(folder, "notes", logdir.path, notes_folder.LARGEST_FILE)), lambda: 0)
    files = AlertFiles(data_files(folder, "alerts", logdir.path, LARGEST_FILE))
    watch = AlertWatch(rules, files, lambda: logdir.snapshot, lambda: notes.current().runs)
    unsubscribe = logdir.subscribe(watch.notice)
    watch.start()
    try:
        yield
    finally:
        unsubscribe()
        watch.stop()


def print_url(options: argparse.Namespace, listener: socket.socket, token: Token, *, is_encrypted: bool) -> str:
    """Print the URL of the dashboard and what is wrong with the installation; return the URL with the token."""
    from toposcope.server.installation import log_installation_warnings

    url = page_url(options.host, listener.getsockname()[1], options.path_prefix, is_encrypted=is_encrypted)
    secret_url = f"{url}?token={token.value}" if token.value else url
    print(f"Toposcope {VERSION} at {secret_url if token.is_printed else url} (Press CTRL+C to quit)", flush=True)
    log_installation_warnings()
    return secret_url


def open_browser(options: argparse.Namespace, url: str) -> None:
    """Open the dashboard in a browser, if the command line asks for it."""
    if options.open:
        from toposcope.server.commands.browser import open_in_browser

        open_in_browser(url, is_secret="?token=" in url)


def make_settings(
    options: argparse.Namespace, listener: socket.socket, token: Token, certificate: Certificate | None
) -> "Settings":
    """Return how the processes that answer requests do that."""
    from toposcope.server.http.exposure import make_exposure
    from toposcope.server.reading.index.index import local_folder
    from toposcope.server.workers.settings import Settings

    exposure = make_exposure(
        options.host,
        listener.getsockname()[1],
        options.allowed_host,
        token.value,
        options.allow_embed,
        is_encrypted=certificate is not None,
        public_paths=["/healthz", "/metrics"] if options.metrics_public else ["/healthz"],
    )
    return Settings(
        text_of(options.logdir),
        exposure,
        options.path_prefix,
        options.data_dir,
        options.read_only,
        certificate.certfile if certificate else None,
        certificate.keyfile if certificate else None,
        time.monotonic(),
        options.log_format,
        options.memory_limit,
        options.mcp,
        str(local_folder(options.index_dir)),
    )


def serve_with_workers(
    options: argparse.Namespace,
    listener: socket.socket,
    token: Token,
    certificate: Certificate | None,
    rules: "RulesFile | None",
) -> None:
    """Load in this process; others answer the requests."""
    from toposcope.server.http.connections import raise_descriptor_limit
    from toposcope.server.reading.series.columns import share_columns
    from toposcope.server.workers.processes import Workers
    from toposcope.server.workers.publisher import Publisher
    from toposcope.server.workers.shared_memory import SharedMemory

    stopping = threading.Event()

    def stop(*_: object) -> None:
        end_soon()
        stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    raise_descriptor_limit()
    memory = SharedMemory()
    share_columns(memory.allocate)
    logdir = make_logdir(options)
    publisher = Publisher(logdir, memory)
    workers = Workers(options.workers, publisher, make_settings(options, listener, token, certificate), listener)
    workers.start()
    logdir.start()
    open_browser(options, print_url(options, listener, token, is_encrypted=certificate is not None))
    with watching(options, logdir, rules):
        stopping.wait()
    workers.stop()
    logdir.stop()


def page_url(host: str, port: int, path_prefix: str, is_encrypted: bool) -> str:
    """Return the URL of the dashboard, with the host name if bound to all addresses, without the token."""
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{name}]" if ":" in name else name
    return f"{'https' if is_encrypted else 'http'}://{name}:{port}{path_prefix}/"
