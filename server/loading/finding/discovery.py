"""Finds the event files of a logdir."""

import errno
import os
import re
from collections import deque
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

from toposcope.proto.file_name import FileName, parse_file_name
from toposcope.server.formats.format import Source
from toposcope.server.formats.formats import Formats
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import Entry, Place, Status, is_gone, reason_of
from toposcope.server.places.several_places import NamedPlace, SeveralPlaces

_ESCAPED = re.compile(r"\\x[0-9a-f]{2}|[\udc80-\udcff]")
"""An escape in a name itself, or a byte that is not valid UTF-8, as Python has it in texts."""
_NO_FILE = {errno.EISDIR, errno.EINVAL, errno.ELOOP, errno.ENAMETOOLONG}


class FoundFile(NamedTuple):
    """An event file."""

    run: str
    """Its directory relative to the logdir; "." for the logdir itself."""
    path: str
    name: FileName
    status: Status


class Discovery(NamedTuple):
    """Result of a walk over a logdir or a part of it."""

    files: list[FoundFile]
    ignored_files: int
    """Files that are not event files according to their names or types."""
    unlisted: dict[str, str]
    """Directories that could not be listed, and files whose type or status could not be determined, with the reason.
    Nothing is known of them and of what is below them."""
    unfollowed: dict[str, str]
    """Links that are not followed, with the reason."""
    directories: int
    """How many were listed."""
    has_links: bool
    """Whether a directory or a file is reachable only through a symbolic link, so that its changes are not reported."""
    sources: Sequence[Source] = ()
    """Logs in other formats."""


def discover(
    logdir: str, below: str | None = None, place: Place = UNCHECKED, formats: Formats | None = None
) -> Discovery:
    """Walk a logdir, or the part of it below a directory, and return its event files and the logs in other formats.

    A logdir that does not exist has no files; directories that cannot be listed are in `unlisted`.

    Args:
        logdir: a directory of the place.
        below: a directory in it.
        place: where it lies; of several places, all are walked, and the names of runs begin with those of their places.
        formats: other formats than event files; None: none. They are read on a local disk only.
    """
    if isinstance(place, SeveralPlaces):
        return _discover_each(place, formats)
    found = Discovery([], 0, {}, {}, 0, False)
    ignored, directories, has_links = 0, 0, False
    sources = list[Source]()
    for directory, is_linked, entries in _walk(below or logdir, place, found):
        directories += 1
        has_links = has_links or is_linked
        run = _run_of(directory, logdir) if entries else ""
        known = len(found.files)
        for entry in entries:
            name = parse_file_name(entry.name) if entry.status else None
            if entry.status and name:
                found.files.append(FoundFile(run, entry.path, name, entry.status))
                has_links = has_links or entry.is_link
            elif entry.kind == "unknown":
                found.unlisted[entry.path] = entry.problem
            elif entry.problem:
                found.unfollowed[entry.path] = entry.problem
            else:
                ignored += 1
        if formats is not None and len(entries) > len(found.files) - known:
            sources += formats.find(directory, run, entries, place)
    ignored -= len({source.path for source in sources})
    return found._replace(ignored_files=ignored, directories=directories, has_links=has_links, sources=sources)


def _discover_each(places: SeveralPlaces, formats: Formats | None) -> Discovery:
    all_found, sources = Discovery([], 0, {}, {}, 0, False), list[Source]()
    for each in places:
        found = _discover_named(each, formats)
        all_found.files.extend(file._replace(run=_named(each, file.run)) for file in found.files)
        sources += [source._replace(run=_named(each, source.run)) for source in found.sources]
        all_found.unlisted.update(found.unlisted)
        all_found.unfollowed.update(found.unfollowed)
        all_found = all_found._replace(
            ignored_files=all_found.ignored_files + found.ignored_files,
            directories=all_found.directories + found.directories,
            has_links=all_found.has_links or found.has_links,
        )
    return all_found._replace(sources=sources)


