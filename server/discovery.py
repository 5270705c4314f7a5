"""Which event files a logdir holds."""

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from toposcope.proto.file_name import FileName, parse_file_name


class Found(NamedTuple):
    """An event file on disk."""

    run: str
    """Its directory relative to the logdir; "." for the logdir itself."""
    path: str
    name: FileName
    status: os.stat_result


class Discovery(NamedTuple):
    """What one walk over a logdir found."""

    files: list[Found]
    ignored_files: int
    """Files that are no event files by their names or their kind."""
    problems: dict[str, str]
    """Directories that could not be listed, with the reason."""


def discover(logdir: str) -> Discovery:
    """Walk a logdir, symbolic links followed, and list its event files.

    A logdir that does not exist holds nothing; a directory that cannot be listed is reported in problems.
    """
    files: list[Found] = []
    ignored = 0
    problems: dict[str, str] = {}
    for directory, entries in _walk(logdir, problems):
        run = os.path.relpath(directory, logdir).replace(os.sep, "/")
        for entry in entries:
            name = parse_file_name(entry.name)
            status = _status(entry) if name else None
            if name is None or status is None:
                ignored += 1
            elif not name.is_lineage:
                files.append(Found(run, entry.path, name, status))
    return Discovery(files, ignored, problems)


def _walk(top: str, problems: dict[str, str]) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Yield every directory with its files; a directory reached twice through links is yielded once."""
    seen: set[tuple[int, int]] = set()
    waiting = [top]
    while waiting:
        directory = waiting.pop()
        try:
            identity = os.stat(directory)
            if (identity.st_dev, identity.st_ino) in seen:
                continue
            seen.add((identity.st_dev, identity.st_ino))
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            problems[directory] = error.strerror or str(error)
            continue
        waiting += [entry.path for entry in reversed(entries) if _is_directory(entry)]
        yield directory, [entry for entry in entries if not _is_directory(entry)]


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the status of a regular file; None for anything else: to open a pipe would wait for its writer."""
    try:
        status = entry.stat()
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None
