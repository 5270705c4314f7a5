"""summary-server inspect: lists the contents of event files and verifies every record."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import orjson

from toposcope.server.commands.arguments import Parser, check_listable
from toposcope.server.commands.inspection import InspectedRun, Inspection, inspect
from toposcope.server.escaped import escaped
from toposcope.server.json_values import json_value

_REASONS = {
    "payload": "wrong checksum or malformed message",
    "length": "damaged length; everything up to the next intact header is lost",
}
_WIDEST = 60
"""Characters of a column; longer cells overflow."""


def run(arguments: Sequence[str]) -> int:
    """Inspect a directory or file; return 1 if something is damaged or cannot be read."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    path = os.path.expanduser(options.path)
    try:
        if not os.path.isfile(path):
            check_listable("DIR", path)
        inspection = inspect(path, follow_links=options.follow_links)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if options.json:
        print(orjson.dumps(json_value(inspection), option=orjson.OPT_INDENT_2).decode("utf-8"))
    else:
        for line in _lines(inspection):
            print(escaped(line))
    return 1 if inspection.damaged_records or inspection.problems else 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "summary-server inspect",
        "List the runs, tags and steps of event files, and verify every record.\nNothing is written.",
        "Exit status: 0; 1 if something is damaged or cannot be read; 2 for invalid arguments.",
    )
    parser.add_argument("path", metavar="DIR|FILE", help="directory of runs, searched recursively, or one event file")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of text")
    parser.add_follow_links()
    return parser


def _lines(inspection: Inspection) -> Iterator[str]:
    for each in inspection.runs:
        yield from _run_lines(each)
        yield ""
    for path, reason in sorted(inspection.problems.items()):
        yield f"cannot read {path}: {reason}"
    for warning in inspection.warnings:
        yield f"warning: {warning.message}"
    files = [file for each in inspection.runs for file in each.files]
    counts = [
        _count(len(inspection.runs), "run"),
        _count(len(files), "event file"),
        _count(sum(file.events for file in files), "event"),
        _count(sum(file.size for file in files), "byte"),
        _count(inspection.damaged_records, "damaged place"),
    ]
    counts += [_count(inspection.ignored_files, "other file")] if inspection.ignored_files else []
    yield ", ".join(counts)


def _run_lines(run: InspectedRun) -> Iterator[str]:
    yield f"{run.run}: {', '.join(_facts(run))}"
    error = run.state.error if run.state else None
    if error:
        yield f"  {': '.join(filter(None, (error.type, error.text)))}"
    yield ""
    files = [
        (file.file, _or_blank(file.rank), f"{file.events:,}", f"{file.size:,}", _or_blank(file.torn_bytes or None))
        for file in run.files
    ]
    yield from _table(("file", "rank", "events", "bytes", "torn bytes"), files, "lrrrr")
    yield ""
    tags = [
        (
            tag.plugin,
            tag.tag,
            f"{tag.points:,}",
            f"{tag.recorded:,}",
            _or_blank(tag.first_step),
            _or_blank(tag.last_step),
            " ".join(map(str, tag.ranks)),
        )
        for tag in run.tags
    ]
    yield from _table(("plugin", "tag", "points", "recorded", "first step", "last step", "ranks"), tags, "llrrrrl")
    damage = [
        f"  {file.file} at byte {place.offset}: {_REASONS[place.reason]}" for file in run.files for place in file.damage
    ]
    if damage:
        yield from ("", "  damage", *damage)


def _facts(run: InspectedRun) -> Iterator[str]:
    if run.dialect is None:
        yield "no complete record"
        return
    yield run.dialect
    if run.state is not None:
        yield run.state.state
    most = max((attempt.attempt for attempt in run.attempts), default=1)
    yield _count(most, "attempt")
    if run.ranks:
        yield f"rank{'s' if len(run.ranks) > 1 else ''} {' '.join(map(str, run.ranks))}"
    if run.first_step is not None:
        yield f"steps {run.first_step} to {run.last_step}"
    if run.started is not None and run.updated is not None:
        yield f"{_time(run.started)} to {_time(run.updated)}"


def _time(wall_time: float) -> str:
    try:
        return datetime.fromtimestamp(wall_time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"{wall_time!r} s"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    """Yield the lines of a table; `sides` has "l" or "r" per column for its alignment."""
    cells = [tuple(map(escaped, row)) for row in (head, *rows)]
    widths = [min(_WIDEST, max(map(len, column))) for column in zip(*cells, strict=True)]
    for row in cells if rows else []:
        padded = [
            cell.ljust(width) if side == "l" else cell.rjust(width)
            for cell, width, side in zip(row, widths, sides, strict=True)
        ]
        yield "  " + "  ".join(padded).rstrip()


def _or_blank(number: int | None) -> str:
    return "" if number is None else str(number)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
