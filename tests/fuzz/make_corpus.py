"""Writes the corpus to fuzz from: the records of the golden files, small and cut small. make_corpus.py FOLDER."""

import sys
from collections.abc import Iterator
from pathlib import Path

from fuzz.fuzz_scan import DIALECTS, encode_input
from support.event_files import GOLDEN

from toposcope.proto import framing

_LONGEST_RECORD = 4000
_RECORDS = 4


def golden_inputs() -> Iterator[bytes]:
    """Yield inputs made of a few neighbouring records of a golden file, framed anew or as they are."""
    for path in sorted(GOLDEN.rglob("*events*")):
        dialect = "tensorboard" if "tfevents" in path.name else "lineage" if "lineage" in path.name else "mindspore"
        payloads = [payload for payload in read_payloads(path.read_bytes()) if len(payload) <= _LONGEST_RECORD]
        for at in range(0, min(len(payloads), 10 * _RECORDS), _RECORDS):
            group = payloads[at : at + _RECORDS]
            yield encode_input(dialect, b"".join(map(framing.frame, group)))
            for window, light in ((0, 1), (3, 2), (40, 3)):
                cut = b"".join(bytes([len(payload)]) + payload for payload in group if len(payload) < 256)
                yield bytes([0x80 + (DIALECTS.index(dialect) - 0x80) % 3, window, light]) + cut


def read_payloads(content: bytes) -> Iterator[bytes]:
    """Yield the payloads of a sound event file."""
    at = 0
    while at < len(content):
        start = at + framing.HEADER_BYTES
        at = start + framing.read_header(content[at:start]).length + framing.FOOTER_BYTES
        yield content[start : at - framing.FOOTER_BYTES]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(dict.fromkeys(golden_inputs())):
        (folder / f"golden-{number:04}").write_bytes(data)
