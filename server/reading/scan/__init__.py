"""The scan of event files, bytes to rows in one pass: compiled where there was a C compiler, else as it stands here.

The parts, each after those that it imports: kinds, state, wire, checksum, scalars, tags, values, events, records.
setup.py joins them to one C unit, `compiled`, as C functions are inlined within a unit only: so no two parts may have a
name in common. Its C types are in toposcope.server.reading.scan.compiled.pxd.

Every index is checked against the window by the code itself, so that the compiled form needs no other check; the
uncompiled form, run by the same tests, raises IndexError where one was forgotten.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING or find_spec(f"{__name__}.compiled") is None:
    from toposcope.server.reading.scan.kinds import DIALECTS, KINDS
    from toposcope.server.reading.scan.records import next_header, scan
    from toposcope.server.reading.scan.state import LIGHT_BYTES, SMALLEST_ROW, Rows, State
    from toposcope.server.reading.scan.tags import STORES, Table, find_slot, insert
else:
    from toposcope.server.reading.scan.compiled import (
        DIALECTS,
        KINDS,
        LIGHT_BYTES,
        SMALLEST_ROW,
        STORES,
        Rows,
        State,
        Table,
        find_slot,
        insert,
        next_header,
        scan,
    )

__all__ = [
    "DIALECTS",
    "KINDS",
    "LIGHT_BYTES",
    "SMALLEST_ROW",
    "STORES",
    "Rows",
    "State",
    "Table",
    "find_slot",
    "insert",
    "next_header",
    "scan",
]
