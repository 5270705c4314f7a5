"""A snapshot of what was read from an event file."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import Place
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.version_event import PROJECTOR, Version
from toposcope.server.reading.series.series import Payloads, Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.reading.windows.scanner import Damage


class FileView(NamedTuple):
    """What was read from an event file up to some moment; never changes."""

    path: str
    rank: int | None
    is_lineage: bool
    version: Version
    series: Mapping[Tag, Points | Payloads]
    counters: Counters
    damage: tuple[Damage, ...]
    large_records: int
    """Number of records too large to be verified while they are loaded."""
    verified_large_records: int
    """How many of them have been verified since."""
    verified_until: int
    """Every record that begins before this offset is verified."""
    inode: int
    modified: float
    """When the file was last written, in seconds since 1970."""
    read_bytes: int
    size: int
    phase: int
    """What the training does, one of summary_pb2.Phase; 0 if it is unknown."""
    part: str = ""
    """The directory below that of the run, if the file is in one that add_scalars() has made."""
    place: Place = UNCHECKED
    """Reads the payloads."""

    @property
    def is_aside(self) -> bool:
        """Whether it is beside the files of a training, as those of lineage and of embeddings: it has no rank."""
        return self.is_lineage or self.version.source_format == PROJECTOR

    @property
    def path_in_run(self) -> str:
        """Its path below the directory of the run."""
        return os.path.join(self.part, os.path.basename(self.path))

    @property
    def wall_times(self) -> tuple[float, float] | None:
        """The first and the largest wall_time of its events, in seconds since 1970."""
        return self.counters.wall_times

    @property
    def steps(self) -> tuple[int, int] | None:
        """Smallest and largest step of its summaries."""
        return self.counters.steps
