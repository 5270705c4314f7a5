"""summary-server compact: keeps the Parquet files of a lake up to date with a logdir."""

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from toposcope.server.commands.arguments import Parser, check_listable, is_inside
from toposcope.server.data_files.data_folder import data_files, default_data_folder
from toposcope.server.data_files.json_files import DamagedFileError
from toposcope.server.lake.compaction import Compacted, check_is_lake, compact
from toposcope.server.lake.folder import Folder, open_folder
from toposcope.server.lake.runs_table import Notes
from toposcope.server.lake.tables.schema import parquet
from toposcope.server.loading.load_once import Loaded, load_logdir
from toposcope.server.notes.notes_folder import LARGEST_FILE, NotesFolder
from toposcope.server.places.addresses import addresses_of, is_remote, parse_places, text_of
from toposcope.server.places.place import reason_of
from toposcope.server.process.garbage_collection import no_collections
from toposcope.server.reading.index.index import Index, default_folder

_DESCRIPTION = """\
Write the scalars and runs of a logdir as Parquet files (scalars/, tags/ and
runs.parquet) for DuckDB, Polars, pandas, Spark or ClickHouse, and keep them up
to date: only what changed since the last call is written again."""


def run(arguments: Sequence[str]) -> int:
    """Bring a lake up to date; return 1 if not all of the logdir could be read."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    start = time.perf_counter()
    try:
        parquet()
        logdir, folder = check_places(options.dir, options.out)
        check_is_lake(folder, folder.names())
        index_dir = Path(os.path.expanduser(options.index_dir)) if options.index_dir else default_folder()
        if any(contains(address, str(index_dir)) for address in addresses_of(logdir)):
            raise ValueError(f"--index-dir {str(index_dir)!r} is inside DIR, which is read-only")
        notes = NotesFolder(
            data_files(options.data_dir or default_data_folder(), "notes", text_of(logdir), LARGEST_FILE)
        )
        with no_collections():
            loaded = load_logdir(logdir, Index(index_dir), follow_links=options.follow_links)
            check_runs(loaded, text_of(logdir))
            compacted = compact(folder, loaded.runs, read_notes(notes), is_complete=not loaded.problems)
    except (ModuleNotFoundError, OSError, ValueError) as error:
        parser.error(error_text(error))
    return _print_summary(options.out, compacted, loaded, time.perf_counter() - start)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "summary-server compact",
        _DESCRIPTION,
        "Exit status: 0; 1 if not all of DIR could be read; 2 for invalid arguments and failures.",
    )
    parser.add_argument(
        "dir",
        metavar="DIR",
        nargs="+",
        help="directory of runs, or the address of an object store; or several, each as NAME=DIR",
    )
    parser.add_argument(
        "--out", required=True, metavar="OUT", help="directory of the lake, or the address of an object store"
    )
    parser.add_argument("--index-dir", metavar="DIR", help="directory of the index; default: that of summary-server")
    parser.add_argument(
        "--data-dir", metavar="DIR", help="directory or address of notes; default: that of summary-server"
    )
    parser.add_follow_links()
    return parser


def check_places(arguments: Sequence[str], out: str) -> tuple[str | dict[str, str], Folder]:
    """Return the logdir that arguments name, or several by name, and the folder of the lake.

    Raises:
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        OSError: a logdir does not exist.
        ValueError: it cannot be read, or the lake is inside it.
    """
    places = parse_places(arguments)
    out = out.rstrip("/") if is_remote(out) else os.path.expanduser(out)
    for address in addresses_of(places):
        if not is_remote(address):
            check_listable("DIR", address)
        if contains(address, out):
            raise ValueError(f"--out {out!r} is inside DIR, which is read-only: choose another directory")
    return places, open_folder(out)


def contains(logdir: str, path: str) -> bool:
    """Return whether a path or an address is that of a logdir, or inside it."""
    if is_remote(logdir):
        return f"{path}/".startswith(f"{logdir.rstrip('/')}/")
    return not is_remote(path) and is_inside(path, logdir)


def check_runs(loaded: Loaded, logdir: str) -> None:
    """Check that a logdir has runs: one that is not mounted has none.

    Raises:
        ValueError: it has none.
    """
    if not loaded.runs:
        raise ValueError(f"DIR {logdir!r} has no runs: expected event files in it or in its subdirectories")


def read_notes(folder: NotesFolder) -> dict[str, Notes]:
    """Return the notes in a folder, by run; without those that are damaged.

    Raises:
        OSError: the folder cannot be listed.
    """
    notes: dict[str, Notes] = {}
    for name in folder.files.stamps():
        with contextlib.suppress(OSError, DamagedFileError):
            run, found = folder.read(name)
            notes[run] = Notes(found.alias, found.note, tuple(found.labels), found.archived)
    return notes


def error_text(error: Exception) -> str:
    """Return an error in one line, with the file that it is about."""
    named = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
    return named + (reason_of(error) if named else str(error))


def _print_summary(out: str, compacted: Compacted, loaded: Loaded, seconds: float) -> int:
    print(
        f"{out}: {compacted.runs:,} runs, {compacted.points:,} points in {compacted.parts:,} parts; "
        f"{compacted.written_parts:,} written, {compacted.deleted_parts:,} deleted in {seconds:.1f} s"
    )
    for path, reason in list(loaded.problems.items())[:10]:
        print(f"{path}: {reason}")
    if compacted.kept:
        print(f"{len(compacted.kept):,} runs were not found, or lack files, and are left as they are")
    return 1 if loaded.problems else 0
