"""How many records an event file has, the ranges of their steps and wall times, and the state of its recording."""

import math
import struct
from dataclasses import dataclass, fields
from typing import Any

from toposcope.server.reading.records.marks import RecordingEnd
from toposcope.server.reading.scan import ScanState
from toposcope.server.reading.series.time_units import Unit

_BITS, _DOUBLES = struct.Struct("<QQ"), struct.Struct("<dd")


@dataclass(slots=True)
class Counters:
    """Statistics of the records read so far."""

    events: int = 0
    """Records but heartbeats."""
    summaries: int = 0
    """Events that contain a summary."""
    min_step: int = 0
    max_step: int = 0
    first_wall: int = 0
    """Bits of the first wall_time, 0 if there is none: a clock that is set back later does not move the start."""
    last_wall: int = 0
    """Bits of the largest wall_time, without the end mark; positive doubles sort as their bits."""
    heartbeats: int = 0
    phase: int = 0
    """The phase in the last heartbeat, one of summary_pb2.Phase; 0 if there is none yet."""
    heartbeat_wall: int = 0
    """Bits of the wall_time of the last heartbeat, 0 if there is none."""
    end: RecordingEnd | None = None
    """The last end mark."""
    time_unit: Unit = "seconds"
    """In which the wall times were recorded; they are converted to seconds."""

    def add(self, more: "ScanState | Counters") -> None:
        """Add the statistics of other records."""
        if more.summaries:
            self.min_step = min(self.min_step, more.min_step) if self.summaries else more.min_step
            self.max_step = max(self.max_step, more.max_step) if self.summaries else more.max_step
        if more.first_wall:
            self.first_wall = self.first_wall or more.first_wall
            self.last_wall = max(self.last_wall, more.last_wall)
        if more.heartbeats:
            self.phase = more.phase
            self.heartbeat_wall = more.heartbeat_wall
        if isinstance(more, Counters):
            self.end = more.end or self.end
            self.time_unit = more.time_unit if more.time_unit != "seconds" else self.time_unit
        self.heartbeats += more.heartbeats
        self.events += more.events
        self.summaries += more.summaries

    def values(self) -> dict[str, Any]:
        """Return the values of the fields, by name."""
        return {name: getattr(self, name) for name in _FIELDS}

    @property
    def steps(self) -> tuple[int, int] | None:
        """Smallest and largest step of the events that contain a summary; None if there are none."""
        return (self.min_step, self.max_step) if self.summaries else None

    @property
    def wall_times(self) -> tuple[float, float] | None:
        """The first and the largest wall_time of the events, in seconds since 1970; None if there are none."""
        if not self.first_wall:
            return None
        first, last = _DOUBLES.unpack(_BITS.pack(self.first_wall, self.last_wall))
        return first, last

    @property
    def heartbeat(self) -> float:
        """The wall_time of the last heartbeat, in seconds since 1970; 0 if there is none."""
        if not self.heartbeat_wall:
            return 0.0
        _, heartbeat = _DOUBLES.unpack(_BITS.pack(0, self.heartbeat_wall))
        return heartbeat if math.isfinite(heartbeat) else 0.0


_FIELDS = [field.name for field in fields(Counters)]
