"""The folder of an export: names of files that are safe whatever the tags are, and a manifest of what is in each."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple
from urllib.parse import quote

import google_crc32c
import orjson

from toposcope.proto.wire import text_bytes
from toposcope.server.json_values import in_json

MANIFEST = "manifest.json"
FOLDERS = ("image", "tensor", "text", "histogram", "landscape", "graph")
"""Of a run, one a plugin."""
FILES = ("scalar.csv", "lineage.json", "dataset_graph.json", "hparams.json", MANIFEST)
_LONGEST = 150
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that mean a device to Windows."""


class Entry(NamedTuple):
    """What a file of an export holds; None where it holds several or where there is none."""

    file: str
    """Its path in the folder, with slashes."""
    run: str
    plugin: str
    tag: str | None = None
    rank: int | None = None
    step: int | None = None
    wall_time: float | None = None
    """Seconds since 1970."""
    picture: int | None = None
    """Which picture of a value that holds several."""
    points: int = 1
    """Those that turn out damaged, and are missing, included."""
    note: str | None = None
    """What differs from what was recorded."""


class LeftOut(NamedTuple):
    """Points that are not exported."""

    run: str
    plugin: str
    tag: str
    step: int | None
    """None: all of the tag."""
    reason: str


class ExportFolder:
    """A folder that is being filled. It never overwrites a file, and writes nothing outside of itself.

    Args:
        path: is made when it is missing.

    Raises:
        ValueError: it is no empty folder.
        OSError: it cannot be made.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self.damaged: list[LeftOut] = []
        self.left_out: list[LeftOut] = []
        """What there is no form for."""
        self._taken: set[str] = set()
        self._tried: dict[str, int] = {}
        """The last number that was given behind a name."""
        os.makedirs(path, exist_ok=True)
        if os.listdir(path):
            raise ValueError(f"--out {path!r} is not empty: name a new folder, nothing is overwritten or mixed")

    @contextmanager
    def create(self, entry: Entry, stem: str, extension: str) -> Iterator[BinaryIO]:
        """Write a file of a run and note it in the manifest; removed again when what is done with it fails.

        Args:
            entry: what it holds; `file` names the folder of the run in which it is to stand, "" for the run's own.
            stem: what its name begins with, safe already; a number follows where the name is taken.
            extension: with its dot.
        """
        name = self._claim("/".join(filter(None, (*run_folders(entry.run), entry.file, stem))), extension)
        path = os.path.join(self.path, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as opened:
            try:
                yield opened
            except BaseException:
                os.unlink(path)
                raise
        self.entries.append(entry._replace(file=name))

    def _claim(self, stem: str, extension: str) -> str:
        """Return a name that no other file has, letter case aside: some file systems make no difference."""
        wanted = f"{stem}{extension}".lower()
        number = self._tried.get(wanted, 0) + 1
        while (name := f"{stem}{f'~{number}' if number > 1 else ''}{extension}").lower() in self._taken:
            number += 1
        self._tried[wanted] = number
        self._taken.add(name.lower())
        return name

    def finish(self, facts: dict[str, object]) -> None:
        """Write the manifest, which says that the export is complete, with some facts about it before all else."""
        draft = os.path.join(self.path, f"{MANIFEST}.part")
        content = {**facts, "files": self.entries, "damaged": self.damaged, "left_out": self.left_out}
        with open(draft, "xb") as opened:
            opened.write(orjson.dumps(in_json(content), option=orjson.OPT_INDENT_2))
        os.replace(draft, os.path.join(self.path, MANIFEST))


def run_folders(run: str) -> Sequence[str]:
    """Return the folders, one in the other, that stand for a run; none for the logdir itself.

    They are the folders below the logdir, but for what a file system may take for something else, and for the names
    of what is exported.
    """
    return () if run == "." else tuple(_folder(part) for part in run.split("/"))


def _folder(part: str) -> str:
    name = safe_name(part)
    if name.lower() in (*FOLDERS, *FILES):
        return f"%{ord(name[0]):02X}{name[1:]}"
    return name


def safe_name(text: str) -> str:
    """Return text as a name, or the beginning of one, for any file system: 150 characters of ASCII at most.

    Quoted as in a URL, as MindSpore's exports are; when it is long, its end is a checksum.
    """
    name = quote(text_bytes(text), safe="")
    if name.endswith("."):  # "." and ".." are folders; Windows drops dots at the end.
        name = name.rstrip(".") + "%2E" * (len(name) - len(name.rstrip(".")))
    if _DEVICES.fullmatch(name):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) <= _LONGEST:
        return name
    kept = re.sub(r"%[0-9A-F]?$", "", name[: _LONGEST - 9])
    return f"{kept}~{google_crc32c.value(text_bytes(text)):08x}"
