"""The generated classes match their sources and do not conflict with those of other packages."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "proto"
PROTOC = Path(sys.executable).with_name("protoc")
SOURCES = sorted(source.name for source in PROTO.glob("*.proto"))


def test_generated_classes_are_up_to_date(tmp_path: Path) -> None:
    """Generating the classes results in the committed files, byte by byte."""
    package = tmp_path / "toposcope" / "proto"
    package.mkdir(parents=True)
    for source in SOURCES:
        (package / source).symlink_to(PROTO / source)
    sources = [f"toposcope/proto/{source}" for source in SOURCES]

    command = [str(PROTOC), f"-I{tmp_path}", "--python_out=.", "--pyi_out=.", *sources]
    subprocess.run(command, cwd=tmp_path, check=True)

    generated = {path.name: path.read_bytes() for path in package.glob("*_pb2.py*")}
    committed = {path.name: path.read_bytes() for path in PROTO.glob("*_pb2.py*")}
    assert generated == committed


@pytest.mark.parametrize("source", SOURCES)
def test_names_are_in_their_own_package(source: str) -> None:
    """Files and symbols are named toposcope...: MindSpore's and TensorBoard's may be loaded in the same process."""
    descriptor = importlib.import_module(f"toposcope.proto.{source.removesuffix('.proto')}_pb2").DESCRIPTOR

    names = [descriptor.name, *(message.full_name for message in descriptor.message_types_by_name.values())]
    names += [enum.full_name for enum in descriptor.enum_types_by_name.values()]
    assert len(names) > 1
    assert [name for name in names if not name.startswith("toposcope")] == []


def test_additional_fields_are_outside_the_oneofs() -> None:
    """Fields from 100 on are not in a oneof, so that other readers skip them."""
    event = importlib.import_module("toposcope.proto.summary_pb2").Event.DESCRIPTOR
    value = importlib.import_module("toposcope.proto.summary_pb2").Summary.Value.DESCRIPTOR

    additional = {field.name: field for message in (event, value) for field in message.fields if field.number >= 100}
    assert len(additional) == 13
    assert all(field.containing_oneof is None for field in additional.values())
