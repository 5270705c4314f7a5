"""The columns that a scan fills, and its state between two windows."""

LARGE_RECORD_BYTES = 4096
"""Payloads of this many bytes or more are large: not verified by the scan, and skipped where possible."""
SMALLEST_ROW = 4
"""Size in bytes of the smallest value that becomes a row; bounds the number of rows of a window."""


class Rows:
    """The columns that a scan fills, one row a value; `bits` and `value` are two views of one column.

    The row of a scalar contains its value. The row of any other value contains the offset of its record in the file
    (`bits`), the offset of its payload in the record (`start`) and the length of the payload (`length`), in bytes.
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
        large: memoryview,
    ):
        self.tag = tag
        self.step = step
        self.wall_time = wall_time
        self.bits = bits
        self.value = value
        self.start = start
        self.length = length
        self.large = large
        """Offsets in the file of the records whose payload was not verified; a separate list, not one entry a row."""


class ScanState:
    """The position of a scan in the window, the current record and value, and statistics of all records so far.

    Positions are relative to the window unless stated otherwise. The C types are in compiled.pxd.
    """

    def __init__(self) -> None:
        # Why the scan stopped. If all are False, it reached the end of the window or its limit.
        self.has_new_tag = False
        """The tag table lacks the current tag; insert it and scan again."""
        self.has_bad_header = False
        """The length at `position` is damaged: it is unknown where the next record begins."""
        self.has_bad_payload = False
        """The payload of the record at `position` is damaged; the next record begins at `next`."""
        self.is_cut = False
        """The next window must begin at `at`, inside the record, and contain at least `needed` bytes."""

        self.large_bytes = LARGE_RECORD_BYTES
        self.base = 0
        """Offset of the window in the file."""
        self.position = 0
        """Where the current record begins; negative if that is before the window."""
        self.next = 0
        """Where the next record begins, or, if a header is cut off, where that header ends; may be after the window."""
        self.is_inside = False
        """Whether a record was opened and not finished."""
        self.has_envelope = False
        """Whether all of the current event but its summary was read."""
        self.at = 0
        """Where reading continues in the current record."""
        self.needed = 0
        self.summary_end = 0
        """Where the current summary ends."""
        self.rows = 0
        """Rows of complete records."""
        self.partial_rows = 0
        """Rows including those of the current record."""
        self.large_records = 0
        """Number of entries of Rows.large."""
        self.slot = 0
        """Slot of the last tag."""

        self.key = self.content = self.number = 0
        """The number and wire type of the current field, where its content begins, and the last varint."""
        self.kind = 0
        """Kind of the current value: an index into KINDS."""
        self.tag_start = self.tag_end = 0
        self.payload_start = self.payload_end = 0
        self.metadata_start = self.metadata_end = 0
        self.tail = 0
        """Where the part of the value begins that is not in the window; 0 if there is none."""
        self.value_end = 0
        self.bits = 0
        """The bits of the current scalar, as a double."""
        self.has_doubles = False
        """Whether any scalar was read from something else than a float32; it stays until the rows are taken."""

        self.wall_time = 0
        """Bits of the double."""
        self.step = 0
        self.has_summary = False
        self.summary = 0
        """Where to start looking for the summary in the record."""
        self.member_kind = 0
        """Kind of what the event contains: an index into KINDS, HEARTBEAT, END or OTHER; 0 if nothing is known yet."""
        self.member_key = 0
        """Key of the field that it was read from."""
        self.member_start = self.member_end = 0
        self.heartbeat = 0
        """The phase in the current event, if it is a heartbeat."""

        self.events = 0
        self.summaries = 0
        """Number of events that contain a summary."""
        self.min_step = self.max_step = 0
        self.first_wall = self.last_wall = 0
        """Bits of the smallest and the largest wall_time, 0 if there is none; positive doubles sort as their bits."""
        self.heartbeats = 0
        self.phase = 0
        """The phase in the last heartbeat; 0 if there is none yet."""
        self.heartbeat_wall = 0
        """Bits of the wall_time of the last heartbeat."""
        self.end_record = 0
        """Offset in the file of the record that contains the end mark."""
        self.end_start = self.end_length = 0
        """Where in the record the end mark begins, and how long it is; the start is 0 if there is none."""
        self.end_is_session_log = False
        """Whether it is TensorBoard's SessionLog, and not our own mark."""
        self.end_wall = 0
        """Bits of its wall_time."""

    def move_window(self, base: int) -> None:
        """Move to a window at an offset of the file: that of the current record, or of `at` if the scan was cut."""
        shift = base - self.base
        self.base = base
        self.position -= shift
        self.next -= shift
        self.at -= shift
        self.summary -= shift
        self.summary_end -= shift
        self.member_start -= shift
        self.member_end -= shift
