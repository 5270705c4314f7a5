"""summary-server repair: copies the intact records of an event file into a new file."""

import contextlib
import os
import secrets
import sys
from collections.abc import Iterable, Sequence

from toposcope.proto.file_name import FileName, parse_file_name
from toposcope.server.commands.arguments import Parser
from toposcope.server.loading.load_once import NO_EVENT_FILE
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import OpenFile
from toposcope.server.reading.file_check import FileCheck, check_file

_CHUNK_BYTES = 1 << 20
_REASONS = {"payload": "damaged payload", "length": "damaged length"}


def run(arguments: Sequence[str]) -> int:
    """Repair an event file; return the exit status."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    try:
        check = repair(options.file, options.out)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    _print_summary(check, options.out)
    return 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "summary-server repair",
        "Copy the intact records of a damaged event file, byte for byte, into a new file.\n"
        "The damaged file is not modified.",
    )
    parser.add_argument("file", metavar="FILE", help="the damaged event file")
    parser.add_argument("--out", required=True, metavar="FILE", help="the file to create; it must not exist")
    return parser


def repair(path: str, out: str) -> FileCheck:
    """Copy the intact records of an event file into a new file, which is created atomically.

    A record is intact if its checksums are correct and its message can be parsed. Memory use does not depend on the
    size of the file.

    Returns:
        The result of checking the event file.

    Raises:
        OSError: a file cannot be read or written; the message names it.
        ValueError: `path` is not an event file, has no intact record, or was truncated while it was read; or `out`
            exists, or its name is not that of the same kind of event file.
    """
    name = _event_file_name(path)
    out_name = parse_file_name(os.path.basename(out))
    if out_name is None or (out_name.dialect, out_name.is_lineage) != (name.dialect, name.is_lineage):
        raise ValueError(
            f"--out {out!r} does not have the name of such an event file: use {os.path.basename(path)!r} in another "
            "directory, or append to it"
        )
    if os.path.lexists(out):
        raise ValueError(f"--out {out!r} exists: choose a new file, nothing is overwritten")
    try:
        source = UNCHECKED.open(path)
    except OSError as error:
        raise OSError(f"{path!r} cannot be opened: {error.strerror}") from None
    with contextlib.closing(source):
        check = _check(source, name, path)
        _write(source, check.intact_ranges, out)
    return check


def _event_file_name(path: str) -> FileName:
    name = parse_file_name(os.path.basename(path))
    if not os.path.isfile(path):
        raise ValueError(f"{path!r} is not a file")
    if name is None:
        raise ValueError(f"{path!r} is {NO_EVENT_FILE}")
    return name


def _check(source: OpenFile, name: FileName, path: str) -> FileCheck:
    try:
        check = check_file(source, name)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path!r} cannot be read: {error}") from None
    if not check.records:
        raise ValueError(f"{path!r} has no intact record: there is nothing to write")
    return check


def _write(source: OpenFile, ranges: Iterable[tuple[int, int]], out: str) -> None:
    """Copy byte ranges into a temporary file, then rename it."""
    # Its name is not that of an event file, so that a server watching the directory ignores it.
    temporary = os.path.join(os.path.dirname(out) or ".", f".{secrets.token_hex(8)}.part")
    try:
        try:
            with open(temporary, "xb") as target:
                for start, end in ranges:
                    _copy(source, start, end, target.fileno())
                os.fsync(target.fileno())
            os.rename(temporary, out)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise OSError(f"--out {out!r} cannot be written: {error.strerror}") from None


def _copy(source: OpenFile, start: int, end: int, target: int) -> None:
    while start < end:
        chunk = source.read(start, min(_CHUNK_BYTES, end - start))
        if not chunk:
            raise ValueError(f"the event file was truncated while it was read, at byte {start}")
        start += len(chunk)
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(target, rest) :]


def _print_summary(check: FileCheck, out: str) -> None:
    kept = sum(end - start for start, end in check.intact_ranges)
    print(f"{out}: {check.records:,} records kept, {kept:,} bytes")
    for start, end, reason in check.damage:
        print(f"skipped: {end - start:,} bytes at {start}, {_REASONS[reason]}")
    if check.size > check.end:
        print(f"skipped: {check.size - check.end:,} bytes at {check.end}, an incomplete record")
    print(f"{len(check.damage):,} damaged places, {check.size - kept:,} of {check.size:,} bytes skipped")
    sys.stdout.flush()
