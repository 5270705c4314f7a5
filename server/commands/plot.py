"""summary-server plot: draws scalar series, or expressions of them, in the terminal."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import answered, question_parser, read_command_line
from toposcope.server.commands.terminal_plot import check_package, plotted
from toposcope.server.questions.answers import Series
from toposcope.server.questions.asking.get import QUESTION, add_selection
from toposcope.server.text.argument_parser import whole_count
from toposcope.server.text.escaped import escaped

_LINES = 20
_POINTS_A_COLUMN = 4


def run(arguments: Sequence[str]) -> int:
    """Draw a chart for each tag and expression."""
    check_package()
    line = read_command_line(make_parser(), arguments, ("--width", "--height"))
    options = line.options
    width = int(options.width or shutil.get_terminal_size().columns)
    options.points = _POINTS_A_COLUMN * width
    reply = answered(line._replace(words=["--json", "--points", str(options.points), *line.words]), QUESTION)
    assert reply.answer is not None
    for text in _charts(reply.answer, width, options.height):
        print(text)
    return 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = question_parser(
        QUESTION._replace(name="plot", description="Draw scalar series, or expressions of them, in the terminal.")
    )
    add_selection(parser)
    parser.add_argument("--width", type=whole_count, metavar="N", help="columns; default: those of the terminal")
    parser.add_argument(
        "--height", type=whole_count, default=_LINES, metavar="N", help=f"lines of a chart; default: {_LINES}"
    )
    parser.set_defaults(json=True, jsonl=None)
    return parser


def _charts(found: dict[str, Any], width: int, height: int) -> Iterator[str]:
    """Yield a chart for each tag, in the order of the command line."""
    in_colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    by_tag: dict[str, list[Series]] = {}
    for each in found["series"]:
        by_tag.setdefault(each["tag"], []).append(_series(**each))
    for tag, series in by_tag.items():
        yield plotted(escaped(tag), series, width, height, in_colour=in_colour)
    yield from (f"no run has {escaped(name)}" for name in found["missing"])


def _series(**columns: Any) -> Series:
    """Return a series of JSON, in which numbers that are not finite are strings."""
    numbers = {name: columns[name] and list(map(float, columns[name])) for name in ("value", "smoothed")}
    return Series(**{**columns, **numbers, "run": escaped(columns["run"])})
