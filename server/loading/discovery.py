"""Finds the event files of a logdir."""

import os
import stat
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from toposcope.proto.file_name import FileName, parse_file_name


class FoundFile(NamedTuple):
    """An event file on disk."""

    run: str
    """Its directory relative to the logdir; "." for the logdir itself."""
    path: str
    name: FileName
    status: os.stat_result


class Discovery(NamedTuple):
    """Result of a walk over a logdir or a part of it."""

    files: list[FoundFile]
    ignored_files: int
    """Files that are not event files according to their names or types."""
    problems: dict[str, str]
    """Directories that could not be listed, with the reason."""
    has_links: bool
    """Whether a directory or a file is reachable only through a symbolic link, so that its changes are not reported."""


def discover(logdir: str, below: str | None = None) -> Discovery:
    """Walk a logdir, or the part of it below a directory, and return its event files. Follows symbolic links.

    A logdir that does not exist has no files; directories that cannot be listed are in `problems`.
    """
    files: list[FoundFile] = []
    ignored = 0
    problems: dict[str, str] = {}
    has_links = False
    for directory, entries in _walk(below or logdir, problems):
        has_links = has_links or os.path.islink(directory)
        for entry in entries:
            file = _event_file(logdir, entry.path, entry.name, _status(entry))
            if file:
                files.append(file)
                has_links = has_links or entry.is_symlink()
            else:
                ignored += 1
    return Discovery(files, ignored, problems, has_links)


def find(logdir: str, path: str) -> FoundFile | None:
    """Return the event file at a path below the logdir, or None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return _event_file(logdir, path, os.path.basename(path), status if stat.S_ISREG(status.st_mode) else None)


def printable(path: str) -> str:
    r"""Return a path as text, in which bytes that are not valid UTF-8 are escaped as \xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _event_file(logdir: str, path: str, file_name: str, status: os.stat_result | None) -> FoundFile | None:
    name = parse_file_name(file_name)
    if name is None or status is None:
        return None
    run = printable(os.path.relpath(os.path.dirname(path), logdir)).replace(os.sep, "/")
    return FoundFile(run, path, name, status)


def _walk(top: str, problems: dict[str, str]) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Yield every directory with its files; one that has links to it is yielded once, under its own name."""
    seen: set[tuple[int, int]] = set()
    pending, links = [top], deque[str]()
    while pending or links:
        directory = pending.pop() if pending else links.popleft()
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
        directories = [entry for entry in reversed(entries) if _is_directory(entry)]
        pending += [entry.path for entry in directories if not entry.is_symlink()]
        links += [entry.path for entry in reversed(directories) if entry.is_symlink()]
        yield directory, [entry for entry in entries if not _is_directory(entry)]


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the status of a regular file; None for anything else, as opening a pipe would block."""
    try:
        status = entry.stat()
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None
