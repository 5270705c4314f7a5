"""The event files of a logdir, those that other formats are translated into, and the runs that they make up."""

from collections.abc import Collection, Iterable, Mapping

from toposcope.server.formats.formats import Formats
from toposcope.server.loading.files.file_loader import FileLoader, ReadRuns
from toposcope.server.loading.finding.discovery import Discovery, FoundFile, find_above
from toposcope.server.loading.run_views import RunViews
from toposcope.server.loading.translations import Translations
from toposcope.server.places.place import Place
from toposcope.server.reading.index.index import Index
from toposcope.server.runs.run import RunView


class LogFiles:
    """Keeps the files, and what was read of them. Not thread-safe."""

    def __init__(self, index: Index | None, place: Place, formats: Formats) -> None:
        self.loader = FileLoader(index, place)
        self.translations = Translations(formats, place, None if index is None else index.translations)
        self.runs = RunViews(self.loader)

    @property
    def is_waiting(self) -> bool:
        """Whether anything that is known was not read yet."""
        return self.loader.is_waiting or self.translations.is_waiting

    @property
    def can_retry(self) -> bool:
        """Whether something could not be read that a later attempt may read."""
        return bool(self.loader.problems or self.translations.problems)

    @property
    def problems(self) -> dict[str, str]:
        """What could not be read of files, by path."""
        return {**self.loader.problems, **self.translations.damage, **self.translations.problems}

    def stale(self, runs: Collection[str]) -> dict[str, str]:
        """Return the reasons why some runs may have changed since they were read, by name."""
        reasons = {self.runs.run_of(self.loader.run_of(path)): why for path, why in self.loader.unread.items()}
        return {run: reason for run, reason in reasons.items() if run in runs}

    def add(self, files: Iterable[FoundFile]) -> None:
        """Add new files, and note the status of known ones."""
        files = list(files)
        self.loader.add(files)
        self.runs.add(files)

    def replace(self, discovery: Discovery, root: str) -> set[str]:
        """Take the files that are all there are now; return the directories of those that no longer exist.

        Args:
            discovery: what was found; what could not be listed stays.
            root: the logdir, without symbolic links.
        """
        self.translations.replace(discovery.sources, discovery.unlisted, root)
        files = [*discovery.files, *self.translations.files]
        gone = self.loader.replace(files, discovery.unlisted, root)
        directories = {self._forget(path) for path in gone}
        self.runs.add(files)
        return directories

    def remove(self, paths: Collection[str], root: str) -> set[str]:
        """Remove the files at and below paths that no longer exist; return their directories."""
        gone = [path for path in self.loader.paths if find_above(path, paths, root)] if paths else []
        return {self._forget(path) for path in gone}

    def _forget(self, path: str) -> str:
        """Remove a file that no longer exists; return its directory."""
        directory = self.loader.forget(path)
        self.runs.remove(directory, path)
        return directory

    def read(self, seconds: float) -> ReadRuns:
        """Translate and read what is waiting, for about so many seconds each."""
        self.add(self.translations.advance(seconds))
        return self.loader.read(seconds)

    def reread(self, directories: Iterable[str], runs: Mapping[str, RunView], besides: set[str]) -> dict[str, RunView]:
        """Return new views of runs whose files are now in packs of the index, with the same values.

        Args:
            directories: those of the files.
            runs: the views so far, by name.
            besides: directories and runs that are left out, as they have changed.
        """
        names = {self.runs.run_of(directory) for directory in directories}
        return {name: self.runs.reread(runs[name]) for name in names - besides & runs.keys()}

    def close(self) -> None:
        """Bring the index up to date and end all threads."""
        self.loader.saving.save(is_last=True)
        self.loader.stop()
        self.translations.close()
