"""The directory of an export: safe file names for arbitrary tags, and a manifest that describes each file."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

import orjson

from toposcope.server.text.json_values import json_value
from toposcope.server.text.safe_name import safe_name

MANIFEST = "manifest.json"
FOLDERS = ("image", "tensor", "text", "histogram", "landscape", "graph")
"""Subdirectories of a run, one for each plugin."""
FILES = ("scalar.csv", "lineage.json", "dataset_graph.json", "hparams.json", MANIFEST)


class Entry(NamedTuple):
    """The contents of an exported file; None for properties of which it has several or none."""

    file: str
    """Path relative to the directory, with slashes."""
    run: str
    plugin: str
    tag: str | None = None
    rank: int | None = None
    step: int | None = None
    wall_time: float | None = None
    """Seconds since 1970."""
    picture: int | None = None
    """Index of the picture in a value with several."""
    points: int = 1
    """Including damaged points, which are left out."""
    note: str | None = None
    """How the file differs from the recorded value."""


class LeftOut(NamedTuple):
    """Points that were not exported."""

    run: str
    plugin: str
    tag: str
    step: int | None
    """None for all points of the tag."""
    reason: str


class ExportFolder:
    """A directory that an export is written to. It never overwrites a file or writes outside of the directory.

    Args:
        path: created if it does not exist.

    Raises:
        ValueError: the directory is not empty.
        OSError: the directory cannot be created.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self.damaged: list[LeftOut] = []
        self.left_out: list[LeftOut] = []
        """Tags of plugins that cannot be exported."""
        self._names: set[str] = set()
        """Names in use, in lower case."""
        self._numbers: dict[str, int] = {}
        """The last number appended to each name."""
        os.makedirs(path, exist_ok=True)
        if os.listdir(path):
            raise ValueError(f"--out {path!r} is not empty: choose a new directory, nothing is overwritten")

    @contextmanager
    def create(self, entry: Entry, stem: str, extension: str) -> Iterator[BinaryIO]:
        """Open a new file and add it to the manifest; the file is removed if the `with` block raises.

        Args:
            entry: description of the file; `file` is the subdirectory of the run, or "" for the run's directory.
            stem: the safe name of the file; a number is appended if the name is in use.
            extension: including the dot.
        """
        name = self._claim("/".join(filter(None, (*run_folders(entry.run), entry.file, stem))), extension)
        path = os.path.join(self.path, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:
            try:
                yield file
            except BaseException:
                os.unlink(path)
                raise
        self.entries.append(entry._replace(file=name))

    def _claim(self, stem: str, extension: str) -> str:
        """Return a name that is unique regardless of case, as some file systems ignore case."""
        key = f"{stem}{extension}".lower()
        number = self._numbers.get(key, 0) + 1
        while (name := f"{stem}{f'~{number}' if number > 1 else ''}{extension}").lower() in self._names:
            number += 1
        self._numbers[key] = number
        self._names.add(name.lower())
        return name

    def finish(self, facts: dict[str, object]) -> None:
        """Write the manifest, which marks the export as complete; `facts` are its first members."""
        temporary = os.path.join(self.path, f"{MANIFEST}.part")
        content = {**facts, "files": self.entries, "damaged": self.damaged, "left_out": self.left_out}
        with open(temporary, "xb") as file:
            file.write(orjson.dumps(json_value(content), option=orjson.OPT_INDENT_2))
        os.replace(temporary, os.path.join(self.path, MANIFEST))


def run_folders(run: str) -> Sequence[str]:
    """Return the nested directories of a run; none for the logdir itself.

    They are named as in the logdir, except for names that are not portable or that exported files have.
    """
    return () if run == "." else tuple(_folder(part) for part in run.split("/"))


def _folder(part: str) -> str:
    name = safe_name(part)
    if name.lower() in (*FOLDERS, *FILES):
        return f"%{ord(name[0]):02X}{name[1:]}"
    return name
