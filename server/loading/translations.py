"""The sources of other formats in a logdir, and the event files that they are translated into."""

import atexit
import functools
import logging
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from toposcope.server.formats.format import Source
from toposcope.server.formats.formats import Formats
from toposcope.server.formats.translation import EVENTS, TranslatedFile, Translation, delete_unused
from toposcope.server.loading.finding.discovery import FoundFile, find_above
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import Place, is_gone, reason_of
from toposcope.server.places.private_folders import make_private
from toposcope.server.places.several_places import SeveralPlaces

if TYPE_CHECKING:
    from filelock import BaseFileLock

_GROWING_SECONDS = 600.0
"""How long after its last change a source is looked at again and again."""
_POLL_SECONDS = 0.5
_POLL_SHARE = 20
"""Looking at all of them for t seconds is repeated after at least 20 t."""
_KEPT_SECONDS = 30 * 86400.0
"""How long translations stay that are not used."""

log = logging.getLogger(__name__)


class Translations:
    """Translates the sources of a logdir. Not thread-safe.

    Args:
        formats: those that are read.
        place: where the sources lie.
        folder: keeps the event files from one start to the next; None: they are deleted at the end of the process.
    """

    def __init__(self, formats: Formats, place: Place, folder: Path | None = None) -> None:
        self.formats = formats
        self._lock: BaseFileLock | None = None
        """Held while there are translations in the folder."""
        self.problems: dict[str, str] = {}
        """The reasons why sources could not be read, by path."""
        self.damage: dict[str, str] = {}
        """What of sources is damaged, by path."""
        self._place = place
        self._folder = folder
        self._translations: dict[str, Translation] = {}
        """The translations, by the keys of their sources."""
        self._changed: dict[str, float] = {}
        """When those that may grow were seen to change, in seconds of time.monotonic()."""
        self._waiting: set[str] = set()
        self._paths: dict[str, str] = {}
        """The keys of the sources, by path."""
        self._next_poll = 0.0

    @property
    def is_waiting(self) -> bool:
        """Whether something of a source is not translated yet."""
        return bool(self._waiting)

    @property
    def files(self) -> Iterator[FoundFile]:
        """All event files that exist."""
        for translation in self._translations.values():
            yield from map(_found, translation.files)

    def replace(self, sources: Iterable[Source], unlisted: Mapping[str, str], top: str) -> None:
        """Take the sources that are all there are now.

        Args:
            sources: those that were found.
            unlisted: directories of which nothing is known at present: sources below them stay.
            top: the logdir.
        """
        present = _newest(sources)
        for key in self._translations.keys() - present.keys():
            path = self._translations[key].source.path
            if not unlisted or find_above(path, unlisted, top) is None:
                self._forget(key)
        for key, source in present.items():
            self._add(key, source)

    def _add(self, key: str, source: Source) -> None:
        known = self._translations.get(key)
        if known is not None and known.source.format == source.format and known.source.run == source.run:
            self._paths.pop(known.source.path, None)
            known.source = source
        else:
            folder = self._open_folder()
            if isinstance(self._place, SeveralPlaces):
                self._place.add_folder(str(folder))
            self._translations[key] = Translation(source, self.formats[source.format], self._place, folder)
            self._note_damage(self._translations[key])
        self._paths[source.path] = key
        if time.time() - source.modified < _GROWING_SECONDS:
            self._changed.setdefault(key, time.monotonic())
        self._look(key)

    def _open_folder(self) -> Path:
        """Return the folder of the translations: a temporary one if another process writes to that which was given."""
        if self._folder is None:
            return _temporary_folder()
        if self._lock is None:
            from filelock import FileLock  # It takes long, and few logdirs have sources.

            try:
                make_private(self._folder)
                lock = FileLock(self._folder / "lock")
                lock.acquire(timeout=0)
                self._lock = lock
                delete_unused(self._folder, _KEPT_SECONDS)
            except OSError:
                self._folder = None
                return _temporary_folder()
        return self._folder

    def close(self) -> None:
        """Leave the folder to other processes; nothing can be translated afterwards."""
        if self._lock is not None:
            self._lock.release()

    def _forget(self, key: str) -> None:
        path = self._translations.pop(key).source.path
        for by_path in (self.problems, self.damage, self._paths):
            by_path.pop(path, None)
        self._changed.pop(key, None)
        self._waiting.discard(key)

    def concerns(self, path: str, top: str) -> bool:
        """Return whether a path is, or is in, a known source, which is then looked at; for one that is gone too."""
        source = find_above(path, self._paths, top) if self._paths else None
        if source is None:
            return False
        self._changed[self._paths[source]] = time.monotonic()
        self._next_poll = 0.0
        return True

    def poll(self) -> None:
        """Look at the sources that changed lately."""
        now = time.monotonic()
        if now < self._next_poll:
            return
        for key, changed in list(self._changed.items()):
            self._look(key)
            if now - changed > _GROWING_SECONDS:
                del self._changed[key]
        self._next_poll = time.monotonic() + max(_POLL_SECONDS, _POLL_SHARE * (time.monotonic() - now))

    def _look(self, key: str) -> None:
        """Find out whether a source has something new."""
        translation = self._translations[key]
        try:
            if translation.has_news():
                self._waiting.add(key)
        except OSError as error:
            if not is_gone(error):  # Otherwise the next walk finds that.
                self._report(translation.source.path, error)

    def advance(self, seconds: float) -> Iterator[FoundFile]:
        """Translate for about so many seconds; yield the event files that were written."""
        ends = time.monotonic() + seconds
        while self._waiting and time.monotonic() < ends:
            key = max(self._waiting, key=lambda key: self._translations[key].source.modified)
            translation = self._translations[key]
            path = translation.source.path
            try:
                if not translation.update():
                    self._waiting.discard(key)
                self.problems.pop(path, None)
                self._note_damage(translation)
                if time.time() - translation.modified < _GROWING_SECONDS:
                    self._changed[key] = time.monotonic()
            except Exception as error:  # Whatever a source contains, the others are read.
                self._waiting.discard(key)
                self._report(path, error)
            yield from map(_found, translation.files)

    def _note_damage(self, translation: Translation) -> None:
        self.damage.pop(translation.source.path, None)
        if translation.problem:
            self.damage[translation.source.path] = translation.problem

    def _report(self, path: str, error: Exception) -> None:
        reason = reason_of(error)
        if self.problems.get(path) != reason:
            log.warning("cannot read %s: %s", path, reason)
        self.problems[path] = reason


def _newest(sources: Iterable[Source]) -> dict[str, Source]:
    """Return the source of each key that was written last."""
    newest: dict[str, Source] = {}
    for source in sources:
        known = newest.get(source.key)
        if known is None or (known.modified, known.path) < (source.modified, source.path):
            newest[source.key] = source
    return newest


def _found(file: TranslatedFile) -> FoundFile:
    return FoundFile(file.run, file.path, EVENTS, UNCHECKED.stat(file.path))


@functools.cache
def _temporary_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="toposcope-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
