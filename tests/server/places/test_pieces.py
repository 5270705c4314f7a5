"""Event files in pieces: whichever objects a listing shows, each byte is there once."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from toposcope.proto.file_name import parse_file_name
from toposcope.proto.piece_name import parse_piece_name, piece_name
from toposcope.server.places.place import Status
from toposcope.server.places.stores.pieces import merge, ranges

FILE = "s3://bucket/run/events.out.events.summary.1.0.host_MS"
CONTENT = bytes(range(200))


@given(
    st.lists(st.integers(0, 199), unique=True, max_size=6),
    st.lists(st.booleans(), min_size=7, max_size=7),
    st.none() | st.integers(0, 200),
    st.integers(0, 199),
    st.integers(1, 200),
)
def test_a_file_is_its_bytes_up_to_the_first_gap(
    cuts: list[int], present: list[bool], whole: int | None, start: int, length: int
) -> None:
    """A file that replaces pieces, or a part of it, counts as they do."""
    bounds = sorted({0, *cuts, len(CONTENT)})
    objects = {
        piece_name(FILE, low): CONTENT[low:high]
        for low, high, is_present in zip(bounds[:-1], bounds[1:], present, strict=False)
        if is_present
    }
    if whole is not None:
        objects[FILE] = CONTENT[:whole]
    known = bytearray(objects.get(FILE, b""))
    for low, high in pairwise(bounds):
        if low <= len(known) < high and piece_name(FILE, low) in objects:
            known += CONTENT[len(known) : high]

    merged = merge({path: Status(len(content), 1.0, 0) for path, content in objects.items()})

    assert merged.files.keys() == ({FILE} if known or whole is not None else set())
    if not known:
        return
    assert merged.files[FILE].size == len(known)
    end = min(start + length, len(known))
    if start < end:
        parts = merged.parts.get(FILE)
        wanted = [(FILE, start, end)] if parts is None else ranges(parts, start, end)
        assert b"".join(objects[path][low:high] for path, low, high in wanted) == known[start:end]


def test_a_file_stays_while_its_pieces_are_deleted() -> None:
    """A listing that was made meanwhile shows neither all pieces nor the whole file."""
    pieces = {piece_name(FILE, offset): Status(10, float(offset), 0) for offset in (0, 10, 20)}
    first = merge(pieces)
    assert first.files == {FILE: Status(30, 20.0, 0)}
    del pieces[piece_name(FILE, 0)]
    during = merge(pieces, first)
    assert during == first
    after = merge({FILE: Status(35, 30.0, 0)}, during)
    assert (after.files, after.parts) == ({FILE: Status(35, 30.0, 0)}, {})


def test_names_of_pieces() -> None:
    """They contain the name of the event file, and are not names of event files."""
    name = FILE.rpartition("/")[2]
    piece = piece_name(name, 1 << 33)
    assert parse_piece_name(piece) == (name, 1 << 33)
    assert (parse_piece_name(name), parse_piece_name("x.piece-1"), parse_file_name(piece)) == (None, None, None)
    assert parse_file_name(name)
