"""summary-server inspect: lists the contents of event files and verifies every record."""

import os
from collections.abc import Iterator, Sequence

import orjson

from toposcope.server.commands.arguments import Parser, check_listable
from toposcope.server.commands.inspection import InspectedRun, Inspection, inspect
from toposcope.server.formats.formats import choose
from toposcope.server.text.escaped import escaped
from toposcope.server.text.json_values import json_value
from toposcope.server.text.text_table import count_text, table_lines, text_or_blank, time_text

_REASONS = {
    "payload": "wrong checksum or malformed message",
    "length": "damaged length; everything up to the next intact header is lost",
}
_MAX_REFUSED = 100
"""Lines about files that are no logs; a folder of data has many."""


def run(arguments: Sequence[str]) -> int:
    """Inspect a directory or file; return 1 if something is damaged or cannot be read."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    path = os.path.expanduser(options.path)
    try:
        if not os.path.isfile(path):
            check_listable("DIR", path)
        inspection = inspect(path, follow_links=options.follow_links, formats=choose(options.formats))
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
    parser.add_formats()
    return parser


def _lines(inspection: Inspection) -> Iterator[str]:
    for each in inspection.runs:
        yield from _run_lines(each)
        yield ""
    for source in inspection.sources:
        yield f"{source.path} was read as {source.format}: {source.why}"
    for refused in inspection.refused[:_MAX_REFUSED]:
        yield f"{refused.path} is no log: {refused.why}"
    if more := inspection.refused[_MAX_REFUSED:]:
        yield f"{count_text(len(more), 'more file')} with the names of logs: see --json"
    for path, reason in sorted(inspection.problems.items()):
        yield f"cannot read {path}: {reason}"
    for warning in inspection.warnings:
        yield f"warning: {warning.message}"
    files = [file for each in inspection.runs for file in each.files]
    counts = [
        count_text(len(inspection.runs), "run"),
        count_text(len(files), "event file"),
        count_text(sum(file.events for file in files), "event"),
        count_text(sum(file.size for file in files), "byte"),
        count_text(inspection.damaged_records, "damaged place"),
    ]
    counts += [count_text(inspection.ignored_files, "other file")] if inspection.ignored_files else []
    yield ", ".join(counts)


def _run_lines(run: InspectedRun) -> Iterator[str]:
    yield f"{run.run}: {', '.join(_facts(run))}"
    error = run.state.error if run.state else None
    if error:
        yield f"  {': '.join(filter(None, (error.type, error.text)))}"
    yield ""
    files = [
        (
            file.file,
            text_or_blank(file.rank),
            f"{file.events:,}",
            f"{file.size:,}",
            text_or_blank(file.torn_bytes or None),
        )
        for file in run.files
    ]
    yield from table_lines(("file", "rank", "events", "bytes", "torn bytes"), files, "lrrrr")
    yield ""
    tags = [
        (
            tag.plugin,
            tag.tag,
            f"{tag.points:,}",
            f"{tag.recorded:,}",
            text_or_blank(tag.first_step),
            text_or_blank(tag.last_step),
            " ".join(map(str, tag.ranks)),
        )
        for tag in run.tags
    ]
    yield from table_lines(("plugin", "tag", "points", "recorded", "first step", "last step", "ranks"), tags, "llrrrrl")
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
    yield count_text(most, "attempt")
    if run.ranks:
        yield f"rank{'s' if len(run.ranks) > 1 else ''} {' '.join(map(str, run.ranks))}"
    if run.first_step is not None:
        yield f"steps {run.first_step} to {run.last_step}"
    if run.started is not None and run.updated is not None:
        yield f"{time_text(run.started)} to {time_text(run.updated)}"
