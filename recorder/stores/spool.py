"""The spool of this process: a local folder for what it records to object stores, which another process uploads.

The spool mirrors the stores: what is recorded to s3://bucket/run is in the folder s3/bucket/run of the spool.
`python -m toposcope.recorder sync --follow SPOOL` uploads it in a process of its own: a slow store does not delay the
training, and what was recorded is uploaded however the training ends.
"""

import atexit
import contextlib
import math
import os
import platform
import re
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toposcope.recorder import log
from toposcope.recorder.ends.fork import close_at_end_of_child, make_inert_in_children

if TYPE_CHECKING:
    import subprocess

SCHEMES = ("s3", "gs", "az")
SEGMENT_BYTES = 8 << 20
"""Size at which an event file is complete and uploaded as a whole."""
SEGMENT_SECONDS = 3600.0
"""Age at which an event file that still grows is complete too: it has few pieces, each of which readers request."""
OWNER, DONE, SEALED = "owner.json", "done", ".sealed"
"""The process that records; a file that exists once it has ended; the suffix of a file beside a complete one."""
_ADDRESS = re.compile(rf"({'|'.join(SCHEMES)})://(.*)", re.DOTALL)
_PATH_OF_ADDRESS = re.compile(rf"({'|'.join(SCHEMES)}):/[^/]")
_EXIT_SECONDS, _POLL_SECONDS = 30.0, 0.02
"""How long the end of the process waits for the last uploads, and how often it looks."""
_RESTART_SECONDS, _LONGEST_PAUSE = 5.0, 600.0
"""How long after an uploader has ended before the recording another one starts; at most, after several failures."""
_STABLE_SECONDS = 600.0
"""An uploader that ran for so long has not failed at its start."""


class _Spool(NamedTuple):
    folder: str
    token: str
    """In the names of event files: no other recorder has it, so that none overwrites the objects of another one."""
    uploader: "subprocess.Popen[bytes]"


class _Current:
    """The spool of this process; None before the first address."""

    def __init__(self) -> None:
        self.become_inert()
        make_inert_in_children(self, is_lock=True)

    def become_inert(self) -> None:
        """Forget the spool of the parent process, and its lock, which another thread may have held."""
        self.lock = threading.Lock()
        self.spool: _Spool | None = None


_current = _Current()


def is_remote(text: str) -> bool:
    """Return whether a text is an address in an object store."""
    return _ADDRESS.fullmatch(text) is not None


def local_path(directory: str | os.PathLike[str]) -> str:
    """Return the absolute path of a directory; for an address in an object store, that of its folder in the spool.

    Raises:
        ValueError: the address names no bucket, has an empty, "." or ".." part, or was made a path, which has no "//".
        ModuleNotFoundError: the package for object stores is not installed.
        OSError: the spool cannot be created.
    """
    directory = os.fspath(directory)
    match = _ADDRESS.fullmatch(directory)
    if match is None:
        if _PATH_OF_ADDRESS.match(directory):
            raise ValueError(f"{directory!r} lacks a '/', which a Path removes: expected a str with '://'")
        if "://" in directory:
            schemes = ", ".join(f"{scheme}://" for scheme in SCHEMES)
            raise ValueError(f"{directory!r} is neither a directory nor an address that begins with {schemes}")
        return os.path.abspath(directory)
    parts = match[2].rstrip("/").split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{directory!r} is not an address in an object store: expected {match[1]}://bucket/prefix")
    return os.path.join(_spool().folder, match[1], *parts)


def shown_path(path: str) -> str:
    """Return a path as the user knows it: the address of one in the spool."""
    if (spool := _containing(path)) is None:
        return path
    scheme, _, rest = os.path.relpath(path, spool.folder).replace(os.sep, "/").partition("/")
    return f"{scheme}://{rest}"


def name_token(directory: str) -> str:
    """Return what makes the names of event files unique among all recorders in a store; "" for a local directory."""
    return f"-{spool.token}" if (spool := _containing(directory)) else ""


def largest_file(directory: str, chosen: int | None) -> int | None:
    """Return the maximum size of the event files in a directory, in bytes; None: no limit."""
    return SEGMENT_BYTES if chosen is None and _containing(directory) else chosen


