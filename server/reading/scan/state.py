"""What a scan fills and what it remembers: the columns of rows, and where it stands."""

LIGHT_BYTES = 4096
"""Shorter payloads are read and verified, longer ones hopped over where they do not lie in the window anyway."""
SMALLEST_ROW = 4
"""Bytes of the smallest value that becomes a row: bounds the rows of a window."""


class Rows:
    """The columns that a scan fills, one row a value; `bits` and `value` are two views of one column.

    A scalar's row holds its value. Another value's holds where in the file its record begins (`bits`), where in the
    record its payload does (`start`) and how long that is (`length`), in bytes.
    """

    def __init__(
        self,
        tag: memoryview,
        step: memoryview,
        wall_time: memoryview,
        bits: memoryview,
        value: memoryview,
        start: memoryview,
        length: memoryview,
        heavy: memoryview,
    ):
        self.tag = tag
        self.step = step
        self.wall_time = wall_time
        self.bits = bits
        self.value = value
        self.start = start
        self.length = length
        self.heavy = heavy
        """Where in the file the records begin whose payload was not verified; no row each, but a list of their own."""


class State:
    """Where a scan stands: in the window, in the record and value at hand, and what it has seen so far.

    Places are in the window. The types of its members are in toposcope.server.reading.scan.compiled.pxd.
    """

    def __init__(self) -> None:
        # Why the scan stopped, all False: the window, or what was to be scanned of it, ends at `position`.
        self.has_new_tag = False
        """The tag table lacks the tag at hand; enter it and scan again."""
        self.has_bad_header = False
        """The length at `position` is damaged: where the next record begins is unknown."""
        self.has_bad_payload = False
        """The payload of the record at `position` is damaged; the next one begins at `next`."""
        self.is_cut = False
        """Go on with a window that begins at `at`, inside the record, and holds `wanted` bytes or more."""

        self.light = LIGHT_BYTES
        self.base = 0
        """Where in the file the window begins."""
        self.position = 0
        """Where the record at hand begins; below 0 when that was before the window."""
        self.next = 0
        """Where it ends, or, when its header is cut off, where that would end; may lie beyond the window."""
        self.is_inside = False
        """The record at hand is being read."""
        self.has_envelope = False
        """All of it that is no summary was read."""
        self.at = 0
        """Where to read on in it."""
        self.wanted = 0
        self.summary_end = 0
        """Where the summary at hand ends."""
        self.rows = 0
        """Rows of complete records."""
        self.partial_rows = 0
        """Rows including those of the record at hand."""
        self.heavy_records = 0
        """Entries of Rows.heavy."""
        self.slot = 0
        """Slot of the last tag."""

        self.key = self.content = self.number = 0
        """Of the field at hand: number and wire type, where its content begins, and the last varint."""
        self.kind = 0
        """What the value at hand holds: index into KINDS."""
        self.tag_start = self.tag_end = 0
        self.payload_start = self.payload_end = 0
        self.metadata_start = self.metadata_end = 0
        self.tail = 0
        """Where the part of the value begins that the window lacks; 0: none."""
        self.value_end = 0
        self.bits = 0
        """Of the scalar at hand, as a double."""

        self.wall_time = 0
        """Bits of the double."""
        self.step = 0
        self.has_summary = False
        self.summary = 0
        """Where in the record to look for its summary."""
        self.member_kind = 0
        """What the event holds in the place of a summary: index into KINDS; 0: nothing that becomes a row."""
        self.member_start = self.member_end = 0

        self.events = 0
        self.summaries = 0
        """Events that hold summaries."""
        self.min_step = self.max_step = 0
        self.first_wall = self.last_wall = 0
        """Bits of the smallest and the largest wall_time; 0: none yet. Bits of positive doubles sort as they do."""

    def begin(self, base: int) -> None:
        """Go over to a window that begins at a place of the file: where the record at hand begins, or at `at`."""
        shift = base - self.base
        self.base = base
        self.position -= shift
        self.next -= shift
        self.at -= shift
        self.summary -= shift
        self.summary_end -= shift
        self.member_start -= shift
        self.member_end -= shift