def _discover_named(place: NamedPlace, formats: Formats | None) -> Discovery:
    try:
        root = place.resolve()
    except OSError as error:
        return Discovery([], 0, {place.root: reason_of(error)}, {}, 0, False)
    return discover(root, place=place.place, formats=formats)


def _named(place: NamedPlace, run: str) -> str:
    return place.name if run == "." else f"{place.name}/{run}"


def find(logdir: str, path: str, place: Place = UNCHECKED) -> FoundFile | None:
    """Return the event file at a path below the logdir, or None if there is none.

    Raises:
        OSError: what is at the path cannot be determined at present.
    """
    directory, file_name = os.path.split(path)
    name = parse_file_name(file_name)
    if name is None:
        return None
    try:
        return FoundFile(_run_of(directory, logdir), path, name, place.stat(path))
    except OSError as error:
        if is_gone(error) or error.errno in _NO_FILE:
            return None
        raise


def find_sources(logdir: str, path: str, place: Place, formats: Formats) -> list[Source]:
    """Return the log in another format that a file below the logdir is; nothing if it is none.

    Raises:
        OSError: its directory cannot be listed.
    """
    return formats.find_one(path, _run_of(os.path.dirname(path), logdir), place)


def printable(path: str) -> str:
    r"""Return a path as text, in which bytes that are not valid UTF-8 are escaped as \xff.

    The texts of different paths differ: in one with such a byte, or an escape in its name, backslashes are doubled.
    """
    if path.isascii() and "\\" not in path:  # As most are.
        return path
    if _ESCAPED.search(path):
        path = path.replace("\\", "\\\\")
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def find_above(path: str, directories: Collection[str], top: str) -> str | None:
    """Return which of some directories a path is, or is below; None if it is neither.

    Args:
        path: a path below `top`.
        directories: `top`, or paths below it.
        top: a directory.
    """
    while path not in directories:
        if len(path) <= len(top):
            return None
        path = os.path.dirname(path)
    return path


def _run_of(directory: str, logdir: str) -> str:
    """Return the run of the event files in a directory."""
    return printable(_relative(directory, logdir)).replace(os.sep, "/")


def _relative(directory: str, logdir: str) -> str:
    """Return the path of a directory relative to the logdir."""
    top = logdir.rstrip(os.sep) + os.sep
    if directory.startswith(top):  # relpath() asks for the working directory, twice for each file.
        return directory[len(top) :] or "."
    return os.path.relpath(directory, logdir)


def _walk(top: str, place: Place, found: Discovery) -> Iterator[tuple[str, bool, Sequence[Entry]]]:
    """Yield every directory, whether it is a link, and its files; one with several names is yielded once.

    The other names are reported: people who make a link such as `latest` look for it.
    """
    seen: dict[Hashable, str] = {}
    pending, links = [top], deque[str]()
    while pending or links:
        is_linked = not pending
        directory = pending.pop() if pending else links.popleft()
        if is_linked and found.unlisted and find_above(os.path.realpath(directory), found.unlisted, top) is not None:
            found.unlisted[directory] = "what it leads to could not be listed under its own name"
            continue
        try:
            identity, entries = place.list(directory)
        except (OSError, MemoryError) as error:
            if not is_gone(error):
                found.unlisted[directory] = reason_of(error)
            continue
        if identity in seen:
            listed = printable(_relative(seen[identity], top))
            found.unfollowed[directory] = f"leads to {listed!r}, which is listed under its own name"
            continue
        if identity is not None:
            seen[identity] = directory
        directories = [entry for entry in reversed(entries) if entry.kind == "directory"]
        if directories:
            pending += [entry.path for entry in directories if not entry.is_link]
            links += [entry.path for entry in reversed(directories) if entry.is_link]
        files = [entry for entry in entries if entry.kind != "directory"] if directories else entries
        yield directory, is_linked, files
