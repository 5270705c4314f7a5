"""A .wandb file, as W&B's offline mode writes it, read with the messages of W&B's own package."""

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from wandb.proto.wandb_internal_pb2 import Record

_MAGIC, _FILE_HEADER, _BLOCK = b":W&B", 7, 32_768
_RECORD_HEADER = struct.Struct("<IHB")
_FULL, _FIRST, _LAST = 1, 2, 4
_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class OfflineRun(NamedTuple):
    """What a run has recorded."""

    name: str
    tags: list[str]
    notes: str
    group: str
    config: dict[str, Any]
    summary: dict[str, Any]
    """Names of nested mappings joined by "."."""
    history: dict[str, dict[int, Any]]
    """By name, nested ones joined by ".", and step."""
    exit_code: int | None


def read_offline_run(path: Path) -> OfflineRun:
    """Return what a file contains; ValueError if it is not sound."""
    config: dict[str, Any] = {}
    summary: dict[str, Any] = {}
    history: dict[str, dict[int, Any]] = {}
    run, exit_code = Record().run, None
    for record in _records(path.read_bytes()):
        match record.WhichOneof("record_type"):
            case "run":
                run = record.run
                config |= _items(run.config.update)
            case "config":
                config |= _items(record.config.update)
            case "summary":
                summary |= _items(record.summary.update)
            case "history":
                for name, value in _items(record.history.item).items():
                    history.setdefault(name, {})[record.history.step.num] = value
            case "exit":
                exit_code = record.exit.exit_code
    own, results, values = (
        {name: v for name, v in part.items() if name[:1] != "_"} for part in (config, summary, history)
    )
    return OfflineRun(run.display_name, list(run.tags), run.notes, run.run_group, own, results, values, exit_code)


def _records(content: bytes) -> Iterator[Any]:
    """Yield the records of a log of LevelDB's format after a header of seven bytes."""
    if not content.startswith(_MAGIC):
        raise ValueError("not a .wandb file")
    position, parts = _FILE_HEADER, b""
    while position + _RECORD_HEADER.size <= len(content):
        if (left := _BLOCK - position % _BLOCK) < _RECORD_HEADER.size:
            position += left
            continue
        checksum, length, kind = _RECORD_HEADER.unpack_from(content, position)
        position += _RECORD_HEADER.size
        part = content[position : position + length]
        if zlib.crc32(bytes([kind]) + part) != checksum:
            raise ValueError(f"damaged record at {position}")
        position += length
        parts = part if kind in (_FULL, _FIRST) else parts + part
        if kind in (_FULL, _LAST):
            yield Record.FromString(parts)


def _items(items: Any) -> dict[str, Any]:
    return {".".join(item.nested_key) or item.key: _value(item.value_json) for item in items}


def _value(text: str) -> Any:
    value = json.loads(text)
    return _SPECIAL.get(value, value) if isinstance(value, str) else value
