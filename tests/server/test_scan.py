"""The fast scan against the slow reader, compiled and uncompiled, on whatever hypothesis thinks of."""

import importlib.util
import struct
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from event_files import GOLDEN, read_slowly, scalar_event, version_event
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.proto import framing, summary_pb2, tensorboard_pb2
from toposcope.server import scan as compiled_scan
from toposcope.server import scanner, tag_table

SOURCE = Path(scanner.__file__).with_name("scan.py")


def load_uncompiled() -> ModuleType:
    """Return scan.py as Python runs it where there is no C compiler."""
    spec = importlib.util.spec_from_file_location("uncompiled_scan", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["uncompiled_scan"] = module
    spec.loader.exec_module(module)
    return module


UNCOMPILED = load_uncompiled()


@pytest.fixture(params=["compiled", "uncompiled"])
def either_scan(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test with the compiled and with the uncompiled scan."""
    use_scan(compiled_scan if request.param == "compiled" else UNCOMPILED, monkeypatch)
    return str(request.param)


def use_scan(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make Scanner and TagTable use one form of scan."""
    for name in ("Rows", "State", "next_header", "scan"):
        monkeypatch.setattr(scanner, name, getattr(module, name))
    for name in ("Table", "find_slot"):
        monkeypatch.setattr(tag_table, name, getattr(module, name))


def read_fast(content: bytes, dialect: str, window: int) -> tuple[list[tuple[str, int, bytes, bytes]], list[int]]:
    """Return (scalars, offsets of damaged places), read in windows of about this many bytes."""
    reader = scanner.Scanner(dialect)
    rows, offset, end = [], 0, 0
    while end < len(content):
        end = min(len(content), max(end + 1, offset + window))
        part = bytearray(content[offset:end])
        columns, offset, _ = reader.read(part, len(part), offset)
        rows += [
            (reader.tags[tag].name, step, struct.pack("<d", wall_time), struct.pack("<d", value))
            for tag, step, wall_time, value in zip(*(column.tolist() for column in columns), strict=True)
        ]
    return rows, [damage.offset for damage in reader.damage]


def expected_of(content: bytes, dialect: str) -> tuple[list[tuple[str, int, bytes, bytes]], list[int]]:
    """Return what the slow reader says, in the same form; bytes of doubles so that NaN equals NaN."""
    points, damage = read_slowly(content, dialect)
    return [(tag, step, struct.pack("<d", wall), struct.pack("<d", value)) for tag, step, wall, value in points], damage


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
        event.graph_def.name = "graph"
    else:
        event.summary.SetInParent()
        for _ in range(draw(st.integers(0, 4))):
            value = event.summary.value.add(tag=draw(tags))
            match draw(st.integers(0, 6)):
                case 0 | 1 | 2:
                    value.scalar_value = draw(single)
                case 3:
                    value.scalar_value = draw(single)
                    value.scalar_double = draw(finite_or_not)
                case 4:
                    value.histogram.count = 3
                case 5:
                    value.image.encoded_image = draw(st.binary(max_size=20))
                case 6:
                    value.text = "words"
    return event.SerializeToString()


@st.composite
def tensorboard_payload(draw: st.DrawFn) -> bytes:
    """An event with scalars of both styles among values of other kinds."""
    event = tensorboard_pb2.Event(wall_time=draw(finite_or_not), step=draw(steps))
    event.summary.SetInParent()
    for _ in range(draw(st.integers(0, 4))):
        value = event.summary.value.add(tag=draw(tags))
        match draw(st.integers(0, 4)):
            case 0 | 1:
                value.simple_value = draw(single)
            case 2:
                value.tag = "tensor/" + draw(st.sampled_from(["a", "b"]))
                value.metadata.plugin_data.plugin_name = "scalars"
                draw_tensor(draw, value.tensor)
            case 3:
                value.tag = "text/" + value.tag
                value.metadata.plugin_data.plugin_name = "text"
                value.tensor.string_val.append(b"words")
            case 4:
                value.histo = b"1"
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


@pytest.mark.parametrize("dialect", ["mindspore", "tensorboard"])
def test_scan_agrees_with_the_slow_reader(dialect: str) -> None:
    """Compiled scan, uncompiled scan and the slow reader see the same points and the same damage in any file."""
    payloads = mindspore_payload() if dialect == "mindspore" else tensorboard_payload()

    @settings(max_examples=150, deadline=None)
    @given(file_of(payloads), st.integers(1, 400))
    def check(content: bytes, window: int) -> None:
        expected = expected_of(content, dialect)
        for module in (compiled_scan, UNCOMPILED):
            with pytest.MonkeyPatch.context() as patch:
                use_scan(module, patch)
                assert read_fast(content, dialect, window) == expected

    check()


@pytest.mark.parametrize(
    "path", sorted(path for path in GOLDEN.rglob("*events*") if "lineage" not in path.name), ids=lambda path: path.name
)
def test_scan_reads_real_files_as_the_slow_reader_does(path: Path, either_scan: str) -> None:
    """Every file of real writers gives the same scalars, in windows of any size."""
    content = path.read_bytes()
    dialect = "tensorboard" if "tfevents" in path.name else "mindspore"

    for window in (10_000, len(content)):
        assert read_fast(content, dialect, window) == expected_of(content, dialect)


def test_scan_knows_thousands_of_tags(either_scan: str) -> None:
    """An event may bring any number of new tags, long and empty ones too."""
    scalars = {f"{'group/' * (i % 40)}{i}": float(i) for i in range(3000)} | {"": 1.0}
    content = version_event() + scalar_event(2.0, 1, scalars) + scalar_event(3.0, 2, scalars)

    rows, damage = read_fast(content, "mindspore", len(content))

    assert [tag for tag, *_ in rows] == 2 * list(scalars)
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

    assert [value for tag, _, _, value in rows if tag == "half"] == [struct.pack("<d", half) for half in halves]
    assert {value for tag, _, _, value in rows if tag == "bfloat16"} == {struct.pack("<d", 1.5)}


def test_scan_is_compiled_where_there_is_a_compiler() -> None:
    """The tests above compared two different things."""
    assert not compiled_scan.__file__.endswith(".py")
    assert str(UNCOMPILED.__file__).endswith(".py")
