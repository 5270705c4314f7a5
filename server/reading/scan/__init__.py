"""The scan of event files: turns bytes into rows in one pass. Compiled by Cython if there was a C compiler.

The modules, each after those it imports: kinds, state, wire, checksum, scalars, tags, values, events, records.
They are written in Cython's pure Python mode. setup.py concatenates them into one module, `compiled`, because a C
compiler inlines functions only within one translation unit: therefore no two of them may define the same name. The C
types are declared in compiled.pxd.

If there is no compiled module, the Python modules run as they are, and do not need Cython either (see uncompiled.py).
toposcope.server.installation reports that.

The code checks every index against the window itself, so the compiled module runs without bounds checks. The
uncompiled modules, which pass the same tests, raise IndexError where such a check is missing.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING or find_spec(f"{__name__}.compiled") is None:
    from toposcope.server.reading.scan.kinds import DIALECTS, KINDS
    from toposcope.server.reading.scan.records import next_header, scan
    from toposcope.server.reading.scan.state import LARGE_RECORD_BYTES, SMALLEST_ROW, Rows, ScanState
    from toposcope.server.reading.scan.tags import STORES, Table, find_slot, insert
else:
    from toposcope.server.reading.scan.compiled import (
        DIALECTS,
        KINDS,
        LARGE_RECORD_BYTES,
        SMALLEST_ROW,
        STORES,
        Rows,
        ScanState,
        Table,
        find_slot,
        insert,
        next_header,
        scan,
    )

__all__ = [
    "DIALECTS",
    "KINDS",
    "LARGE_RECORD_BYTES",
    "SMALLEST_ROW",
    "STORES",
    "Rows",
    "ScanState",
    "Table",
    "find_slot",
    "insert",
    "next_header",
    "scan",
]
