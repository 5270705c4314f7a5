"""summary-server repair: writes the sound records of an event file into another one."""

import contextlib
import os
import secrets
import sys
from collections.abc import Iterable, Sequence

from toposcope.proto.file_name import FileName, parse_file_name
from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.file_check import Survey, survey
from toposcope.server.loading.load_once import NO_EVENT_FILE

_CHUNK_BYTES = 1 << 20
_REASONS = {"payload": "its payload is damaged", "length": "its length is damaged"}


def run(arguments: Sequence[str]) -> int:
    """Repair what the arguments say; return the exit status."""
    parser = Parser(
        "summary-server repair",
        "Write the sound records of a damaged event file, byte for byte, into a new file. The damaged one stays.",
    )
    parser.add_argument("file", metavar="FILE", help="event file to read")
    parser.add_argument("--out", required=True, metavar="FILE", help="file to write, which must not exist")
    options = parser.parse_hyphenated(arguments)
    try:
        found = repair(options.file, options.out)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    _tell(found, options.out)
    return 0


def repair(path: str, out: str) -> Survey:
    """Write the sound records of an event file into a new file, which appears at once and whole.

    A record is sound when its checksums are, and when its message can be read. Takes no more memory for a large file
    than for a small one.

    Returns:
        What the event file held.

    Raises:
        OSError: a file cannot be read or written, with a message that names it.
        ValueError: path is no event file, holds no sound record or is cut short meanwhile; or out exists, or its name
            would not have it read as what it is.
    """
    name = _event_file_name(path)
    named = parse_file_name(os.path.basename(out))
    if named is None or (named.dialect, named.is_lineage) != (name.dialect, name.is_lineage):
        raise ValueError(
            f"--out {out!r} would not be read as what it is, by its name: keep {os.path.basename(path)!r}, in another "
            "folder, or add to its end"
        )
    if os.path.lexists(out):
        raise ValueError(f"--out {out!r} exists: name a file that does not, nothing is overwritten")
    try:
        source = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise OSError(f"{path!r} cannot be opened: {error.strerror}") from None
    try:
        found = _survey(source, name, path)
        _write(source, found.sound, out)
    finally:
        os.close(source)
    return found


def _event_file_name(path: str) -> FileName:
    name = parse_file_name(os.path.basename(path))
    if not os.path.isfile(path):
        raise ValueError(f"{path!r} is no file")
    if name is None:
        raise ValueError(f"{path!r} is {NO_EVENT_FILE}")
    return name


def _survey(source: int, name: FileName, path: str) -> Survey:
    try:
        found = survey(source, name)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path!r} cannot be read: {error}") from None
    if not found.records:
        raise ValueError(f"{path!r} holds no sound record: nothing to write")
    return found


def _write(source: int, stretches: Iterable[tuple[int, int]], out: str) -> None:
    """Write stretches of a file under another name, then rename it."""
    # No event file by its name: a server that watches the folder leaves it alone.
    draft = os.path.join(os.path.dirname(out) or ".", f".{secrets.token_hex(8)}.part")
    try:
        try:
            with open(draft, "xb") as opened:
                for start, end in stretches:
                    _copy(source, start, end, opened.fileno())
                os.fsync(opened.fileno())
            os.rename(draft, out)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(draft)
            raise
    except OSError as error:
        raise OSError(f"--out {out!r} cannot be written: {error.strerror}") from None


def _copy(source: int, start: int, end: int, target: int) -> None:
    while start < end:
        chunk = os.pread(source, min(_CHUNK_BYTES, end - start), start)
        if not chunk:
            raise ValueError(f"the event file was cut short while it was read, at byte {start}")
        start += len(chunk)
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(target, rest) :]


def _tell(found: Survey, out: str) -> None:
    print(f"{out}: {found.records:,} records kept, {sum(end - start for start, end in found.sound):,} bytes")
    for start, end, reason in found.damage:
        print(f"left out: {end - start:,} bytes at {start}, {_REASONS[reason]}")
    if found.size > found.end:
        print(f"left out: {found.size - found.end:,} bytes at {found.end}, the beginning of a record")
    left_out = found.size - sum(end - start for start, end in found.sound)
    print(f"{len(found.damage):,} damaged places skipped, {left_out:,} of {found.size:,} bytes left out")
    sys.stdout.flush()
