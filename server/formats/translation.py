"""The event files that a source is translated into, and how far that was done: what the next start goes on from.

They lie in a folder of the source's own, with `state.json`, which is replaced after they were appended to. If they are
not as it says, they are deleted and the source is translated again.
"""

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from toposcope.proto.file_name import FileName
from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.format import PROBLEM, Format, Source, Stamp, StartOver
from toposcope.server.places.place import Place

_STATE = "state.json"
_VERSION = 2
"""The version of the translation: another one is not continued."""
_MAX_RUNS = 100_000
EVENTS = FileName("tensorboard", 0, None, False)


class TranslatedFile(NamedTuple):
    """An event file with the values of a run."""

    run: str
    path: str


class Translation:
    """Translates one source. Not thread-safe.

    Args:
        source: what is translated.
        source_format: its format.
        place: where it lies.
        folder: of all translations.
    """

    def __init__(self, source: Source, source_format: Format, place: Place, folder: Path) -> None:
        self.source = source
        self._format = source_format
        self._place = place
        identity = "\0".join((source.key, source.format, source.run)).encode("utf-8", "surrogateescape")
        self._folder = folder / hashlib.blake2b(identity, digest_size=16).hexdigest()
        self._stamp: Stamp | None = None
        self._refused: Stamp | None = None
        """What the source was when it could not be translated: it is not read again before it changes."""
        self._state: dict[str, Any] = {}
        self._runs: dict[str, _Run] = {}
        self._writers: dict[str, EventWriter] = {}
        self._load()

    @property
    def files(self) -> list[TranslatedFile]:
        """The event files that exist."""
        return [TranslatedFile(run.name, self._path(run)) for run in self._runs.values() if run.size]

    @property
    def modified(self) -> float:
        """When the source was last written, in seconds since 1970, as far as is known; 0 if nothing is."""
        return float(self._stamp[0]) if self._stamp else 0.0

    @property
    def problem(self) -> str | None:
        """What of the source is damaged; None: nothing, as far as is known."""
        return self._state.get(PROBLEM)

    def has_news(self) -> bool:
        """Return whether update() may find something new.

        Raises:
            OSError: that cannot be determined at present.
        """
        return self._format.stamp(self.source, self._place) not in (self._stamp, self._refused)

    def update(self) -> bool:
        """Translate a part of what is new; return whether there is more.

        Raises:
            OSError, ValueError: the source cannot be read, or the event files cannot be written.
        """
        stamp = self._format.stamp(self.source, self._place)
        try:
            has_more = self._format.read(self.source, self._place, self._state, self)
        except StartOver:
            self._forget()
            has_more = self._format.read(self.source, self._place, self._state, self)
        except BaseException as error:
            self._reload()
            if not isinstance(error, OSError):  # Which may be over soon.
                self._refused = stamp
            raise
        self._stamp = None if has_more else stamp
        self._save(stamp[0])
        return has_more

    def run(self, key: str = "", name: str | None = None) -> EventWriter:
        """Return the writer of a run; see Output."""
        if key not in self._writers:
            if key not in self._runs:
                if len(self._runs) >= _MAX_RUNS:
                    raise ValueError(f"it has more than {_MAX_RUNS} runs")
                self._runs[key] = _Run(self.source.run if name is None else name, len(self._runs))
            run = self._runs[key]
            self._writers[key] = EventWriter(run.pending.append, self.source.format, is_new=not run.size)
        return self._writers[key]

    def _path(self, run: "_Run") -> str:
        return str(self._folder / str(run.number) / f"{os.path.basename(self.source.path)}.tfevents")

    def _load(self) -> None:
        """Continue from an earlier translation, if its files are as it left them."""
        try:
            saved = json.loads((self._folder / _STATE).read_bytes())
            if saved["version"] == _VERSION:
                runs = {key: _Run(*values) for key, values in saved["runs"].items()}
                if all(_size(self._path(run)) == run.size for run in runs.values()):
                    self._stamp, self._state, self._runs = saved["stamp"], saved["state"], runs
                    os.utime(self._folder)  # It is in use.
                    return
        except (OSError, ValueError, LookupError, TypeError):
            pass
        self._forget()

    def _reload(self) -> None:
        """Return to what was saved last, after a failure."""
        self._stamp, self._state, self._runs, self._writers = None, {}, {}, {}
        self._load()

    def _forget(self) -> None:
        self._stamp, self._state, self._runs, self._writers = None, {}, {}, {}
        shutil.rmtree(self._folder, ignore_errors=True)

    def _save(self, modified: float) -> None:
        for run in self._runs.values():
            if run.pending:
                self._append(run, modified)
        content = {
            "version": _VERSION,
            "key": self.source.key,
            "stamp": self._stamp,
            "state": self._state,
            "runs": {key: [run.name, run.number, run.size] for key, run in self._runs.items()},
        }
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f"{_STATE}.part"
        part.write_text(json.dumps(content, ensure_ascii=True), "utf-8")
        part.replace(self._folder / _STATE)

    def _append(self, run: "_Run", modified: float) -> None:
        path = self._path(run)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "ab") as file:
            file.writelines(run.pending)
            run.size += sum(map(len, run.pending))
        run.pending.clear()
        # It is as old as what it was translated from.
        os.utime(path, (modified, modified))


class _Run:
    """A run of a source and its event file."""

    def __init__(self, name: str, number: int, size: int = 0) -> None:
        self.name = name
        self.number = number
        self.size = size
        self.pending: list[bytes] = []


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def delete_unused(folder: Path, seconds: float) -> None:
    """Delete the translations that were not used for some time."""
    for each in _folders(folder):
        with contextlib.suppress(OSError):
            if time.time() - each.stat().st_mtime > seconds:
                shutil.rmtree(each.path, ignore_errors=True)


def _folders(folder: Path) -> Iterator["os.DirEntry[str]"]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        yield from (entry for entry in entries if entry.is_dir(follow_symlinks=False))
