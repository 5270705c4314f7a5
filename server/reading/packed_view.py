"""The view of an event file that is in a pack of the index."""

from functools import partial

from toposcope.proto.file_name import FileName
from toposcope.server.places.place import Place, Status
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.index import Index
from toposcope.server.reading.index.packs.pack import Pack, PackedFile
from toposcope.server.reading.index.packs.packed_series import PackedSeries, Series
from toposcope.server.reading.tag_table import Entry

_BUDGET_BYTES = 64 << 20


def packed_view(
    index: Index, path: str, name: FileName, status: Status, place: Place, declared: DeclaredPlugins
) -> FileView | None:
    """Return the view of an event file that has not changed since it was packed; None if it must be read.

    Args:
        index: may contain it.
        path: of the event file.
        name: its parsed name.
        status: of the file now.
        place: reads it.
        declared: the plugins that the files of its run declare; those of this one are added.
    """
    packed = index.packed(path, status)
    if packed is None:
        return None
    pack, file = packed
    if file.version.dialect == "tensorboard":
        if declared.contradict(pack.entries(file)):
            return None
        declared.add(path, pack.entries(file))
    return _view(path, name, place, pack, file)


def _view(path: str, name: FileName, place: Place, pack: Pack, file: PackedFile) -> FileView:
    status, start = file.status, file.version.start

    return FileView(
        path,
        start.rank if name.rank is None and start else name.rank,
        name.is_lineage and file.version.dialect == "mindspore",
        file.version,
        PackedSeries(pack, file, partial(_read_again, path, name, place, pack.entries(file))),
        file.counters,
        file.damage,
        file.large_records,
        file.large_records,
        file.end,
        status.inode,
        status.modified,
        file.end,
        status.size,
        file.phase,
        place=place,
    )


def _read_again(path: str, name: FileName, place: Place, entries: list[Entry]) -> Series:
    """Read the series of an event file; `entries` declare the plugins of its tags."""
    declared = DeclaredPlugins()
    declared.add(path, entries)
    event_file = EventFile(path, name, None, declared, place)
    while event_file.read(_BUDGET_BYTES):
        pass
    view = event_file.view()
    return view.series if view else {}
