"""Writes the initial corpus for fuzzing: small groups of records of the golden files. make_corpus.py FOLDER."""

import sys
from collections.abc import Iterator
from pathlib import Path

from fuzz.fuzz_scan import DIALECTS, encode_input
from support.event_files import GOLDEN

from toposcope.proto import framing

_MAX_PAYLOAD_BYTES = 4000
_GROUP_RECORDS = 4


def golden_inputs() -> Iterator[bytes]:
    """Yield inputs of a few adjacent records of a golden file, as framed records or as payloads to be framed."""
    for path in sorted(GOLDEN.rglob("*events*")):
        dialect = "tensorboard" if "tfevents" in path.name else "lineage" if "lineage" in path.name else "mindspore"
        payloads = [payload for payload in read_payloads(path.read_bytes()) if len(payload) <= _MAX_PAYLOAD_BYTES]
        for start in range(0, min(len(payloads), 10 * _GROUP_RECORDS), _GROUP_RECORDS):
            group = payloads[start : start + _GROUP_RECORDS]
            yield encode_input(dialect, b"".join(map(framing.frame, group)))
            for window, large in ((0, 1), (3, 2), (40, 3)):
                unframed = b"".join(bytes([len(payload)]) + payload for payload in group if len(payload) < 256)
                yield bytes([0x80 + (DIALECTS.index(dialect) - 0x80) % 3, window, large]) + unframed


def read_payloads(content: bytes) -> Iterator[bytes]:
    """Yield the payloads of an undamaged event file."""
    end = 0
    while end < len(content):
        start = end + framing.HEADER_BYTES
        end = start + framing.read_header(content[end:start]).length + framing.FOOTER_BYTES
        yield content[start : end - framing.FOOTER_BYTES]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(dict.fromkeys(golden_inputs())):
        (folder / f"golden-{number:04}").write_bytes(data)
