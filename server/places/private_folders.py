"""Folders that only their owner may open: what they contain is as private as the most private logdir."""

import logging
import os
import stat
from pathlib import Path

_OTHERS, _GROUP, _GROUP_WRITES = 0o007, 0o070, 0o020

log = logging.getLogger(__name__)


def make_private(folder: Path) -> None:
    """Create a folder with mode 0700, or tighten one that exists and is the user's own.

    A folder that its group may write is shared with the group on purpose: it is closed to others only. A folder that
    can neither be created nor changed is reported where it is written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        unwanted = _OTHERS if status.st_mode & _GROUP_WRITES else _OTHERS | _GROUP
        if status.st_uid == os.geteuid() and status.st_mode & unwanted:
            folder.chmod(stat.S_IMODE(status.st_mode) & ~unwanted)
            log.warning("%s was accessible to other users: it is private now", folder)
    except OSError:
        return
