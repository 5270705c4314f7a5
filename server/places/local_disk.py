"""Event files on a disk that the operating system mounts.

A symbolic link inside the logdir may have been made by anyone who can write there. One that leads out of the logdir is
followed only if the user of the server, or root, owns it, or if the server was started with --follow-links.
"""

import contextlib
import errno
import operator
import os
import stat
from collections.abc import Hashable, Iterable

from toposcope.server.places.place import Buffer, Entry, Listing, Status, is_gone, reason_of

_NO_TARGET = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}
"""The errors of a link that leads nowhere, now and later."""
_MAX_LINKS = 40
"""The number of links that Linux follows in one path."""
# A pipe that takes the place of an event file would block without O_NONBLOCK.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class OpenLocalFile:
    """An open file, with the descriptor that reads it."""

    def __init__(self, descriptor: int, status: Status) -> None:
        self.status = status
        self._descriptor = descriptor

    @property
    def path_while_open(self) -> str:
        """A path by which another process of the same user can open the file, even if it was deleted; Linux only."""
        return f"/proc/{os.getpid()}/fd/{self._descriptor}"

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset; fewer only if the file ends before."""
        content = os.pread(self._descriptor, length, offset)
        while len(content) < length and (more := self._more(content, offset, length)):
            content += more
        return content

    def _more(self, content: bytes, offset: int, length: int) -> bytes:
        """Return what follows a read that returned less than was asked for: an interrupted one may, before the end."""
        return os.pread(self._descriptor, length - len(content), offset + len(content)) if content else b""

    def read_into(self, buffer: Buffer, offset: int) -> int:
        """Fill a buffer with the bytes at an offset; return how many there were."""
        filled = os.preadv(self._descriptor, [buffer], offset)
        while 0 < filled < len(buffer):
            more = os.preadv(self._descriptor, [buffer[filled:]], offset + filled)
            if not more:
                break
            filled += more
        return filled

    def next_data(self, offset: int) -> int:
        """Return where a hole ends that contains an offset; the offset itself if none does, or the disk knows none."""
        try:
            return os.lseek(self._descriptor, offset, os.SEEK_DATA)
        except OSError as error:
            return max(offset, self.status.size) if error.errno == errno.ENXIO else offset

    def close(self) -> None:
        """Close the descriptor. Whatever the system says then, what was read is right."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


class LocalDisk:
    """The files below a logdir.

    Args:
        logdir: links that stay inside it are followed, no matter who made them; None: links are not checked.
        follow_links: whether links of other users that lead out of it are followed too.
    """

    def __init__(self, logdir: str | None = None, *, follow_links: bool = False) -> None:
        self._logdir = logdir
        self._follow_links = follow_links or logdir is None

    def resolve(self, path: str) -> str:
        """Return a path without links; it need not exist."""
        try:
            return os.path.realpath(path, strict=True)
        except OSError as error:
            if not is_gone(error) and error.errno != errno.ELOOP:
                raise
            return os.path.realpath(path)

    def is_directory(self, path: str) -> bool:
        """Return whether there is a directory."""
        return stat.S_ISDIR(os.stat(path).st_mode)

    def identify(self, directory: str) -> Hashable:
        """Return the device and inode; None if it does not exist or cannot be reached."""
        try:
            status = os.stat(directory)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def list(self, directory: str) -> Listing:
        """Return the contents of a directory; a link to another place is listed as what it leads to."""
        status = os.stat(directory)
        with os.scandir(directory) as listing:
            entries = sorted(listing, key=_name_of)
        return Listing((status.st_dev, status.st_ino), [self._entry(entry) for entry in entries])

    def _entry(self, entry: os.DirEntry[str]) -> Entry:
        name, path = entry.name, entry.path
        try:
            is_link = entry.is_symlink()
            if is_link and (problem := self._refusal(path)):
                return Entry(name, path, "other", is_link=True, problem=problem)
            if entry.is_dir():
                return Entry(name, path, "directory", is_link=is_link)
            status = entry.stat()
        except OSError as error:
            if is_gone(error) or error.errno in _NO_TARGET:
                return Entry(name, path, "other")
            return Entry(name, path, "unknown", problem=reason_of(error))
        except MemoryError as error:
            return Entry(name, path, "unknown", problem=reason_of(error))
        if not stat.S_ISREG(status.st_mode):
            return Entry(name, path, "other", is_link=is_link)
        return Entry(name, path, "file", _status(status), is_link)

    def expect(self, reads: Iterable[tuple[str, int]]) -> None:
        """Do nothing: the system reads ahead."""

    def stat(self, path: str) -> Status:
        """Return the status of a regular file."""
        status = os.stat(path)
        _check_regular(path, status)
        return _status(status)

    def open(self, path: str) -> OpenLocalFile:
        """Open a regular file for reading."""
        return self._open(path, _FLAGS | os.O_NOFOLLOW)

    def _open(self, path: str, flags: int) -> OpenLocalFile:
        try:
            descriptor = os.open(path, flags)
        except OSError as error:
            if error.errno != errno.ELOOP or not flags & os.O_NOFOLLOW:
                raise
            if problem := self._refusal(path):
                raise PermissionError(errno.EACCES, problem, path) from None
            return self._open(path, _FLAGS)
        try:
            status = os.fstat(descriptor)
            _check_regular(path, status)
            return OpenLocalFile(descriptor, _status(status))
        except BaseException:
            os.close(descriptor)
            raise

    def _refusal(self, link: str) -> str:
        """Return why a link is not followed; "" if it is.

        Raises:
            OSError: the link cannot be read, or where it leads to is not known.
        """
        if self._follow_links or self._logdir is None:
            return ""
        trusted = {0, os.geteuid()}
        path = link
        for _ in range(_MAX_LINKS):
            status = os.lstat(path)
            if not stat.S_ISLNK(status.st_mode):
                return ""
            if status.st_uid not in trusted and not self._is_inside(path):
                return (
                    f"a symbolic link of user {_user_name(status.st_uid)} that leads out of the logdir; "
                    "--follow-links follows it"
                )
            path = os.path.join(os.path.dirname(path), os.readlink(path))
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), link)

    def _is_inside(self, link: str) -> bool:
        target = os.path.realpath(link, strict=True)
        top = os.path.realpath(self._logdir or "", strict=True)
        return target == top or target.startswith(top.rstrip(os.sep) + os.sep)


def _user_name(number: int) -> str:
    try:
        import pwd

        return repr(pwd.getpwuid(number).pw_name)
    except (ImportError, KeyError, OSError):
        return str(number)


def _check_regular(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", path)


def _status(status: os.stat_result) -> Status:
    return Status(status.st_size, status.st_mtime, status.st_ino, status.st_ctime)


_name_of = operator.attrgetter("name")
UNCHECKED = LocalDisk()
"""The disk for one file that a user names."""