def most_seconds(directory: str) -> float:
    """Return how long records are written to one event file in a directory, in seconds."""
    return SEGMENT_SECONDS if _containing(directory) else math.inf


def seal(path: str) -> None:
    """Note that an event file is complete, if it is in the spool.

    Raises:
        OSError: the note cannot be written; the file is uploaded at the end of the process.
    """
    if _containing(path) is not None:
        with open(path + SEALED, "wb"):
            pass
        _spool()


def default_folder() -> Path:
    """Return the folder of the spools of all processes: TOPOSCOPE_SPOOL, or one in the user's cache folder."""
    if folder := os.environ.get("TOPOSCOPE_SPOOL"):
        return Path(folder).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("toposcope", appauthor=False) / "spool"


def _containing(path: str) -> _Spool | None:
    """Return the spool of this process if it contains a path."""
    spool = _current.spool
    return spool if spool is not None and path.startswith(spool.folder + os.sep) else None


def _spool() -> _Spool:
    """Return the spool of this process, whose uploader runs."""
    with _current.lock:
        spool = _current.spool
        if spool is None:
            spool = _create()
        elif spool.uploader.poll() is not None:
            spool = spool._replace(uploader=_start_uploader(spool.folder))
        _current.spool = spool
    return spool


def _create() -> _Spool:
    # Imported here: most recorders write to local directories, and need none of them.
    import importlib.util
    import json
    import secrets

    if importlib.util.find_spec("obstore") is None:
        raise ModuleNotFoundError(
            "Recording to an object store needs obstore: pip install 'toposcope[store]'", name="obstore"
        )
    import psutil

    token = secrets.token_hex(4)
    folder = default_folder() / f"{platform.node() or 'localhost'}-{os.getpid()}-{token}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700)  # Others of the machine can neither read nor change what is recorded.
    owner = {"host": platform.node(), "pid": os.getpid(), "started": psutil.Process().create_time()}
    (folder / OWNER).write_text(json.dumps(owner))
    spool = _Spool(str(folder), token, _start_uploader(str(folder)))
    threading.Thread(target=_keep_uploading, args=(spool.folder,), name="toposcope-uploader", daemon=True).start()
    atexit.register(_finish)
    close_at_end_of_child(_finish, _finish)
    return spool


def _keep_uploading(folder: str) -> None:
    """Start another uploader when one ends before the recording: systems end processes when memory is short.

    The pauses between those that end soon double; after some of them, none is started before the end of the process.
    """
    pause = _RESTART_SECONDS
    while os.path.isdir(folder) and not os.path.exists(os.path.join(folder, DONE)):
        began = time.monotonic()
        with contextlib.suppress(OSError):  # It is tried again.
            _spool().uploader.wait()
        pause = _RESTART_SECONDS if time.monotonic() - began > _STABLE_SECONDS else 2 * pause
        if pause > _LONGEST_PAUSE:
            log.error("%s: the process that uploads ends again and again. Nothing is lost: %s", folder, _advice(folder))
            return
        time.sleep(pause)


def _start_uploader(folder: str) -> "subprocess.Popen[bytes]":
    """Start the process that uploads; signals of the terminal do not end it."""
    import subprocess

    # -P: it imports nothing from the working directory.
    command = [sys.executable, "-P", "-m", "toposcope.recorder", "sync", "--follow", folder]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)


def _finish() -> None:
    """Wait for the last uploads, for a limited time."""
    spool = _current.spool
    if spool is None or not os.path.isdir(spool.folder):
        return
    uploader = spool.uploader
    try:
        with open(os.path.join(spool.folder, DONE), "wb"):
            pass
        uploader = _spool().uploader
        end = time.monotonic() + _EXIT_SECONDS
        while os.path.isdir(spool.folder) and uploader.poll() is None and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
    except OSError as error:
        log.error("%s: the uploads cannot be waited for: %s", spool.folder, error)
    if os.path.isdir(spool.folder):
        goes_on = (
            "Another process goes on with it. If that ends too" if uploader.poll() is None else "To upload the rest"
        )
        log.error("%s: not everything is uploaded yet. %s, %s", spool.folder, goes_on, _advice(spool.folder))


def _advice(folder: str) -> str:
    return f"run: python -m toposcope.recorder sync {folder}"
