"""The fast scan against the slow reader, compiled and uncompiled, on whatever hypothesis thinks of."""

import ast
import shutil
import struct
import sysconfig
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.event_files import GOLDEN, read_slowly, scalar_event, version_event

from toposcope.proto import framing, lineage_pb2, summary_pb2, tensorboard_pb2
from toposcope.server.reading import scan, scan_buffers, scanner, tag_table

FILES = [path for path in Path(str(scan.__file__)).parent.glob("*.py") if path.stem != "__init__"]
PARTS = [import_module(f"{scan.__name__}.{path.stem}") for path in FILES]
UNCOMPILED = SimpleNamespace(**{name: value for part in PARTS for name, value in vars(part).items()})
"""The scan as Python runs it where there is no C compiler."""
HAS_COMPILER = shutil.which(str(sysconfig.get_config_var("CC") or "cl").split()[0]) is not None
FORMS = {"uncompiled": UNCOMPILED} | ({"compiled": import_module(f"{scan.__name__}.compiled")} if HAS_COMPILER else {})
Row = tuple[str, str, int, bytes, bytes]
"""Plugin, tag, step, wall_time and value, or payload."""


@pytest.fixture(params=list(FORMS))
def either_scan(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test with the compiled and with the uncompiled scan."""
    use_scan(FORMS[request.param], monkeypatch)
    return str(request.param)


def use_scan(form: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make Scanner and TagTable use one form of scan."""
    for owner, names in (
        (scanner, ("State", "next_header", "scan")),
        (tag_table, ("Table", "find_slot", "insert")),
        (scan_buffers, ("Rows",)),
    ):
        for name in names:
            monkeypatch.setattr(owner, name, getattr(form, name))


def read_fast(content: bytes, dialect: str, step: int, light: int = 4096) -> tuple[list[Row], list[int]]:
    """Return (points, offsets of damaged places), read in windows of about `step` bytes, heavy payloads verified."""
    bad: frozenset[int] = frozenset()
    while True:
        reader = scanner.Scanner(dialect, lambda at, length: content[at : at + length], bad, light)
        parts, heavy = read_windows(reader, content, step)
        more = {record for record in heavy if not is_sound(content, record)} | reader.torn
        if not more:
            return rows_of(parts, reader, content), [damage.offset for damage in reader.damage]
        bad |= more


def read_windows(reader: scanner.Scanner, content: bytes, step: int) -> tuple[list[scan_buffers.Part], list[int]]:
    """Read a file as EventFile does, its bytes coming a few at a time."""
    parts, heavy = [], []
    offset = wanted = end = worth = 0
    while worth <= len(content):
        end = min(len(content), max(end, worth, offset + max(step, wanted)))
        size = max(0, min(max(step, wanted), end - offset))
        arrays = scan_buffers.ScanBuffers(max(size, 64))
        arrays.window[:size] = np.frombuffer(content[offset : offset + size], np.uint8)
        read = reader.read(arrays, size, offset, end)
        rows = reader.take(arrays)
        parts += rows.parts
        heavy += rows.heavy.tolist()
        is_stuck = (read.next_offset, read.wanted, read.worth_reading_at) == (offset, wanted, worth)
        assert not is_stuck or end < len(content), "the scanner asks for the same window again and again"
        offset, wanted, worth = read.next_offset, read.wanted, read.worth_reading_at
        end = min(len(content), end + 1)
    return parts, heavy


def is_sound(content: bytes, record: int) -> bool:
    """Say whether the payload of a record fits its crc."""
    start = record + framing.HEADER_BYTES
    end = start + framing.read_header(content[record:start]).length
    return content[end : end + framing.FOOTER_BYTES] == framing.frame(content[start:end])[-framing.FOOTER_BYTES :]


def rows_of(parts: list[scan_buffers.Part], reader: scanner.Scanner, content: bytes) -> list[Row]:
    """Return the points in a form that can be compared; bytes of doubles so that NaN equals NaN."""
    rows = []
    for number, points in parts:
        plugin, tag = reader.table.entries[number].tag
        for step, wall_time, value, *place in zip(*(column.tolist() for column in points), strict=True):
            if place:
                at = value + place[0]
                held = content[at : at + place[1]]
            else:
                held = struct.pack("<d", value)
            rows.append((plugin, tag, step, struct.pack("<d", wall_time), held))
    return sorted(rows)


def expected_of(content: bytes, dialect: str) -> tuple[list[Row], list[int]]:
    """Return what the slow reader says, in the same form."""
    points, damage = read_slowly(content, dialect)
    rows = [
        (plugin, tag, step, struct.pack("<d", wall), value if isinstance(value, bytes) else struct.pack("<d", value))
        for tag, step, wall, value, plugin in points
    ]
    return sorted(rows), damage


finite_or_not = st.floats(width=64)
single = st.floats(width=32)
steps = st.integers(-(2**63), 2**63 - 1)
tags = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(["loss", "accuracy", "lr", ""])


@st.composite
def mindspore_payload(draw: st.DrawFn) -> bytes:
    """An event with scalars, exact ones too, among values of other kinds."""
    event = summary_pb2.Event(wall_time=draw(finite_or_not), step=draw(steps))
    kind = draw(st.sampled_from(["summary"] * 8 + ["version", "graph"]))
    if kind == "version":
        event.version = "MindSpore.Event:1"
    elif kind == "graph":
        event.graph_def.name = draw(st.text(st.characters(codec="utf-8"), max_size=90))
    else:
        event.summary.SetInParent()
        for _ in range(draw(st.integers(0, 4))):
            value = event.summary.value.add(tag=draw(tags))
            match draw(st.integers(0, 8)):
                case 0 | 1 | 2:
                    value.scalar_value = draw(single)
                case 3:
                    value.scalar_value = draw(single)
                    value.scalar_double = draw(finite_or_not)
                case 4:
                    value.histogram.count = draw(steps)
                case 5:
                    value.image.encoded_image = draw(st.binary(max_size=200))
                case 6:
                    value.text = draw(st.text(st.characters(codec="utf-8"), max_size=80))
                case 7:
                    value.tensor.raw_data = draw(st.binary(max_size=200))
                case 8:
                    value.loss_landscape.metadata.unit = "step"
    return event.SerializeToString()


@st.composite
def tensorboard_payload(draw: st.DrawFn) -> bytes:
    """An event with scalars of both styles among values of other kinds."""
    event = tensorboard_pb2.Event(wall_time=draw(finite_or_not), step=draw(steps))
    event.summary.SetInParent()
    for _ in range(draw(st.integers(0, 4))):
        value = event.summary.value.add(tag=draw(tags))
        match draw(st.integers(0, 6)):
            case 0 | 1:
                value.simple_value = draw(single)
            case 2:
                value.tag = "tensor/" + draw(st.sampled_from(["a", "b"]))
                value.metadata.plugin_data.plugin_name = "scalars"
                draw_tensor(draw, value.tensor)
            case 3:
                value.tag = "text/" + value.tag
                value.metadata.plugin_data.plugin_name = draw(st.sampled_from(["text", "images", "hparams", ""]))
                value.tensor.string_val.append(draw(st.binary(max_size=200)))
            case 4:
                value.histo = draw(st.binary(max_size=200))
            case 5:
                value.image = draw(st.binary(max_size=200))
            case 6:
                value.metadata.plugin_data.plugin_name = draw(st.sampled_from(["hparams", "scalars", "other"]))
                value.metadata.plugin_data.content = draw(st.binary(max_size=200))
    return event.SerializeToString()


@st.composite
def lineage_payload(draw: st.DrawFn) -> bytes:
    """An event of a lineage file."""
    event = lineage_pb2.LineageEvent(wall_time=draw(finite_or_not), step=draw(steps))
    match draw(st.integers(0, 4)):
        case 0:
            event.version = "MindSpore.Event:1"
        case 1:
            event.train_lineage.algorithm.network = draw(tags) * draw(st.integers(1, 20))
        case 2:
            event.evaluation_lineage.metric = draw(tags)
        case 3:
            event.dataset_graph.parameter.mapStr["op"] = draw(tags)
        case 4:
            event.user_defined_info.map_str["key"] = draw(tags)
    return event.SerializeToString()


def draw_tensor(draw: st.DrawFn, tensor: tensorboard_pb2.TensorProto) -> None:
    """Fill a tensor of one element in one of the ways writers do."""
    code, dtype, field = draw(
        st.sampled_from(
            [
                (1, "<f4", "float_val"),
                (2, "<f8", "double_val"),
                (3, "<i4", "int_val"),
                (9, "<i8", "int64_val"),
                (4, "u1", "int_val"),
                (6, "i1", "int_val"),
                (10, "?", "bool_val"),
            ]
        )
    )
    content = draw(st.binary(min_size=np.dtype(dtype).itemsize, max_size=np.dtype(dtype).itemsize))
    if code == 10:
        content = bytes([content[0] & 1])
    tensor.dtype = code
    if draw(st.booleans()):
        tensor.tensor_content = content
    else:
        getattr(tensor, field).append(np.frombuffer(content, dtype)[0].item())


def file_of(payloads: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Event files, most of them with a few bytes changed, taken out or put in, or with the end cut off."""
    whole = st.lists(payloads.map(framing.frame), max_size=6).map(b"".join)
    return st.tuples(
        whole, st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1), st.binary(min_size=1, max_size=9)))
    ).map(lambda drawn: mutate(*drawn))


def mutate(content: bytes, changes: list[tuple[int, float, bytes]]) -> bytes:
    """Apply changes at relative places."""
    changed = bytearray(content)
    for kind, place, more in changes[:3]:
        at = int(place * len(changed))
        if kind == 0:
            changed[at : at + len(more)] = more
        elif kind == 1:
            changed[at:at] = more
        elif kind == 2:
            del changed[at : at + len(more)]
        elif kind == 3:
            del changed[at:]
        else:
            changed[at : at + 40] = bytes(min(40, len(changed) - at))
    return bytes(changed)


PAYLOADS = {"mindspore": mindspore_payload, "tensorboard": tensorboard_payload, "lineage": lineage_payload}


@pytest.mark.parametrize("dialect", PAYLOADS)
def test_scan_agrees_with_the_slow_reader(dialect: str) -> None:
    """Compiled scan, uncompiled scan and the slow reader see the same points and the same damage in any file.

    Whatever the windows, and however small a payload is hopped over and verified later.
    """

    @settings(max_examples=200, deadline=None)
    @given(file_of(PAYLOADS[dialect]()), st.integers(20, 400), st.sampled_from([4096, 0, 30, 100]))
    def check(content: bytes, window: int, light: int) -> None:
        expected = expected_of(content, dialect)
        for form in FORMS.values():
            with pytest.MonkeyPatch.context() as patch:
                use_scan(form, patch)
                assert read_fast(content, dialect, window, light) == expected

    check()


@pytest.mark.parametrize("path", sorted(GOLDEN.rglob("*events*")), ids=lambda path: path.name)
def test_scan_reads_real_files_as_the_slow_reader_does(path: Path, either_scan: str) -> None:
    """Every file of real writers gives the same points, in windows of any size."""
    content = path.read_bytes()
    dialect = "tensorboard" if "tfevents" in path.name else "lineage" if "lineage" in path.name else "mindspore"

    rows, damage = expected_of(content, dialect)
    for step in (100, 10_000, len(content)):
        fast, fast_damage = read_fast(content, dialect, step)
        # Protobuf writes the entries of a map in any order.
        assert [(*row[:-1], sorted(row[-1])) for row in fast] == [(*row[:-1], sorted(row[-1])) for row in rows]
        assert fast_damage == damage


def test_scan_knows_thousands_of_tags(either_scan: str) -> None:
    """An event may bring any number of new tags, long and empty ones too."""
    scalars = {f"{'group/' * (i % 40)}{i}": float(i) for i in range(3000)} | {"": 1.0}
    content = version_event() + scalar_event(2.0, 1, scalars) + scalar_event(3.0, 2, scalars)

    rows, damage = read_fast(content, "mindspore", len(content))

    assert [tag for _, tag, *_ in rows] == sorted(2 * list(scalars))
    assert not damage


def test_scan_widens_half_and_bfloat16(either_scan: str) -> None:
    """Scalars that TensorBoard stores in 16 bits come back as the doubles they equal."""
    halves = np.array([0.0, -0.0, 1.5, 65504, 6e-8, np.inf, -np.inf], "<f2")
    records = []
    for half in halves:
        event = tensorboard_pb2.Event(wall_time=1.0)
        value = event.summary.value.add(tag="half")
        value.metadata.plugin_data.plugin_name = "scalars"
        value.tensor.dtype = 19
        value.tensor.half_val.append(int(half.view("<u2")))
        brain = event.summary.value.add(tag="bfloat16")
        brain.metadata.plugin_data.plugin_name = "scalars"
        brain.tensor.dtype = 14
        brain.tensor.tensor_content = struct.pack("<f", 1.5)[2:]
        records.append(framing.frame(event.SerializeToString()))

    rows, _ = read_fast(b"".join(records), "tensorboard", 10_000)

    values = {tag: sorted(value for _, each, _, _, value in rows if each == tag) for tag in ("half", "bfloat16")}
    assert values["half"] == sorted(struct.pack("<d", half) for half in halves)
    assert set(values["bfloat16"]) == {struct.pack("<d", 1.5)}


@pytest.mark.skipif(not HAS_COMPILER, reason="There is no C compiler.")
def test_scan_is_compiled_where_there_is_a_compiler() -> None:
    """The tests above compared two different things."""
    compiled = FORMS["compiled"]
    assert scan.scan is compiled.scan
    assert not str(compiled.__file__).endswith(".py")
    assert all(str(part.__file__).endswith(".py") for part in PARTS)


def test_parts_of_the_scan_have_no_name_in_common() -> None:
    """Joined to one C unit, the names of all parts are names of one module."""
    defined = Counter(name for path in FILES for name in names_defined_by(path))

    assert [name for name, times in defined.items() if times > 1] == []


def names_defined_by(path: Path) -> list[str]:
    """Return the names that a module gives to its own functions, classes and constants."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    constants = [target.id for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return constants + [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
