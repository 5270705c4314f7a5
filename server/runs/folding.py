"""Folds the directories of add_scalars() into the run that called it: each contains one tag of that run.

add_scalars(tag, {key: value}) writes *tag* to a directory per key: `<run>/<tag with / as _>_<key>` by PyTorch's writer,
`<run>/<tag>/<key>` by tensorboardX. The run then has the tag `<tag>/<key>`.
"""

import heapq
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.tag_table import Tag

_REPLACED = re.compile(
    r"[^-/\w.]"
)  # tensorboardX and earlier releases of PyTorch replace these characters in tags only.


class Fold(NamedTuple):
    """Where the files of a directory belong."""

    run: str
    tag: str
    key: str


class Folding:
    """Decides which directories are folded into which runs, again whenever some of them change. Not thread-safe.

    Args:
        exists: returns whether a directory contains event files.
    """

    def __init__(self, exists: Callable[[str], bool]) -> None:
        self._exists = exists
        self._folds: dict[str, Fold] = {}
        """The folds, by directory."""
        self._folded: dict[str, set[str]] = {}
        """The directories that are folded into a run."""
        self._possible: dict[str, list[Fold]] = {}
        self._candidates: dict[str, set[str]] = {}
        """The directories that may be folded into a run if it exists."""
        self._runs: set[str] = set()
        """Directories into which others may be folded."""

    def run_of(self, directory: str) -> str:
        """Return the run that contains the files of a directory."""
        fold = self._folds.get(directory)
        return fold.run if fold else directory

    def folded_into(self, run: str) -> list[str]:
        """Return the directories that are folded into a run, sorted."""
        directories = self._folded.get(run)
        return sorted(directories) if directories else []

    def update(self, directories: Iterable[str], files_of: Callable[[str], Sequence[FileView]]) -> set[str]:
        """Decide about directories that changed; return the runs that are changed, new or gone thereby.

        Args:
            directories: that changed.
            files_of: returns what was read of the files of a directory; nothing if it is gone.
        """
        changed: set[str] = set()
        pending = sorted(set(directories))  # What is above a directory is decided first.
        while pending:
            name = heapq.heappop(pending)
            self._consider(name, files_of(name))
            old, new = self._folds.get(name), self._decide(name)
            changed.update(fold.run for fold in (old, new) if fold)
            if new is None or old != new:
                changed.add(name)
            if old != new:
                self._set(name, old, new)
            is_run = new is None and self._exists(name)
            if is_run != (name in self._runs):
                (self._runs.add if is_run else self._runs.discard)(name)
                for candidate in self._candidates.get(name, ()):
                    heapq.heappush(pending, candidate)
        return changed

    def _consider(self, name: str, files: Sequence[FileView]) -> None:
        """Note the runs into which a directory may be folded."""
        tag = _only_tag(files)
        possible = possible_folds(name, tag) if tag is not None else []
        if possible == self._possible.get(name, []):
            return
        for fold in self._possible.pop(name, ()):
            self._candidates[fold.run].discard(name)
        if possible:
            self._possible[name] = possible
        for fold in possible:
            self._candidates.setdefault(fold.run, set()).add(name)

    def _decide(self, name: str) -> Fold | None:
        possible = self._possible.get(name, ())
        return next((fold for fold in possible if self._exists(fold.run) and fold.run not in self._folds), None)

    def _set(self, name: str, old: Fold | None, new: Fold | None) -> None:
        if old is not None:
            self._folded[old.run].discard(name)
            del self._folds[name]
        if new is not None:
            self._folded.setdefault(new.run, set()).add(name)
            self._folds[name] = new

    def files(self, run: str, files_of: Callable[[str], Sequence[FileView]]) -> list[FileView]:
        """Return the files of a run with those that are folded into it; nothing for a directory that is folded."""
        if run in self._folds:
            return []
        files = list(files_of(run))
        directories = self.folded_into(run)
        tags = {tag for file in files for tag in file.series} if directories else set()
        for directory in directories:
            fold, part = self._folds[directory], directory if run == "." else directory[len(run) + 1 :]
            tag = Tag("scalar", f"{fold.tag}/{fold.key}")
            if tag in tags:
                tag = Tag("scalar", f"{part}/{fold.tag}")
            tags.add(tag)
            files += [_renamed(file, tag, part) for file in files_of(directory)]
        return files


def fold_all(files: Mapping[str, Sequence[FileView]]) -> dict[str, list[FileView]]:
    """Return the files of each run, from those of each directory."""
    folding = Folding(files.__contains__)
    folding.update(files, files.__getitem__)
    return {name: folded for name in files if (folded := folding.files(name, files.__getitem__))}


def possible_folds(directory: str, tag: str) -> list[Fold]:
    """Return the runs, existing or not, whose add_scalars() would write a tag to a directory; the nearest first."""
    folds = []
    run = directory
    while run != ".":
        run = os.path.dirname(run) or "."
        key = _key_in(directory if run == "." else directory[len(run) + 1 :], tag)
        if key:
            folds.append(Fold(run, tag, key))
    return folds


def _key_in(part: str, tag: str) -> str:
    """Return the key in the path of a directory below a run; "" if the path is not made from the tag."""
    start, key = _REPLACED.sub("_", part[: len(tag)]), part[len(tag) + 1 :]
    separator = part[len(tag) : len(tag) + 1]
    tag = _REPLACED.sub("_", tag)
    is_made = (separator == "_" and start == tag.replace("/", "_")) or (separator == "/" and start == tag)
    return key if is_made else ""


def _only_tag(files: Sequence[FileView]) -> str | None:
    """Return the tag of a directory that contains nothing but one scalar, written by TensorBoard's writers."""
    only: Tag | None = None
    for file in files:
        if file.version.shown_dialect != "tensorboard" or len(file.series) > 1:
            return None
        for tag in file.series:
            if tag.plugin != "scalar" or (only is not None and tag != only):
                return None
            only = tag
    return only.name if only else None


def _renamed(file: FileView, tag: Tag, part: str) -> FileView:
    return file._replace(series=dict(zip([tag], file.series.values(), strict=False)), part=part)
