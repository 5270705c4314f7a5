"""python -m toposcope.recorder sync: uploads what recorders have left in their spools."""

import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from toposcope.recorder.stores.spool import OWNER, default_folder
from toposcope.recorder.stores.uploader import LOCK, Uploader

USAGE = "usage: python -m toposcope.recorder sync [DIR]\n"
_POLL_SECONDS = 0.5
_MAX_SECONDS_AFTER_END = 24 * 3600.0
"""How long an uploader tries after the recording has ended."""

log = logging.getLogger("toposcope.recorder")


def main(arguments: Sequence[str]) -> int:
    """Upload the spools of a folder, or that of one process while it records; return the exit status."""
    is_following = arguments[:1] == ["--follow"]
    level = logging.WARNING if is_following else logging.INFO
    logging.basicConfig(format="toposcope: %(message)s", level=level, stream=sys.stderr)
    match arguments:
        case ["--follow", folder]:
            return _follow(Path(folder))
        case []:
            return _sync(default_folder())
        case [folder] if not folder.startswith("-"):
            return _sync(Path(folder))
        case _:
            sys.stderr.write(USAGE)
            return 2


def _sync(folder: Path) -> int:
    """Upload what ended recordings have left; return 1 if anything is left there."""
    if not folder.is_dir():
        log.error("%s: there is no such folder", folder)
        return 1
    spools = [folder] if (folder / OWNER).exists() else sorted(path.parent for path in folder.glob(f"*/{OWNER}"))
    results = [_sync_one(spool) for spool in spools]
    log.info("%d of %d spools uploaded", sum(results), len(spools))
    return 0 if all(results) else 1


def _sync_one(spool: Path) -> bool:
    uploader = Uploader(spool)
    if not uploader.is_own():
        log.warning("%s: belongs to another user, and is left alone", spool)
        return False
    if uploader.is_owned():
        log.info("%s: still being recorded", spool)
        return False
    with _locked(spool) as is_locked:
        if not is_locked:
            log.info("%s: another process uploads it", spool)
            return False
        is_uploaded = uploader.upload(is_ended=True)
    if is_uploaded:
        log.info("%s: uploaded", spool)
    return is_uploaded


def _follow(spool: Path) -> int:
    """Upload what a process records until it has ended, and what others in the same folder have left."""
    with _locked(spool) as is_locked:
        return _upload_all(spool) if is_locked else 1


@contextmanager
def _locked(spool: Path) -> Iterator[bool]:
    """Hold the lock of a spool; return False if another process holds it."""
    from filelock import FileLock, Timeout

    lock = FileLock(spool / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _upload_all(spool: Path) -> int:
    uploader = Uploader(spool)
    ended_at: float | None = None
    has_looked = False
    while True:
        if ended_at is None and not uploader.is_owned():
            ended_at = time.monotonic()
        is_done = uploader.upload(is_ended=ended_at is not None)
        if not uploader.failure and not has_looked:
            has_looked = True
            _upload_left(spool.parent, spool)
        if is_done:
            return 0
        if ended_at is not None and time.monotonic() - ended_at > _MAX_SECONDS_AFTER_END:
            return 1
        time.sleep(_POLL_SECONDS if not uploader.failure or ended_at is None else 5 * _POLL_SECONDS)


def _upload_left(folder: Path, own: Path) -> None:
    """Upload what recorders that were killed have left; one spool that cannot be read stops no other."""
    for owner in folder.glob(f"*/{OWNER}"):
        uploader = Uploader(owner.parent)
        if owner.parent != own and uploader.is_own() and not uploader.is_owned():
            try:
                _sync_one(owner.parent)
            except OSError as error:
                log.warning("%s: cannot be uploaded: %s", owner.parent, error)
