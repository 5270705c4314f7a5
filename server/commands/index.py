"""summary-server index: reads the event files of a logdir on many processes or a cluster, so that servers need not."""

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TextIO

from toposcope.executors import FORMS, Workers, workers_on
from toposcope.server.commands.arguments import Parser, check_listable, is_inside
from toposcope.server.indexing.indexing import Progress, Summary, index_logdir
from toposcope.server.places.addresses import addresses_of, is_remote, parse_places, text_of
from toposcope.server.reading.index.index import default_folder

_MAX_PRINTED = 10
_COLUMNS = 79
_BAR_COLUMNS = 10
_LINE_SECONDS = 10.0
"""How often a line is printed where it cannot be overwritten."""
_DESCRIPTION = """\
Read the event files of a log directory on all processors of this machine or on
a cluster, and write what they contain to an index. A server that is started
with this index reads no event file that has not changed since. Only what the
index lacks is read: after an interruption, run the same command again."""


def run(arguments: Sequence[str]) -> int:
    """Index a logdir; return 1 if something could not be read."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    line = _ProgressLine(sys.stderr)
    try:
        logdir = parse_places(options.dir)
        index = options.index_dir if is_remote(options.index_dir) else os.path.abspath(options.index_dir)
        _check(logdir, index)
        if options.lake is not None:
            _check_lake(logdir, options.lake)
        with workers_on(options.on) as workers:
            summary = index_logdir(logdir, index, workers, follow_links=options.follow_links, progress=line.show)
            line.end()
            status = _print_summary(summary, index)
            if options.lake is not None:
                _write_lake(logdir, index, options, workers)
    except (OSError, ValueError, ModuleNotFoundError, RuntimeError) as error:
        line.end()
        parser.error(str(error))
    finally:
        line.end()
    return status


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "summary-server index",
        _DESCRIPTION,
        "Exit status: 0; 1 if something could not be read; 2 for invalid arguments.",
    )
    parser.add_argument(
        "dir",
        nargs="+",
        metavar="DIR",
        help="directory of runs, or the address of an object store, as for --logdir; several as NAME=DIR",
    )
    parser.add_argument("--on", default="processes", metavar="WORKERS", help=f"{FORMS}; default: processes")
    parser.add_argument(
        "--index-dir",
        type=os.path.expanduser,
        default=str(default_folder()),
        metavar="DIR",
        help="a directory, or an address in an object store, which servers read with the same option; "
        "default: in the user's cache",
    )
    parser.add_argument(
        "--lake",
        type=os.path.expanduser,
        metavar="OUT",
        help="also bring the Parquet files of a lake up to date, in a directory or an object store",
    )
    parser.add_argument(
        "--data-dir", metavar="DIR", help="directory or address of notes for the lake; default: that of summary-server"
    )
    parser.add_follow_links()
    return parser


def _check(logdir: str | Mapping[str, str], index: str) -> None:
    """Check that the logdir can be listed, and that the index is not inside it.

    Raises:
        OSError: a directory does not exist.
        ValueError: a directory cannot be read, or contains the index.
    """
    for address in addresses_of(logdir):
        if not is_remote(address):
            check_listable("DIR", address)
        if is_remote(address) == is_remote(index) and _contains(address, index):
            raise ValueError(f"--index-dir {index!r} is inside DIR, which is read-only: choose another directory")


def _check_lake(logdir: str | Mapping[str, str], out: str) -> None:
    """Check that a lake can be written, and is not inside the logdir.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
        ValueError: it is inside.
    """
    from toposcope.server.lake.tables.schema import parquet

    parquet()
    for address in addresses_of(logdir):
        if is_remote(address) == is_remote(out) and _contains(address, out):
            raise ValueError(f"--lake {out!r} is inside DIR, which is read-only: choose another directory")


def _write_lake(logdir: str | Mapping[str, str], index: str, options: argparse.Namespace, workers: Workers) -> None:
    from toposcope.server.commands.compact import read_notes
    from toposcope.server.data_files.data_folder import data_files, default_data_folder
    from toposcope.server.indexing.lake import write_lake_of
    from toposcope.server.notes.notes_folder import LARGEST_FILE, NotesFolder

    out = options.lake.rstrip("/") if is_remote(options.lake) else os.path.abspath(options.lake)
    files = data_files(options.data_dir or default_data_folder(), "notes", text_of(logdir), LARGEST_FILE)
    notes = read_notes(NotesFolder(files))
    lake = write_lake_of(logdir, index, out, workers, notes=notes, follow_links=options.follow_links)
    print(f"{out}: {lake.runs:,} runs, {lake.points:,} points, {lake.written_parts:,} parts written")


def _contains(address: str, index: str) -> bool:
    if is_remote(address):
        return f"{index.rstrip('/')}/".startswith(f"{address.rstrip('/')}/")
    return is_inside(index, address)


def _print_summary(summary: Summary, index: str) -> int:
    print(f"{index}: {summary.indexed:,} files indexed, {summary.up_to_date:,} were up to date")
    for path, reason in list(summary.problems.items())[:_MAX_PRINTED]:
        print(f"  {path}: {reason}", file=sys.stderr)
    if len(summary.problems) > _MAX_PRINTED:
        print(f"  and {len(summary.problems) - _MAX_PRINTED:,} more that could not be read", file=sys.stderr)
    return 1 if summary.problems else 0


def _bar(progress: Progress) -> str:
    done = progress.size / progress.all_size if progress.all_size else 1.0
    return f"[{'#' * int(_BAR_COLUMNS * done):{_BAR_COLUMNS}}]"


class _ProgressLine:
    """The progress: a bar in one line of a terminal that is overwritten, elsewhere a line now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._start = time.monotonic()
        self._next = 0.0
        self._is_open = False

    def show(self, progress: Progress) -> None:
        """Show the progress."""
        if not progress.all_files:
            return
        now = time.monotonic()
        if self._is_terminal:
            self._stream.write(f"\r{f'{_bar(progress)} {self._text(progress)}':{_COLUMNS}.{_COLUMNS}}")
            self._is_open = True
        elif now >= self._next or progress.files == progress.all_files:
            self._next = now + _LINE_SECONDS
            self._stream.write(f"{self._text(progress)}\n")
        self._stream.flush()

    def _text(self, progress: Progress) -> str:
        seconds = time.monotonic() - self._start
        text = (
            f"{progress.files:,} of {progress.all_files:,} files, "
            f"{progress.size / 1e6:,.0f} of {progress.all_size / 1e6:,.0f} MB"
        )
        if not progress.size:
            return text
        return f"{text}, {seconds * (progress.all_size - progress.size) / progress.size:,.0f} s left"

    def end(self) -> None:
        """End the line of the terminal."""
        if self._is_open:
            self._stream.write("\n")
        self._is_open = False
