"""What runs recorded as text: their output, and the texts of their tags."""

from google.protobuf.message import DecodeError

from toposcope.server.questions.answers import ConsoleLine, ConsoleLines, RecordedText, Texts
from toposcope.server.questions.opening.opened import Opened, UnknownNameError, find_run
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.console import CONSOLE
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.runs.selection.chosen_series import Choice, payloads
from toposcope.server.values.text import read_text

_MAX_CHARACTERS = 4_000_000


def read_console(
    opened: Opened, run: str, *, after: int = 0, search: str = "", limit: int = 1000, most: int = _MAX_CHARACTERS
) -> ConsoleLines:
    """Return lines that a run wrote to stdout and stderr.

    Args:
        opened: the logdir.
        run: its name.
        after: number of a line: the lines after it; a negative number: that many lines at the end.
        search: text that a line must contain, ignoring case; empty: all lines.
        limit: how many lines to return at most.
        most: how many characters to return at most, at least one line excepted.

    Raises:
        UnknownNameError: there is no such run.
    """
    view = find_run(opened.runs, run)
    rank = next(iter(view.ranks_of(CONSOLE, ALL)), 0)
    totals = opened.console.totals(view, rank)
    first = after if after >= 0 else max(0, totals.lines + after)
    page = opened.console.page(view, rank, totals, first, search, limit, most)
    lines = [ConsoleLine(number, line.wall_time, line.stream, line.text) for number, line in page.lines]
    return ConsoleLines(run, lines, totals.lines, totals.dropped, page.next)


def read_texts(opened: Opened, run: str, tag: str | None = None, *, offset: int = 0, limit: int | None = None) -> Texts:
    """Return the texts of a run, those of each tag by step.

    Args:
        opened: the logdir.
        run: its name.
        tag: None: all text tags.
        offset: how many texts to omit from the beginning.
        limit: how many texts to read at most; None: all.

    Raises:
        UnknownNameError: there is no such run, or it has no such tag.
        OSError: a text cannot be read at present.
    """
    view, found = find_texts(opened, run, tag)
    rows = [(name, series, row) for name, series in found.items() for row in range(series.total)]
    texts, damaged = [], 0
    for name, series, row in rows[offset : None if limit is None else offset + limit]:
        try:
            text = read_text(read_payload(view, series, row), KINDS[series.kind[row]])
        except (DecodeError, ValueError):
            damaged += 1
            continue
        texts.append(RecordedText(name, int(series.step[row]), float(series.wall_time[row]), "\n".join(text.texts)))
    return Texts(run, texts, len(rows), damaged)


def find_texts(opened: Opened, run: str, tag: str | None) -> tuple[RunView, dict[str, Payloads]]:
    """Return (a run; its texts by tag).

    Args:
        opened: the logdir.
        run: its name.
        tag: None: all text tags.

    Raises:
        UnknownNameError: there is no such run, or it has no such tag.
    """
    view = find_run(opened.runs, run)
    found = {}
    for name in sorted(view.tags_of("text")) if tag is None else [tag]:
        ranks = view.ranks_of(Tag("text", name))
        if not ranks:
            raise UnknownNameError(f"there is no text tag {name!r} in run {run!r}")
        found[name] = payloads(view, Tag("text", name), ranks[0], Choice())
    return view, found
