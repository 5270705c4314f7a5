"""The plugins that TensorBoard's metadata in the files of one run declare: later values and files may omit them."""

from collections.abc import Iterable, Sequence

from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.tag_table import Entry

_TENSOR = KINDS.index("tensor")


class DeclaredPlugins:
    """Remembers which plugin a tag of tensors belongs to, and which files were read without knowing it.

    Only find() may be called from several threads.
    """

    def __init__(self) -> None:
        self._declared: dict[bytes, Entry] = {}
        self._undeclared: dict[bytes, set[str]] = {}
        self._contradicted: set[str] = set()

    def find(self, name: bytes, kind: int) -> Entry | None:
        """Return the tag that values of this kind without metadata belong to; None if no file declares it."""
        return self._declared.get(name) if kind == _TENSOR else None

    def add(self, path: str, entries: Iterable[Entry]) -> None:
        """Add the tags of a file in TensorBoard's dialect."""
        for entry in entries:
            if entry.kind != _TENSOR or entry.tag.plugin == "hparams":  # Those have no points without metadata.
                continue
            if entry.tag.plugin != "tensor":
                if entry.name not in self._declared:
                    self._declared[entry.name] = entry
                    self._contradicted |= self._undeclared.pop(entry.name, set())
            elif entry.name in self._declared:
                self._contradicted.add(path)
            else:
                self._undeclared.setdefault(entry.name, set()).add(path)

    def contradict(self, entries: Sequence[Entry]) -> bool:
        """Return whether another file declares the plugin of a tag that was read without one."""
        return bool(self._declared) and any(
            entry.tag.plugin == "tensor" and self.find(entry.name, entry.kind) is not None for entry in entries
        )

    def take_contradicted(self) -> set[str]:
        """Return the files that must be read again, as other files declare the plugins of their tags."""
        paths, self._contradicted = self._contradicted, set()
        return paths
