"""The options of summary-server without a subcommand, and what they must be together."""

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Mapping, Sequence

from toposcope.server.commands.arguments import Parser, check_listable, is_inside
from toposcope.server.commands.token import VARIABLE, Token, token_argument
from toposcope.server.http.host_names import ANY_HOST, page_origin
from toposcope.server.places.addresses import addresses_of, is_remote, parse_places, place_of
from toposcope.server.process.version import VERSION

DEFAULT_PORT = 6006
_RELOAD_SECONDS, _REMOTE_RELOAD_SECONDS = 2.0, 30.0
_MAX_WORKERS = 64
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
  export                convert runs to CSV, PNG, NPY and JSON files, or Parquet
  compact               keep Parquet files of all runs up to date
  index                 read event files on many processes or on a cluster

questions, which need no server (--json prints the answer for programs):
  runs                  list the runs that match a search
  tags                  list the tags of a run, or of all runs
  get                   print scalar series, or expressions of them
  show                  show the state, hyperparameters and metrics of a run
  compare               compare the hyperparameters and metrics of runs
  best                  list the best runs by a metric
  console               print what a training wrote to stdout and stderr
  text                  print the texts that a run recorded
  diagnose              look for what is wrong in a run
  check                 fail if a condition holds for a run
  mcp                   answer the questions of agents

Run "summary-server SUBCOMMAND --help" for the options of a subcommand."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; underscores in flags equal hyphens, other TensorBoard flags are ignored with a notice."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    for flag in _TENSORBOARD_FLAGS:
        if getattr(options, flag.replace("-", "_")) is not None:
            print(f"summary-server: ignoring --{flag}, a TensorBoard flag that has no effect", file=sys.stderr)
    if options.bind_all:
        options.host = options.host or "0.0.0.0"
    options.host = options.host or "127.0.0.1"
    try:
        options.logdir = parse_places(options.logdir)
    except ValueError as error:
        parser.error(f"--logdir {error}")
    if options.reload_interval is None:
        any_is_remote = any(map(is_remote, addresses_of(options.logdir)))
        options.reload_interval = _REMOTE_RELOAD_SECONDS if any_is_remote else _RELOAD_SECONDS
    return options


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser("summary-server", _DESCRIPTION, _EPILOG)
    parser.add_argument(
        "--logdir",
        required=True,
        action="append",
        metavar="PLACE",
        help="directory of runs, or address of an object store, as s3://bucket/prefix, gs:// or az://; searched "
        "recursively (required); may be created later; repeatable as NAME=PLACE: the runs of each begin with NAME/",
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
        metavar="SECONDS",
        help="seconds between scans for new runs, 0 to load once; default: 2, for an object store 30",
    )
    parser.add_follow_links()
    parser.add_formats()
    parser.add_argument(
        "--path-prefix",
        type=_prefix,
        default="",
        metavar="PATH",
        help="serve below this path, for a reverse proxy that does not remove it from requests",
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="host name that requests may use, for a reverse proxy; repeatable; *: any, if a token is required",
    )
    parser.add_argument(
        "--allow-embed",
        action="append",
        type=page_origin,
        default=[],
        metavar="ORIGIN",
        help="origin of pages that may embed the dashboard, such as https://lab.example.org; repeatable",
    )
    parser.add_argument(
        "--certfile", metavar="FILE", help="certificate in PEM format, to serve HTTPS; default: not encrypted"
    )
    parser.add_argument("--keyfile", metavar="FILE", help="private key of the certificate; default: in --certfile")
    parser.add_argument(
        "--read-only", action="store_true", help="serve no notes and saved views: requests can change nothing"
    )
    parser.add_argument(
        "--alerts",
        metavar="FILE",
        help="rules in TOML that are watched while runs grow, and where to send their alerts; see docs/alerts.md",
    )
    parser.add_argument("--mcp", action="store_true", help="answer the questions of agents at /mcp; see mcp --help")
    parser.add_argument(
        "--index-dir",
        metavar="DIR",
        help="directory for the index of data already read, which makes restarts fast, or the address to which "
        "summary-server index wrote it; default: in the user's cache",
    )
    parser.add_argument(
        "--data-dir",
        metavar="PLACE",
        help="directory for notes on runs and saved views, or an address in an object store, which several servers may "
        "share; default: in the user's data directory",
    )
    token = parser.add_mutually_exclusive_group()
    token.add_argument(
        "--token",
        type=token_argument,
        metavar="T",
        help="token that requests must present; other users can read it in the list of processes",
    )
    token.add_argument(
        "--token-file",
        metavar="FILE",
        help="file that contains the token; created with a random one if it does not exist; default: the environment "
        f"variable {VARIABLE}, else none on loopback and a random one at other addresses",
    )
    token.add_argument("--no-token", action="store_true", help="do not require a token")
    parser.add_argument(
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="number of processes that answer requests, beside the one that reads if more than one; default: 1",
    )
    parser.add_argument(
        "--memory-limit",
        type=_memory,
        default="1G",
        metavar="SIZE",
        help="memory that a process may take for requests that compute much, all together, such as 500M or 2G, beside "
        "what the runs take; default: 1G",
    )
    parser.add_argument(
        "--metrics-public", action="store_true", help="serve /metrics without the token; default: it needs the token"
    )
    parser.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="form of the log on standard error: text, or one JSON object a line; default: text",
    )
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


