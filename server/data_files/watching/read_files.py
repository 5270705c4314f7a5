"""What was read of the files of a folder, and which of them must be read again."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from toposcope.server.data_files.json_files import DamagedFileError, JsonFiles, Stamp
from toposcope.server.places.place import reason_of

Entry = TypeVar("Entry")


class _File(NamedTuple, Generic[Entry]):
    stamp: Stamp | None
    """None: it could not be read, and is read again."""
    entry: Entry | None
    problem: str | None


class ReadFiles(Generic[Entry]):
    """Reads the files that were replaced. Not thread-safe.

    Args:
        kind: what the files contain, in the plural, for messages.
        folder: contains the files.
        read: returns the content of a file by its name; raises OSError or DamagedFileError.
    """

    def __init__(self, kind: str, folder: JsonFiles, read: Callable[[str], Entry]) -> None:
        self._kind = kind
        self._folder = folder
        self._read_file = read
        self._files: dict[str, _File[Entry]] = {}
        self._failure: str | None = None
        """Why the folder cannot be read; None: it can."""

    @property
    def entries(self) -> list[Entry]:
        """The contents of all files that could be read once."""
        return [file.entry for file in self._files.values() if file.entry is not None]

    @property
    def problems(self) -> list[str]:
        """Why the folder or files cannot be read."""
        problems = [self._failure] if self._failure else []
        return problems + [file.problem for file in self._files.values() if file.problem]

    @property
    def has_failed(self) -> bool:
        """Whether something must be read again, although it does not change."""
        return self._failure is not None or any(file.stamp is None for file in self._files.values())

    def update(self) -> bool:
        """Read the files that were replaced; return whether anything may differ.

        What was read stays if the folder or a file cannot be read.
        """
        try:
            stamps = self._folder.stamps()
        except OSError as error:
            before = self._failure
            self._failure = f"the {self._kind} in {self._folder.address!r} cannot be read: {reason_of(error)}"
            return self._failure != before
        files = self._files
        replaced = [name for name, stamp in stamps.items() if name not in files or files[name].stamp != stamp]
        gone = files.keys() - stamps.keys()
        if not replaced and not gone and self._failure is None:
            return False
        self._failure = None
        self._files = {name: file for name, file in files.items() if name not in gone}
        read = self._folder.map(lambda name: self._read(name, stamps[name]), replaced)
        self._files |= dict(zip(replaced, read, strict=True))
        return True

    def _read(self, name: str, stamp: Stamp) -> _File[Entry]:
        try:
            return _File(stamp, self._read_file(name), None)
        except DamagedFileError as error:
            return _File(stamp, None, self._problem(name, error))
        except OSError as error:
            old = self._files.get(name)
            return _File(None, old.entry if old else None, self._problem(name, error))

    def _problem(self, name: str, error: Exception) -> str:
        return f"{name} in {self._folder.address!r} cannot be read: {reason_of(error)}"
