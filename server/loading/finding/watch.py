"""Reports which files below a folder change, on local disks only."""

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

_STEP_MS = 20
_DEBOUNCE_MS = 100
_TIMEOUT_MS = 500  # How soon the watch is known to be set up, and a request to stop is noticed.
# Network file systems do not report what other machines write.
_REMOTE = ("nfs", "cifs", "smb", "9p", "fuse", "ceph", "lustre", "gpfs", "glusterfs", "beegfs", "afs", "virtiofs")
_MOUNTS = Path("/proc/self/mountinfo")
_DESCRIPTORS, _DETAILS = Path("/proc/self/fd"), Path("/proc/self/fdinfo")

log = logging.getLogger(__name__)


class Watcher:
    """Watches a folder in a separate thread.

    Args:
        folder: is watched with everything below it, but not through symbolic links.
        changed: called in the watching thread with the paths that changed, appeared or disappeared.
    """

    def __init__(self, folder: str, changed: Callable[[set[str]], None]) -> None:
        self._folder = folder
        self._changed = changed
        self._stopping = threading.Event()
        self._is_set_up = False
        self._thread = threading.Thread(target=self._run, name="toposcope-watch", daemon=True)
        self._thread.start()

    @property
    def is_active(self) -> bool:
        """Whether changes are reported; False until the watch is set up, or if there are too many files to watch."""
        return self._is_set_up and self._thread.is_alive()

    def stop(self) -> None:
        """Stop watching; returns when the thread has ended."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        import watchfiles  # It takes long, and a command that reads once does not watch.

        try:
            for changes in watchfiles.watch(
                self._folder,
                watch_filter=None,
                debounce=_DEBOUNCE_MS,
                step=_STEP_MS,
                rust_timeout=_TIMEOUT_MS,
                yield_on_timeout=True,
                stop_event=self._stopping,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                if not self._is_set_up:  # Earlier changes were not reported.
                    self._is_set_up = True
                    self._changed({self._folder})
                if changes:
                    self._changed({path for _, path in changes})
        # For example: no more inotify watches, the folder was removed, or a name is not UTF-8.
        except (OSError, RuntimeError) as error:
            log.warning("cannot watch %s, polling it instead: %s", self._folder, error)
            self._is_set_up = False
            self._changed({self._folder})  # What changed since is not reported.


def count_watches() -> int | None:
    """Return how many directories the system watches for this process; None if it does not say.

    When it has no watches left, watchfiles neither fails nor reports the changes of the others.
    """
    try:
        watches = [
            (_DETAILS / descriptor.name).read_bytes().count(b"inotify wd:")
            for descriptor in _DESCRIPTORS.iterdir()
            if "inotify" in _target(descriptor)
        ]
    except OSError:
        return None
    return sum(watches)


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:  # It was closed in the meantime.
        return ""


def can_watch(folder: str) -> bool:
    """Return whether the changes of a folder are reported: it exists, on a disk of this machine."""
    return os.path.isdir(folder) and not _file_system(folder).startswith(_REMOTE)


def _file_system(folder: str) -> str:
    """Return the type of the file system that contains a folder; "" if it is unknown."""
    try:
        mounts = _MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    path = os.path.realpath(folder) + "/"
    file_system = ""
    longest = -1
    for mount in mounts:
        fields, _, rest = mount.partition(" - ")
        point = fields.split(" ")[4].replace("\\040", " ").rstrip("/") + "/"
        if path.startswith(point) and len(point) > longest:
            file_system, longest = rest.split(" ")[0], len(point)
    return file_system