def _memory(text: str) -> int:
    match = re.fullmatch(r"([1-9][0-9]{0,5})([MG])i?B?", text, re.IGNORECASE | re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(f"invalid size {text!r}: expected a number of megabytes or gigabytes, as 500M")
    return int(match[1]) << (20 if match[2] in "mM" else 30)


def _workers(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= _MAX_WORKERS:
        raise argparse.ArgumentTypeError(
            f"invalid number of workers {text!r}: expected an integer from 1 to {_MAX_WORKERS}"
        )
    if int(text) > 1 and not hasattr(os, "memfd_create"):
        raise argparse.ArgumentTypeError(f"invalid number of workers {text!r}: expected 1, as this system is not Linux")
    return int(text)


def _prefix(text: str) -> str:
    prefix = "/" + text.strip("/")
    if not re.fullmatch(r"(/[\w.~-]+)*/?", prefix, re.ASCII):
        raise argparse.ArgumentTypeError(f"invalid path prefix {text!r}: expected a path such as /toposcope")
    return prefix.rstrip("/")


def check_combination(options: argparse.Namespace, token: Token) -> None:
    """Check options that exclude one another.

    Raises:
        ValueError: any host is allowed without a token, or --read-only has a folder for notes and views.
    """
    if ANY_HOST in options.allowed_host and token.value is None:
        raise ValueError(f"--allowed-host {ANY_HOST!r} needs a token, without which other sites could read the runs")
    if options.read_only and options.data_dir and not options.alerts:
        raise ValueError(
            f"--data-dir {options.data_dir!r} is for notes and views, which --read-only excludes: omit one of them"
        )


def check_logdir(logdir: str | Mapping[str, str]) -> None:
    """Check that the directories of a logdir can be listed, if they exist, and that other addresses are valid.

    Raises:
        ModuleNotFoundError: an object store needs a package that is not installed.
        ValueError: one cannot be listed or is not valid, or one of several contains another one.
    """
    place_of(logdir)
    for address in addresses_of(logdir):
        if not is_remote(address):
            with contextlib.suppress(FileNotFoundError):  # The server waits for a missing logdir.
                check_listable("--logdir", address)


def check_outside_logdir(flag: str, folder: str | None, logdir: str) -> None:
    """Check that the directory of a flag, which is written to, is not inside the logdir, which is read-only.

    Raises:
        ValueError: it is inside.
    """
    if folder and (is_remote(logdir) or is_remote(folder)):
        is_within = f"{folder}/".startswith(f"{logdir.rstrip('/')}/")
    else:
        is_within = bool(folder) and is_inside(str(folder), logdir)
    if is_within:
        raise ValueError(f"{flag} {folder!r} is inside the logdir, which is read-only: choose another directory")


def check_data_dir(address: str | None) -> None:
    """Check the address of the data folder, if it is in an object store.

    Raises:
        ModuleNotFoundError: the package for object stores is not installed.
        ValueError: the address is not valid.
    """
    if address and is_remote(address):
        place_of(address)


def check_formats(text: str) -> None:
    """Check the names of formats.

    Raises:
        ValueError: one is not that of a format.
    """
    if text not in ("all", "none"):
        from toposcope.server.formats.formats import choose

        choose(text)
